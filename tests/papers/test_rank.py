"""Ranks over depth as a study: against dense matrices, on a graph small enough for a test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from tests.papers.performing import performed, rows_of

from allpass.errors import InputError
from allpass.papers.content import read_text
from allpass.papers.rank import STUDY, RankStudy, drawn, parse_study
from allpass.papers.study import Plan
from allpass.train.runs.store import Store

TEXT = read_text("rank")
SMALL = (
    ("nodes = 1000", "nodes = 40"),
    ("p = 0.01", "p = 0.2"),
    ("features = 500", "features = 12"),
    ("depth = 100", "depth = 6"),
    ("width = 128", "width = 8"),
    ("seeds = 20", "seeds = 3"),
)
ONE = Plan(("gcn", "relu"))


def small() -> RankStudy:
    text = TEXT
    for old, new in SMALL:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return parse_study(text)


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
    (row,) = rows_of(small(), tmp_path, ONE)
    ranks = np.array([gcn_ranks(seed, 6, 8) for seed in range(3)])
    assert len(np.unique(ranks)) > 2
    for name, expected in (
        ("mean", ranks.mean(axis=0)),
        ("deviation", ranks.std(axis=0)),
        ("low", ranks.min(axis=0)),
        ("high", ranks.max(axis=0)),
    ):
        assert list(map(float, str(row[name]).split())) == pytest.approx(expected, abs=0.005)
    assert (row["network"], row["activation"], row["runs"], row["quick"]) == ("gcn", "relu", 3, False)
    known = [128, 88]  # of the layers 1 and 5, which are the known ones up to depth 6
    inside = [ranks[:, 0].min() - 5 <= 128 <= ranks[:, 0].max() + 5, 88 <= ranks[:, 4].max() + 5]
    assert (row["known"], row["within"]) == (len(known), sum(inside))


def test_a_quick_row_is_not_judged(tmp_path: Path) -> None:
    study = replace(small(), quick={"seeds": 2, "depth": 5, "activations": ["relu"]})
    (row,) = rows_of(study, tmp_path, replace(ONE, quick=True))
    assert (row["quick"], row["known"], row["within"]) == (True, 2, None)


def test_only_what_is_missing_is_made_and_rows_wait_for_all(tmp_path: Path) -> None:
    study = small()
    with Store(tmp_path / "runs.db") as store:
        (task,) = study.tasks(ONE, store)
        keys = study.keys(task)
        first = [run for runs in study.perform(task.only(keys[:1]), "cpu") for run in runs]
        assert [run.key for run in first] == keys[:1]
        store.add_many(first)
        assert study.rows(ONE, store) == []
        assert [run.key for run in performed(study, store, ONE)] == keys[1:]
        assert performed(study, store, ONE) == []
        assert len(study.rows(ONE, store)) == 1


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


def test_a_known_value_may_lie_outside_by_the_margin_and_no_more() -> None:
    layers = STUDY.layers[-1]
    found = {}
    for low in (128 + 5, 128 + 6):
        found[low] = STUDY.checks("gcn", "relu", [low] * layers, [200] * layers)[0]
    for high in (128 - 5, 128 - 6):
        found[high] = STUDY.checks("gcn", "relu", [0] * layers, [high] * layers)[0]
    assert found == {133: (1, 128, True), 134: (1, 128, False), 123: (1, 128, True), 122: (1, 128, False)}
    assert STUDY.checks("gcn", "elu", [0] * layers, [128] * layers) == []
    assert [layer for layer, *_ in STUDY.checks("gcn", "relu", [0] * 12, [128] * 12)] == [1, 5, 10]


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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("nodes = 1000", "node = 1000", r"^rank, graph: there is no entry 'node'. Did you mean 'nodes'"),
        (
            "A_hat_sym",
            "A_hat_sim",
            r"^rank, network: there is no matrix 'A_hat_sim'. Did you mean 'A_hat_sym'",
        ),
        (
            'gcn = "GCN"',
            'gnc = "GCN"',
            r"^rank, networks: there is no architecture 'gnc'. Did you mean 'gcn'",
        ),
        ('elu = "ELU"', 'alu = "ELU"', r"^rank, activations: there is no activation 'alu'. Did you mean"),
        ("depth = 60", "", r"^rank, quick: the entry 'depth' is missing"),
        (
            '"identity", "tanh"]',
            '"identity", "atan"]',
            r"^rank, quick: there is no activation 'atan'. Did you",
        ),
        (
            "tanh = [128, 128, 128, 122,",
            "tanh = [128,",
            r"^rank, known, gcn: tanh has 9 ranks for 12 layers.",
        ),
        ('full = "8"', "", r"^rank, curves, gcn: the entry 'full' is missing"),
    ],
)
def test_wrong_files_are_refused(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(InputError, match=message):
        parse_study(TEXT.replace(old, new, 1))


def test_an_unknown_cell_is_refused(tmp_path: Path) -> None:
    with (
        Store(tmp_path / "runs.db") as store,
        pytest.raises(InputError, match=r"no cell 'snowbal' in 'rank'. Did you mean 'snowball'"),
    ):
        STUDY.tasks(Plan(("snowbal",)), store)
