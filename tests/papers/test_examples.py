"""The examples against exact fractions from dense matrices, and against what is known of them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.papers.performing import results_of

from allpass.data import load
from allpass.errors import InputError
from allpass.papers.examples import STUDY, Checked, measured
from allpass.papers.study import Plan
from allpass.train.runs.store import Store

GRAPHS = {"bipartite": 6, "high-pass": 7, "limitation": 10}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Checked]:
    found = results_of(STUDY, tmp_path_factory.mktemp("examples"), Plan())
    return {row.graph: row for row in found}


def fractions(dataset: str, *, high: bool) -> list[list[Fraction]]:
    """S = M M^T for M = D^-1 (A + I) Z, or Z minus that, in exact arithmetic."""
    data = load(dataset)
    N, y = data.num_nodes, data.y.tolist()
    near: list[set[int]] = [{v} for v in range(N)]
    for u, v in data.edge_index.T.tolist():
        near[u].add(v)
    M = []
    for v in range(N):
        shares = [Fraction(sum(y[u] == k for u in near[v]), len(near[v])) for k in range(max(y) + 1)]
        M.append([int(y[v] == k) - share if high else share for k, share in enumerate(shares)])
    return [[sum(a * b for a, b in zip(p, q, strict=True)) for q in M] for p in M]


@pytest.mark.parametrize("graph", GRAPHS)
def test_matrices_and_nodes_are_those_of_exact_arithmetic(graph: str) -> None:
    dataset = STUDY.graphs[graph].dataset
    data = load(dataset)
    found, y = measured(data), data.y.tolist()
    for name, high in (("S_low", False), ("S_high", True)):
        S = fractions(dataset, high=high)
        np.testing.assert_allclose(found.curves[name], np.array(S, dtype=float), atol=1e-7)
        means = [
            {k: sum(s for s, l in zip(line, y, strict=True) if l == k) / y.count(k) for k in set(y)}
            for line in S
        ]
        others = [
            sum(s for s, l in zip(line, y, strict=True) if l != own) / (len(y) - y.count(own))
            for line, own in zip(S, y, strict=True)
        ]
        own = [mean[label] for mean, label in zip(means, y, strict=True)]
        if high:
            apart = [mine >= 0 >= rest for mine, rest in zip(own, others, strict=True)]
            drawn = [any(m > 0 for k, m in mean.items() if k != l) for mean, l in zip(means, y, strict=True)]
            assert found.curves["diversified"].tolist() == apart
            assert found.curves["drawn"].tolist() == drawn
            assert found.scores["DD"] == np.mean(apart)
            assert found.scores["DD_strict"] == pytest.approx(
                np.mean([mine > 0 >= rest for mine, rest in zip(own, others, strict=True)])
            )
        else:
            near = [mine >= rest for mine, rest in zip(own, others, strict=True)]
            assert found.curves["aggregated"].tolist() == near
            assert found.scores["H_agg"] == pytest.approx(np.mean(near))


def test_all_that_is_known_is_found_again(rows: dict[str, Checked]) -> None:
    assert {name: (row.known, row.agree) for name, row in rows.items()} == {
        "bipartite": (5, 5),
        "high-pass": (4, 4),
        "limitation": (1, 1),
    }
    assert all(row.difference <= 5e-5 for row in rows.values())


def test_rows_hold_the_graph(rows: dict[str, Checked]) -> None:
    assert rows["bipartite"].edges == "1-4 1-5 1-6 2-4 2-5 2-6 3-4 3-5 3-6"
    assert rows["high-pass"].labels == "0 0 0 1 1 1 1"
    assert rows["high-pass"].aggregated == "1 2 4 5 6 7"  # node 3 is drawn to the other class
    assert rows["high-pass"].drawn == ""
    assert rows["limitation"].drawn == "1 2 3 4 5 6 7 8 9 10"
    lines = str(rows["limitation"].S_high).split("; ")
    assert lines[0] == "0.5000 0.5000 0.2500 -0.5000 -0.2500 0.0000 -0.2500 0.2500 0.1250 0.0000"
    assert len(lines) == 10


def test_a_difference_is_the_largest_one() -> None:
    example = STUDY.graphs["high-pass"]
    S = np.array(example.known["S_low"])
    changed = S.copy()
    changed[2, 3] -= 0.25
    given = {"DD": 0.75, "DD_strict": 6 / 7}
    found = example.differences({**given, "S_low": changed, "S_high": np.array(example.known["S_high"])})
    assert found == {"DD": 0.25, "DD_strict": 0.0, "S_low": 0.25, "S_high": 0.0}


def test_graphs_are_tasks(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        assert [task.about["graph"] for task in STUDY.tasks(Plan(("High-Pass",)), store)] == ["high-pass"]
        assert len({key for task in STUDY.tasks(Plan(), store) for key in STUDY.keys(task)}) == 3
        with pytest.raises(InputError, match=r"no cell 'bipartit' in 'examples'. Did you mean 'bipartite'"):
            STUDY.tasks(Plan(("bipartit",)), store)
