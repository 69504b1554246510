"""The studies of reward shaping and of exploring: rows, facts and pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.papers.performing import performed

from allpass.papers import rl_exploration, rl_rewards
from allpass.papers.exploration.measure import first_rewards
from allpass.papers.page import page
from allpass.papers.result import csv_text, parse_csv
from allpass.papers.rewards.tabular import ARMS, learn_grid
from allpass.papers.study import Plan
from allpass.train.runs.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def test_rows_of_the_grid_are_what_the_learners_did(store: Store) -> None:
    plan = Plan(("grid", "none", "harmonic"), quick=True)
    performed(rl_rewards.STUDY, store, plan)
    rows = rl_rewards.STUDY.results(plan, store)
    assert [(row.part, row.arm, row.seed) for row in rows] == [
        ("grid", arm, seed) for arm in ("none", "harmonic") for seed in (100, 101)
    ]
    learned = learn_grid(ARMS["harmonic"], [101], episodes=5)
    assert rows[-1].steps == learned.steps.sum() == rows[-1].values[-1]
    assert rows[-1].fits == 1
    assert parse_csv(csv_text(rows), rl_rewards.Learned) == rows
    assert not rl_rewards.STUDY.tasks(plan, store, rows)


def test_a_run_with_networks_is_a_task_and_a_row(store: Store) -> None:
    plan = Plan(("mountaincar", "shuffled"), quick=True)
    tasks = rl_rewards.STUDY.tasks(plan, store)
    assert [task.about["seeds"] for task in tasks] == [[200], [201]]
    store.add_many([run for runs in rl_rewards.STUDY.perform(tasks[0], "cpu") for run in runs])
    (row,) = rl_rewards.STUDY.results(plan, store)
    assert len(row.values) == 20
    assert row.earned == pytest.approx(np.mean(row.values), rel=1e-4)
    assert row.last == pytest.approx(np.mean(row.values[-2:]), rel=1e-4)


def made_up(part: str, arm: str, seed: int, value: float) -> rl_rewards.Learned:
    origin = {"seconds": 1.0, "allpass": "", "torch": "", "device": "", "ended": "2026-01-01"}
    steps = int(value) if part == "grid" else None
    earned = None if part == "grid" else value
    return rl_rewards.Learned(
        part=part,
        arm=arm,
        seed=seed,
        steps=steps,
        updates=steps,
        fits=0,
        earned=earned,
        last=earned,
        curve=f"{value} {value}",
        **origin,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(("gain", "word"), [(0.5, "It holds"), (0.0, "do not help")])
def test_the_verdict_follows_the_rows(gain: float, word: str) -> None:
    noise = np.random.default_rng(0)
    rows = [
        made_up("grid", arm, seed, 1000 + 10 * noise.random() - 900 * (arm != "none"))
        for arm in rl_rewards.PARTS["grid"]
        for seed in range(5)
    ]
    rows += [
        made_up(part, arm, seed, 0.1 * noise.random() + gain * (arm == "gcn"))
        for part in ("doorkey", "mountaincar")
        for arm in rl_rewards.NETWORKS
        for seed in range(8)
    ]
    assert word in page(rl_rewards.STUDY, rows, rl_rewards.STUDY.facts(rows))
    rl_rewards.STUDY.picture(rows)
    assert rl_rewards.STUDY.facts(rows)["harmonic"] == "89% [89, 89]"
    only_grid = [row for row in rows if row.part == "grid"]
    assert "not run" in str(rl_rewards.STUDY.facts(only_grid)["doorkey"])
    (axes,) = rl_rewards.STUDY.picture(only_grid[:5]).axes
    assert axes.lines[0].get_xdata().tolist() == [5, 10]  # a point for every fifth episode


def test_a_verdict_says_where_shaping_helps_and_how_it_ends() -> None:
    """A potential that learns faster on one task, yet ends lower, does not simply help."""
    rows = [
        made_up("grid", arm, seed, 1000 - 900 * (arm != "none"))
        for arm in rl_rewards.PARTS["grid"]
        for seed in (0, 1)
    ]
    for arm in rl_rewards.NETWORKS:
        gain = arm in ("gcn", "acm-gcn")
        rows += [made_up("doorkey", arm, seed, 0.5) for seed in (0, 1)]
        rows += [
            dataclasses.replace(made_up("mountaincar", arm, seed, 9.0 * gain), last=-5.0 * gain)
            for seed in (0, 1)
        ]
    said = str(rl_rewards.STUDY.facts(rows)["verdict"])
    assert said.startswith(
        "Mixed: a graph potential learns faster than both controls on MountainCar with DQN, but ends lower"
    )
    assert "none does on DoorKey-5x5 with PPO" in said


def test_rows_of_exploring_are_first_rewards(store: Store) -> None:
    plan = Plan(("grid", "count"), quick=True)
    performed(rl_exploration.STUDY, store, plan)
    rows = rl_exploration.STUDY.results(plan, store)
    assert [row.steps for row in rows] == first_rewards("grid", "count", [100, 101], max_steps=5000).tolist()
    assert all(row.found for row in rows)
    assert parse_csv(csv_text(rows), rl_exploration.FirstReward) == rows
    rl_exploration.STUDY.picture(rows)
    rl_exploration.STUDY.matrix(rows)
