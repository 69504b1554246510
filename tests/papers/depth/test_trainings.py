"""Trainings with sizes: the numbers are those of dense matrices, of the very network that is trained."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from allpass.data import load
from allpass.models.catalog import create
from allpass.papers.depth.grid import MODEL
from allpass.papers.depth.study import STUDY
from allpass.papers.depth.trainings import QUANTITIES, DeepTrainings
from allpass.papers.study import Plan
from allpass.train.network import untrained
from allpass.train.runs.run import Run

FIXED = {**STUDY.grid.fixed, "hidden_channels": 4}
SMALL = STUDY.grid.protocol.changed({"splits": {"count": 2}, "stop": {"max_epochs": 2}})


def trainings(rates: tuple[float, ...] = (0.01,), **settings: object) -> DeepTrainings:
    chosen = {"num_layers": 3, "activation": "tanh", "init": "combined", **settings}
    return DeepTrainings("cora", SMALL, {**FIXED, **chosen}, rates)


def all_runs(wanted: DeepTrainings, left: tuple[str, ...] = ()) -> list[Run]:
    return [run for runs in wanted.runs(left, "cpu") for run in runs]


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return all_runs(trainings((0.05, 1e-12)))


def test_a_run_is_known_by_its_rate_and_split_and_the_split_seeds_the_weights() -> None:
    keys = trainings((0.1, 0.2)).keys()
    assert [(key.settings["lr"], key.split, key.seed) for key in keys] == [
        (0.1, "stratified/0", 0),
        (0.1, "stratified/1", 1),
        (0.2, "stratified/0", 0),
        (0.2, "stratified/1", 1),
    ]
    assert len({key.identity for key in keys}) == 4


def test_it_is_no_training_of_another_study() -> None:
    wanted = trainings()
    assert wanted.keys()[0].identity != wanted.job("cpu").key(0).identity


def test_whatever_the_protocol_says_is_in_the_keys() -> None:
    wanted = trainings()
    rounded = replace(wanted, protocol=SMALL.changed({"tf32": True}))
    assert not set(wanted.keys()) & set(rounded.keys())


def test_it_travels_as_json() -> None:
    wanted = trainings((0.1, 0.2))
    arrived = DeepTrainings.from_dict(json.loads(json.dumps(wanted.to_dict())))
    assert arrived.keys() == wanted.keys()


def test_only_what_is_left_is_trained() -> None:
    wanted = trainings()
    second = wanted.keys()[1]
    assert [run.key for run in all_runs(wanted, (second.identity,))] == [second]


def test_sizes_at_the_start_are_those_of_dense_matrices(runs: list[Run]) -> None:
    run = next(run for run in runs if run.key.seed == 1)
    job = trainings().job("cpu")
    data = job.data
    torch.manual_seed(1)
    settings = {
        "num_layers": 3,
        "hidden_channels": 4,
        "init": "combined",
        "activation": "tanh",
        "filter": "A_hat_rw",
    }
    network = create(
        "gcn", in_channels=data.num_features, out_channels=7, graph=job.problem.graph, **settings
    )
    A = torch.zeros(data.num_nodes, data.num_nodes)
    A[data.edge_index[0], data.edge_index[1]] = 1
    A = ((A + A.T) > 0).float() + torch.eye(data.num_nodes)
    A /= A.sum(1, keepdim=True)
    Y, layers = data.x / data.x.sum(1, keepdim=True).clamp(min=1), []
    for layer in network.layers:
        H = A @ (Y @ layer.weight)
        layers.append(H)
        Y = H.tanh()
    gradients = torch.autograd.grad(F.cross_entropy(layers[-1], data.y, reduction="sum"), layers)
    expected = {
        "variance": [float(H.detach().double().var(correction=0)) for H in layers],
        "gradient_variance": [float(G.double().var(correction=0)) for G in gradients],
        "energy": [float(H.detach().double().square().sum()) for H in layers],
    }
    for name in QUANTITIES:
        assert run.curves[f"start_{name}"] == pytest.approx(np.log10(expected[name]), abs=1e-4)


def test_a_training_that_does_not_move_ends_as_it_began_and_another_does_not(runs: list[Run]) -> None:
    moving, still = runs[0], next(run for run in runs if run.key.settings["lr"] < 0.01)
    for name in QUANTITIES:
        assert still.curves[f"end_{name}"] == pytest.approx(still.curves[f"start_{name}"], abs=1e-4)
    assert np.abs(moving.curves["end_variance"] - moving.curves["start_variance"]).max() > 0.1


def test_a_network_beyond_the_range_of_its_numbers_is_a_result() -> None:
    one = replace(SMALL, stop={**SMALL.stop, "max_epochs": 1}, splits={**SMALL.splits, "count": 1})
    deep = trainings(num_layers=100, hidden_channels=16, init="degree-weighted", activation="adarelu")
    wanted = replace(deep, protocol=one)
    (run,) = all_runs(wanted)
    assert run.status == "diverged"
    assert "end_variance" not in run.curves
    sizes = run.curves["start_variance"]
    assert len(sizes) == 100
    assert np.isfinite(sizes[0])
    assert not np.isfinite(sizes[-1])


def test_the_most_frequent_class_is_that_of_the_training_nodes(runs: list[Run]) -> None:
    wanted = trainings().job("cpu").wanted[0]
    y = load("cora").y
    answer = max(range(7), key=lambda label: int((y[wanted.split.train] == label).sum()))
    run = next(run for run in runs if run.key.seed == 0)
    assert run.scores["majority"] == pytest.approx(float((y[wanted.split.test] == answer).float().mean()))


def test_why_64_layers_of_combined_weights_and_adarelu_diverge() -> None:
    """In float32 logits and gradients of the first step are finite, but not the squares of the gradients."""
    (combination,) = STUDY.grid.asked(Plan(cells=("cora", "adarelu", "combined", "64")))
    wanted = DeepTrainings.of(STUDY.grid, combination, Plan())
    job = wanted.job("cpu")
    shape = {"in_channels": 1433, "out_channels": 7, "num_nodes": 2708}
    network = untrained(MODEL, job.wanted[0].settings, **shape, graph=job.problem.graph, dtype=torch.float32)
    logits = network(job.problem.x, job.problem.graph)
    assert logits.isfinite().all()
    F.cross_entropy(logits, job.problem.target).backward()
    gradients = torch.cat([parameter.grad.flatten() for parameter in network.parameters()])
    assert gradients.isfinite().all()
    assert gradients.square().isinf().any()
