"""The base of a study that measures some arms with many seeds: a new study of this kind is one small file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from allpass.papers.measuring import Measured, key_of, measure, stored
from allpass.papers.result import R
from allpass.papers.study import OfStudy, Plan, Words
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


class SeededStudy(ABC, Generic[R]):
    """A task is one arm with all its seeds, a run one arm with one seed, a row what :meth:`row` makes of a run.

    Rows need the fields ``arm`` and ``seed``.
    """

    id: ClassVar[str]
    words: ClassVar[Words]
    result: type[R]
    arms: ClassVar[Mapping[str, Mapping[str, Any]]]
    """The settings of each arm, in the types of JSON; they are part of the key of its runs."""
    seeds: ClassVar[Sequence[int]]
    quick_seeds: ClassVar[int] = 2
    method: ClassVar[int] = 1
    """Raise it when the same arm and seed would give other numbers, so that stored runs are not used."""

    @abstractmethod
    def measure(self, arm: str, seed: int) -> Measured:
        """Run one arm with one seed."""

    @abstractmethod
    def row(self, arm: str, run: Run) -> R:
        """The row of a run."""

    @abstractmethod
    def facts(self, results: Sequence[R]) -> Mapping[str, object]:
        """The numbers that the words name."""

    @abstractmethod
    def matrix(self, results: Sequence[R]) -> DataFrame:
        """The table of the page."""

    @abstractmethod
    def picture(self, results: Sequence[R]) -> Figure:
        """The picture of the page."""

    def axes(self) -> Mapping[str, Sequence[str]]:
        """The arms."""
        return {"arms": list(self.arms)}

    def seeds_of(self, arm: str) -> Sequence[int]:  # noqa: ARG002
        """The seeds of an arm; one is enough where nothing is random."""
        return self.seeds

    def chosen(self, plan: Plan) -> list[str]:
        """The arms that a plan names."""
        return plan.choose(self.id, self.axes())["arms"]

    def tasks(self, plan: Plan, store: Store, known: Sequence[R] = ()) -> list[Task]:  # noqa: ARG002
        """One task for each arm, with the seeds that have no row yet."""
        there = {(result.arm, result.seed) for result in known}  # type: ignore[attr-defined]
        most = self.quick_seeds if plan.quick else None
        found = []
        for arm in self.chosen(plan):
            left = [seed for seed in self.seeds_of(arm)[:most] if (arm, seed) not in there]
            if left:
                found.append(Task(OfStudy(self.id), arm, {"arm": arm, "seeds": left}, gpu=0.0))
        return found

    def keys(self, task: Task) -> list[Key]:
        """One key for each seed."""
        arm = task.about["arm"]
        return [
            key_of(self.id, self.method, dataset=self.id, model=arm, settings=self.arms[arm], seed=seed)
            for seed in task.about["seeds"]
        ]

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        """Measure the seeds of an arm."""
        return measure(task, self.keys(task), device, lambda key: self.measure(key.model, key.seed))

    def results(self, plan: Plan, store: Store) -> list[R]:
        """A row for each run that is stored."""
        return [
            self.row(task.about["arm"], run)
            for task in self.tasks(plan, store)
            for key in self.keys(task)
            for run in stored([key], store) or ()
        ]
