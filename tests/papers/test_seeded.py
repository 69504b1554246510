"""A study of arms and seeds, written as its documentation says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from matplotlib.figure import Figure
from pandas import DataFrame
from tests.papers.performing import WORDS, performed

from allpass.papers import Plan, Result, SeededStudy
from allpass.papers.measuring import Measured
from allpass.papers.result import csv_text, made, parse_csv
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store


@dataclass(frozen=True, kw_only=True)
class Draw(Result):
    """A draw."""

    place: ClassVar[tuple[str, ...]] = ("arm", "seed")

    arm: str
    seed: int
    mean: float


class Draws(SeededStudy[Draw]):
    """Means of uniform numbers."""

    id = "draws"
    words = WORDS
    result = Draw
    arms: ClassVar = {"few": {"size": 2}, "many": {"size": 2000}}
    seeds = range(10, 14)

    def measure(self, arm: str, seed: int) -> Measured:
        values = np.random.default_rng(seed).random(self.arms[arm]["size"])
        return Measured({"mean": values.mean()}, {"first": values[:2]})

    def row(self, arm: str, run: Run) -> Draw:
        return Draw(arm=arm, seed=run.key.seed, mean=run.scores["mean"], **made([run]))

    def facts(self, results: Sequence[Draw]) -> dict[str, object]:
        return {"rows": len(results)}

    def matrix(self, results: Sequence[Draw]) -> DataFrame:
        return DataFrame({"mean": [f"{one.mean:.2f}" for one in results]})

    def picture(self, results: Sequence[Draw]) -> Figure:
        return Figure()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def test_a_row_is_an_arm_with_a_seed(store: Store) -> None:
    study = Draws()
    assert len(performed(study, store, Plan())) == 8
    assert performed(study, store, Plan()) == []
    rows = study.results(Plan(), store)
    assert [(one.arm, one.seed) for one in rows] == [
        (arm, seed) for arm in ("few", "many") for seed in study.seeds
    ]
    assert rows[5].mean == np.random.default_rng(11).random(2000).mean()
    (run,) = [run for run in store.runs() if (run.key.model, run.key.seed) == ("many", 11)]
    assert run.curves["first"].tolist() == pytest.approx(np.random.default_rng(11).random(2), abs=1e-7)


def test_it_resumes_from_rows_of_another_machine(store: Store) -> None:
    study = Draws()
    performed(study, store, Plan())
    kept = parse_csv(csv_text(study.results(Plan(), store)[:6]), Draw)
    with Store(store.path.parent / "other.db") as other:
        made_again = performed(study, other, Plan(), kept)
    assert [(run.key.model, run.key.seed) for run in made_again] == [("many", 12), ("many", 13)]


def test_a_plan_names_arms_and_a_quick_one_has_few_seeds(store: Store) -> None:
    (task,) = Draws().tasks(Plan(("MANY",), quick=True), store)
    assert (task.title, task.about) == ("many", {"arm": "many", "seeds": [10, 11]})
    assert Draws().keys(replace(task, about=json.loads(json.dumps(task.about)))) == Draws().keys(task)


def test_an_arm_may_have_seeds_of_its_own(store: Store) -> None:
    class Fewer(Draws):
        def seeds_of(self, arm: str) -> Sequence[int]:
            return self.seeds[:1] if arm == "few" else self.seeds

    found = {task.title: task.about["seeds"] for task in Fewer().tasks(Plan(), store)}
    assert found == {"few": [10], "many": [10, 11, 12, 13]}


def test_settings_and_method_are_in_the_keys(store: Store) -> None:
    class Newer(Draws):
        method = 2

    class Wider(Draws):
        arms: ClassVar = {"few": {"size": 3}, "many": {"size": 2000}}

    (task, _) = Draws().tasks(Plan(), store)
    keys = [study.keys(task)[0] for study in (Draws(), Newer(), Wider())]
    assert len(set(keys)) == 3
