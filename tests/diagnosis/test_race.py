"""A comparison under a budget: who finishes, who stops, and why."""

from __future__ import annotations

import itertools
import time
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import torch
from tests.diagnosis.test_verdict import CHEAP, blocks

from allpass.diagnosis import lap
from allpass.diagnosis import race as module
from allpass.diagnosis.candidates import Candidate
from allpass.diagnosis.race import race
from allpass.diagnosis.verdict import judge
from allpass.errors import InputError
from allpass.train import fit, stopping
from allpass.train.executors import Local
from allpass.train.given import divide
from allpass.train.rules.tasks import task

TASK = task("classification")


def test_without_a_budget_all_run_on_all_splits():
    data = blocks(150, strength=1.0)
    folds = divide(data, "stratified", count=3)
    found = race([Candidate(name) for name in CHEAP], data, folds, TASK)
    assert [one.candidate.model for one in found.finished] == list(CHEAP)
    assert found.splits == 3
    assert not found.stopped


def test_the_scores_are_those_of_fit(monkeypatch):
    monkeypatch.setattr(module, "EPOCHS", 15)
    data = blocks(120, strength=1.0)
    folds = divide(data, "stratified", count=2)
    found = race([Candidate("trees"), Candidate("gcn", {"lr": 0.05})], data, folds, TASK)
    for entrant in found.finished:
        stop = stopping("patience-loss", max_epochs=15, patience=30)
        runs = fit(
            entrant.candidate.model, data, folds, entrant.candidate.settings, scaling="auto", stop=stop
        )
        assert [run.scores for run in runs] == [outcome.scores for outcome in entrant.outcomes]


def test_the_hopeless_stop_after_one_split_but_the_best_of_a_square_goes_on():
    data = blocks(600)  # homophilous, features say nothing
    folds = divide(data, "stratified", count=3)
    names = ["label-propagation", "feature-trees", "trees", "mlp-2"]
    found = race([Candidate(name) for name in names], data, folds, TASK, budget=600)
    finished = {one.candidate.model for one in found.finished}
    assert {"label-propagation", "trees"} <= finished
    assert len(finished & {"feature-trees", "mlp-2"}) == 1
    (stopped,) = found.stopped
    assert stopped.reason == "far behind after one split"
    assert stopped.splits == 1


def test_a_budget_is_kept_and_what_did_not_fit_is_named():
    data = blocks(20_000, strength=1.0)
    folds = divide(data, "stratified", count=10)
    names = ["label-propagation", "gcn", "acm-gcn"]
    start = time.perf_counter()
    found = race([Candidate(name) for name in names], data, folds, TASK, budget=3)
    assert time.perf_counter() - start < 20  # the last epoch of a network may run over
    assert {one.model for one in found.stopped} <= set(names)
    assert len(found.finished) + len(found.stopped) == len(names)
    assert all(len(one.outcomes) == found.splits for one in found.finished)


def test_when_time_is_short_after_three_splits_nobody_stops(monkeypatch):
    """A close second is worth more than another split."""
    readings = itertools.count()
    clock = SimpleNamespace(perf_counter=lambda: 0.001 * next(readings))
    for looks in (module, lap):
        monkeypatch.setattr(looks, "time", clock)  # its time is how often it was looked at
    data = blocks(300, strength=1.0)
    folds = divide(data, "stratified", count=200)
    names = ("label-propagation", "trees", "feature-trees", "structure-trees")
    found = race([Candidate(name) for name in names], data, folds, TASK, budget=1)
    assert 3 <= found.splits < 200
    assert all("budget" not in one.reason for one in found.stopped)


def test_correct_and_smooth_follows_the_best_model_of_the_features(monkeypatch):
    monkeypatch.setattr(module, "EPOCHS", 3)
    data = blocks(300, strength=2.0)
    folds = divide(data, "stratified", count=1)
    names = ["correct-and-smooth", "feature-trees", "mlp-2"]
    found = race([Candidate(name) for name in names], data, folds, TASK)
    assert found.finished[-1].candidate.model == "correct-and-smooth"
    assert (
        found.finished[-1].job.wanted[0].settings["base"] == "feature-trees"
    )  # three epochs are too few for mlp-2


def test_a_budget_in_which_nothing_fits():
    with pytest.raises(InputError, match="No model could be trained in a budget of 1e-09 s"):
        judge(blocks(100), budget=1e-9)


def test_devices_are_for_networks(monkeypatch):
    data = blocks(100)
    found = race(
        [Candidate("trees")], data, divide(data, "stratified", count=1), TASK, device=torch.device("cpu")
    )
    assert found.finished[0].job.device == torch.device("cpu")


def test_the_verdict_does_not_depend_on_the_processes():
    data = blocks(150, strength=1.0)
    names = ["feature-trees", "label-propagation", "correct-and-smooth"]
    one, two = (judge(data, candidates=names, count=2, workers=count) for count in (1, 2))
    assert [(each.model, each.scores) for each in one.comparison.contenders] == [
        (each.model, each.scores) for each in two.comparison.contenders
    ]
    assert one.summary == two.summary


@pytest.mark.parametrize("names", [["label-propagation", "linear"], ["correct-and-smooth"]])
def test_either_kind_of_candidates_may_be_missing(names, monkeypatch):
    """Those that stand alone run together, then those that mend the predictions of others."""
    monkeypatch.setattr(module, "EPOCHS", 3)
    monkeypatch.setattr(module, "chosen", lambda jobs, count: Local("cpu", 2))
    monkeypatch.setattr(module, "team", lambda track, machines: nullcontext(track.laps))
    data = blocks(100)
    said = []
    folds = divide(data, "stratified", count=2)
    found = race([Candidate(name) for name in names], data, folds, TASK, progress=said.append)
    assert [one.candidate.model for one in found.finished] == names
    assert found.splits == 2
    assert f"training {', '.join(names)}" in said


@pytest.mark.parametrize(
    ("nodes", "budget", "workers", "asked"),
    [(300, None, None, True), (300, 60, None, True), (300, 10, None, False), (300, 10, 2, True)],
)
def test_processes_are_asked_for_where_they_are_worth_it(nodes, budget, workers, asked, monkeypatch):
    seen = []
    monkeypatch.setattr(module, "chosen", lambda jobs, count: seen.append(count))
    data = blocks(nodes)
    folds = divide(data, "stratified", count=1)
    race([Candidate("label-propagation")], data, folds, TASK, budget=budget, workers=workers)
    assert seen == [workers] * asked


def test_a_large_graph_has_all_cores_for_each_network(monkeypatch):
    monkeypatch.setattr(module, "_QUICK", 0.0)
    monkeypatch.setattr(module, "chosen", lambda jobs, count: pytest.fail("no processes"))
    data = blocks(100)
    folds = divide(data, "stratified", count=1)
    found = race([Candidate("label-propagation")], data, folds, TASK)
    assert found.splits == 1


def test_workers_that_cannot_be_are_refused():
    with pytest.raises(InputError, match="workers"):
        judge(blocks(100), candidates=["trees"], workers=0)
