"""The study of values: what it measures, and what follows from rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.papers.performing import performed

from allpass.papers import rl_values
from allpass.papers.page import page
from allpass.papers.result import csv_text, parse_csv
from allpass.papers.study import Plan
from allpass.papers.values import predicting, solving
from allpass.rl import TabularMDP, load_process
from allpass.train.runs.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


@pytest.mark.parametrize("name", rl_values.SOLVED)
def test_every_process_is_solved_as_by_dense_policy_iteration(name: str) -> None:
    found = solving.solve(name)
    assert found.residual < 1e-10
    assert found.difference < 1e-8
    table = solving.outcomes(name)
    assert found.states == len(table) == load_process(name).num_states - 1
    assert all(sum(entry[0] for entry in table[s][a]) == pytest.approx(1) for s in table for a in table[s])


def test_the_independent_iteration_finds_a_known_value() -> None:
    """A corridor of three steps; the first action waits."""
    table = {
        s: {0: [(1.0, s, 0.0, False)], 1: [(1.0, min(s + 1, 2), float(s == 2), s == 2)]} for s in range(3)
    }
    np.testing.assert_allclose(solving.policy_iteration(table, 0.5), [0.25, 0.5, 1])


def test_a_wrong_solver_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = TabularMDP.values
    monkeypatch.setattr(TabularMDP, "values", lambda *given: honest(*given) * (1 + 1e-6))
    assert solving.solve("four-rooms").residual > 1e-9


def given(share: float, seed: int = 0) -> tuple[predicting.Given, np.ndarray]:
    mdp, W, live, V = predicting.problem("four-rooms", "optimal")
    known = np.sort(np.random.default_rng(seed).permutation(len(live))[: round(share * len(live))])
    return predicting.Given(mdp, W, live, known, V[known], seed), V


@pytest.mark.parametrize("method", ["mean", "nearest", "harmonic", "proto-values", "linear", "trees", "gcn"])
def test_predictions_are_of_all_states_and_read_no_hidden_value(method: str) -> None:
    some, V = given(0.3)
    found = predicting.METHODS[method](some)
    assert found.shape == V.shape
    assert np.isfinite(found).all()
    if method in ("nearest", "harmonic"):
        np.testing.assert_allclose(found[some.known], some.values, atol=1e-6)


def test_rules_are_their_formulas() -> None:
    some, _ = given(0.2)
    W = some.W.toarray()
    P = W / W.sum(axis=1, keepdims=True)
    hidden = np.setdiff1d(np.arange(len(W)), some.known)
    exact = np.linalg.solve(
        np.eye(len(hidden)) - P[np.ix_(hidden, hidden)], P[np.ix_(hidden, some.known)] @ some.values
    )
    np.testing.assert_allclose(predicting.METHODS["harmonic"](some)[hidden], exact, atol=1e-10)
    hops, reached = np.full(W.shape, np.inf), np.eye(len(W), dtype=bool)
    for step in range(len(W)):
        hops[reached & np.isinf(hops)] = step
        reached = (reached.astype(int) @ (W + np.eye(len(W)))) > 0
    state = int(hidden[7])
    order = np.argsort(hops[some.known, state], kind="stable")[:3]
    weight = 1 / hops[some.known, state][order]
    expected = (weight * some.values[order]).sum() / weight.sum()
    assert predicting.METHODS["nearest"](some)[state] == pytest.approx(expected)


def test_rows_of_values_are_what_was_measured(store: Store) -> None:
    plan = Plan(("four-rooms/solve", "four-rooms-22/optimal/harmonic"), quick=True)
    performed(rl_values.STUDY, store, plan)
    rows = rl_values.STUDY.results(plan, store)
    assert [(row.method, row.seed) for row in rows] == [("solve", 0), ("harmonic", 0), ("harmonic", 1)]
    measured = predicting.errors("four-rooms-22", "optimal", "harmonic", 1)
    assert rows[-1].error_20 == pytest.approx(measured[20], rel=1e-4)
    assert parse_csv(csv_text(rows), rl_values.Valued) == rows
    assert not rl_values.STUDY.tasks(plan, store, rows)
    rl_values.STUDY.matrix(rows)
    rl_values.STUDY.picture(rows)


ORIGIN = {"seconds": 1.0, "allpass": "", "torch": "", "device": "", "ended": "2026-01-01"}


def made_up(network: float) -> list[rl_values.Valued]:
    noise = np.random.default_rng(0)
    rows = [
        rl_values.Valued(
            arm=f"{name}/solve",
            process=name,
            values=None,
            method="solve",
            seed=0,
            residual=1e-13,
            difference=1e-12,
            **ORIGIN,  # type: ignore[arg-type]
        )
        for name in rl_values.SOLVED
    ]
    for process, values in rl_values.TASKS:
        for method in predicting.METHODS:
            base = network if method == "krylov" else 0.2 if method == "harmonic" else 0.9
            for seed in range(4):
                errors = {f"error_{share}": base * (1 + 0.01 * noise.random()) for share in predicting.SHARES}
                errors["error_5"] = 2.0 if method == "gcn" else errors["error_5"]
                arm = f"{process}/{values}/{method}"
                rows.append(
                    rl_values.Valued(
                        arm=arm, process=process, values=values, method=method, seed=seed, **errors, **ORIGIN
                    )  # type: ignore[arg-type]
                )
    return rows


@pytest.mark.parametrize(
    ("network", "words"), [(0.5, "no network beats harmonic"), (0.1, "a network beats harmonic")]
)
def test_the_verdict_on_values_follows_the_rows(network: float, words: str) -> None:
    rows = made_up(network)
    facts = rl_values.STUDY.facts(rows)
    assert words in page(rl_values.STUDY, rows, facts)
    assert facts["network"] == "krylov"
    assert facts["failed"] == 12
    assert facts["trained"] == 3 * 4 * 4 * 4
    assert facts["residual"] == "1e-13"
    rl_values.STUDY.picture(rows)
