"""Ranks over depth as a study: against dense matrices, on a graph small enough for a test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from tests.papers.performing import performed, results_of

from allpass.errors import InputError
from allpass.papers.rank import STUDY, RankStudy, drawn
from allpass.papers.specs import read_spec
from allpass.papers.study import Plan
from allpass.train.runs.store import Store

ONE = Plan(("gcn", "relu"))


def small(**changed: object) -> RankStudy:
    """On a graph of 40 nodes, six layers deep."""
    words, content = read_spec("rank")
    graph = {"nodes": 40, "p": 0.2, "features": 12}
    network = {**content["network"], "depth": 6, "width": 8}
    return RankStudy(words, {**content, "graph": graph, "network": network, "seeds": 3, **changed})


def gcn_ranks(seed: int, depth: int, width: int) -> list[int]:
    """Ranks of ReLU(Â H W) with dense matrices of NumPy."""
    graph = nx.fast_gnp_random_graph(40, 0.2, seed=seed)
    A = nx.to_numpy_array(graph) + np.eye(40)
    root = np.diag(A.sum(axis=1) ** -0.5)
    H = np.random.default_rng(seed).standard_normal((40, 12))
    H = H / H.sum(axis=1)[:, None]
    generator = torch.Generator().manual_seed(seed)
    ranks = []
    for _ in range(depth):
        W = torch.empty(H.shape[1], width).normal_(generator=generator).double().numpy()
        H = np.maximum(root @ A @ root @ H @ W, 0)
        ranks.append(int(np.linalg.matrix_rank(H)))
    return ranks


def test_rows_are_the_ranks_of_dense_matrices(tmp_path: Path) -> None:
    (row,) = results_of(small(), tmp_path, ONE)
    ranks = np.array([gcn_ranks(seed, 6, 8) for seed in range(3)])
    assert len(np.unique(ranks)) > 2
    for name, expected in (
        ("mean", ranks.mean(axis=0)),
        ("deviation", ranks.std(axis=0)),
        ("low", ranks.min(axis=0)),
        ("high", ranks.max(axis=0)),
    ):
        assert list(map(float, str(getattr(row, name)).split())) == pytest.approx(expected, abs=0.005)
    assert (row.network, row.activation, row.runs, row.quick) == ("gcn", "relu", 3, False)
    known = [128, 88]  # of the layers 1 and 5, which are the known ones up to depth 6
    inside = [ranks[:, 0].min() - 5 <= 128 <= ranks[:, 0].max() + 5, 88 <= ranks[:, 4].max() + 5]
    assert (row.known, row.within) == (len(known), sum(inside))


def test_a_quick_row_is_not_judged(tmp_path: Path) -> None:
    study = small(quick={"seeds": 2, "depth": 5, "activations": ["relu"]})
    (row,) = results_of(study, tmp_path, replace(ONE, quick=True))
    assert (row.quick, row.known, row.within) == (True, 2, None)


def test_only_what_is_missing_is_made_and_rows_wait_for_all(tmp_path: Path) -> None:
    study = small()
    with Store(tmp_path / "runs.db") as store:
        (task,) = study.tasks(ONE, store)
        keys = study.keys(task)
        first = [run for runs in study.perform(task.only(keys[:1]), "cpu") for run in runs]
        assert [run.key for run in first] == keys[:1]
        store.add_many(first)
        assert study.results(ONE, store) == []
        assert [run.key for run in performed(study, store, ONE)] == keys[1:]
        assert performed(study, store, ONE) == []
        assert len(study.results(ONE, store)) == 1


def test_the_graph_and_its_features() -> None:
    x, A = drawn(200, 0.05, 7, seed=3)
    again, _ = drawn(200, 0.05, 7, seed=3)
    other, B = drawn(200, 0.05, 7, seed=4)
    assert torch.equal(x, again)
    assert not torch.equal(x, other)
    assert A.pattern.nnz != B.pattern.nnz or not torch.equal(A.pattern.col, B.pattern.col)
    assert x.dtype == torch.float64
    torch.testing.assert_close(x.sum(dim=1), torch.ones(200, dtype=torch.float64))
    dense = torch.from_numpy(A.to_scipy().toarray())
    assert torch.equal(dense, dense.T)
    assert dense.diagonal().sum() == 0
    assert A.pattern.nnz == pytest.approx(200 * 199 * 0.05, rel=0.15)


def test_the_study_is_that_of_the_figure(tmp_path: Path) -> None:
    assert (STUDY.graph, STUDY.seeds) == ({"nodes": 1000, "p": 0.01, "features": 500}, 20)
    assert STUDY.network == {"depth": 100, "width": 128, "blocks": 3, "filter": "A_hat_sym"}
    assert STUDY.known["gcn"]["identity"] == [128, 128, 125, 112, 93, 57, 32, 15, 3, 1, 1, 1]
    assert STUDY.known["krylov"]["relu"][6:9] == [66, 59, 25]
    with Store(tmp_path / "runs.db") as store:
        full, quick = (STUDY.tasks(Plan(quick=quick), store) for quick in (False, True))
    assert (len(full), len(quick)) == (30, 9)
    assert len({task.title for task in full}) == 30
    assert len({key.identity for task in (*full, *quick) for key in STUDY.keys(task)}) == 30 * 20 + 9 * 2
    assert STUDY.keys(quick[0])[0].settings["depth"] == 60


def test_an_unknown_cell_is_refused(tmp_path: Path) -> None:
    with (
        Store(tmp_path / "runs.db") as store,
        pytest.raises(InputError, match=r"no cell 'snowbal' in 'rank'. Did you mean 'snowball'"),
    ):
        STUDY.tasks(Plan(("snowbal",)), store)
