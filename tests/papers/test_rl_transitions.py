"""The study of transitions: what it measures against definitions, and what follows from rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.papers.performing import results_of
from tests.tools.test_reproduced import prose

from allpass.papers import rl_transitions
from allpass.papers.page import page
from allpass.papers.result import csv_text, parse_csv
from allpass.papers.study import Plan
from allpass.papers.transitions.measure import OWN, POLICIES, every_pair, held_out, walk
from allpass.rl import TabularMDP

ORIGIN = {"seconds": 1.0, "allpass": "", "torch": "", "device": "", "ended": "2026-01-01"}


def test_steps_follow_the_policy_and_the_process() -> None:
    mdp = TabularMDP.from_gymnasium("FrozenLake-v1")
    policy = np.random.default_rng(0).dirichlet(np.ones(4), size=mdp.num_states)
    steps = walk(mdp, policy, 4000, seed=0)
    assert (mdp.P.toarray()[steps.state * 4 + steps.action, steps.next_state] > 0).all()
    first = steps.state == 0
    share = np.bincount(steps.action[first], minlength=4) / first.sum()
    np.testing.assert_allclose(share, policy[0], atol=0.05)
    assert (steps.state[1:][steps.terminated[:-1]] == 0).all()
    again = walk(mdp, policy, 4000, seed=0)
    np.testing.assert_array_equal(again.next_state, steps.next_state)


def test_every_pair_of_a_deterministic_world_is_counted_once() -> None:
    mdp = TabularMDP.from_grid("one-way-doors")
    counts = every_pair(mdp)
    np.testing.assert_array_equal(counts.tried, counts.asked)
    np.testing.assert_array_equal(counts.C.toarray()[counts.asked], mdp.P.toarray()[counts.asked])


def test_a_world_that_forbids_moves_into_walls_has_no_blocked_pairs() -> None:
    found = held_out("Taxi-v4", 0.2, "neighbours", 0, 0.1)
    assert "blocked" not in found
    assert found["moved"] == found["mrr"]


def test_rows_are_measurements(tmp_path: Path) -> None:
    plan = Plan(("one-way-doors-20%/inverse-rule", "lake-2000/back-off", "policies/own"), quick=True)
    rows = results_of(rl_transitions.STUDY, tmp_path, plan)
    assert [row.part for row in rows] == ["held-out"] * 2 + ["samples"] * 2 + ["policies"] * 2
    assert rows[0].mrr is not None
    assert rows[0].mrr > 0.6
    assert rows[2].tv is not None
    assert 0.2 < rows[2].tv < 0.7
    assert rows[4].curve is not None
    curve = [float(value) for value in rows[4].curve.split()]
    assert len(curve) == len(OWN)
    assert curve[-1] < curve[0]
    assert parse_csv(csv_text(rows), rl_transitions.Predicted) == rows
    rl_transitions.STUDY.matrix(rows)
    rl_transitions.STUDY.picture(rows)


def row(arm: str, seed: int, hybrid: float = 0.9) -> rl_transitions.Predicted:
    settings = rl_transitions.STUDY.arms[arm]
    part, model = settings["part"], settings["model"]
    value = {"hybrid": hybrid, "neighbours": 0.5, "back-off": 0.3}.get(model, 0.7)
    names = ("mrr", "moved", "blocked", "hits", "chance") if part == "held-out" else ("tv",)
    scores = dict.fromkeys(("mrr", "moved", "blocked", "hits", "chance", "tv", "value_error", "regret"), None)
    scores |= dict.fromkeys(names, value)  # type: ignore[arg-type]
    if part != "policies":
        scores |= {"value_error": 0.1, "regret": 0.0}  # type: ignore[dict-item]
    curve = " ".join(["0.5"] * (len(OWN) if model == "own" else POLICIES)) if part == "policies" else None
    about = {name: settings.get(name) for name in ("part", "world", "share", "samples", "model")}
    return rl_transitions.Predicted(arm=arm, seed=seed, curve=curve, **about, **scores, **ORIGIN)  # type: ignore[arg-type]


@pytest.mark.parametrize(("hybrid", "words"), [(0.9, "It holds in"), (0.6, "only in part")])
def test_the_verdict_follows_the_rows(hybrid: float, words: str) -> None:
    rows = [row(arm, seed, hybrid) for arm in rl_transitions.STUDY.arms for seed in range(2)]
    facts = rl_transitions.STUDY.facts(rows)
    assert words in str(facts["verdict"])
    assert "0 of 3" in str(facts["verdict"])
    assert "not measured" not in str(facts)
    text = page(rl_transitions.STUDY, rows, facts)
    assert len(prose(text).split()) <= 600
    assert len(text.split("\n\n")[1].split()) <= 60


def without(*parts: str) -> list[rl_transitions.Predicted]:
    arms = [arm for arm in rl_transitions.STUDY.arms if not any(part in arm for part in parts)]
    return [row(arm, seed) for arm in arms for seed in range(2)]


@pytest.mark.parametrize(
    ("rows", "name", "said"),
    [
        (without("Taxi"), "gain_20", "Taxi not measured"),
        (without("one-way"), "doors", "not measured"),
        (without("inverse-rule"), "rule", "FourRooms not measured"),
        (without("lake"), "verdict", "The slippery lake has not been measured."),
        (without("rooms", "Taxi", "doors"), "verdict", "No deterministic world has been measured."),
        (without("rooms", "Taxi", "doors"), "advice", "No model can be recommended yet."),
        (without("hybrid"), "gain_50", "not measured"),
        (without("policies"), "history", "not measured"),
        ([row("policies/own", 3)], "models", "not measured"),
        ([row("four-rooms-20%/hybrid", 0), row("four-rooms-20%/neighbours", 1)], "gain_20", "not measured"),
    ],
)
def test_what_is_missing_is_said(rows: list[rl_transitions.Predicted], name: str, said: str) -> None:
    facts = rl_transitions.STUDY.facts(rows)
    assert said in str(facts[name])
    text = page(rl_transitions.STUDY, rows, facts)
    assert "nan" not in text
    rl_transitions.STUDY.picture(rows)
