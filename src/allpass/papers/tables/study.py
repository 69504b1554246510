"""Tables of accuracies: ours by the published protocol and settings, on fresh splits, and tuned on validation nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from allpass.errors import InputError
from allpass.papers.result import made, rounded
from allpass.papers.study import OfStudy, Plan, Words
from allpass.papers.tables import report
from allpass.papers.tables.picture import heat_map
from allpass.papers.tables.protocol import Tie
from allpass.papers.tables.result import KINDS, Accuracy, Compared, Kind
from allpass.papers.tables.spec import Cell, Spec
from allpass.papers.tables.trainings import Trainings
from allpass.papers.tables.tried import Tried
from allpass.papers.tables.verdicts import INCOMPARABLE, verdict
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

QUICK_SPLITS, QUICK_EPOCHS, QUICK_WIDTH = 2, 30, 16
SEARCH_SEED = 1
"""The seed of splits on which settings are searched that are reported on others, which have the seed 0."""


@dataclass(frozen=True)
class TableStudy:
    """The study of a table.

    Args:
        spec: What was published.
        more: Numbers that its words name, in addition to those of every table.
    """

    spec: Spec
    more: report.Facts = report.no_facts
    result = Accuracy

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def words(self) -> Words:
        return self.spec.words

    def axes(self) -> dict[str, Sequence[str]]:
        """Rows, columns, kinds of numbers, single cells."""
        return {
            "rows": self.spec.rows,
            "columns": [column.name for column in self.spec.columns],
            "kinds": self.spec.kinds,
            "cells": [f"{cell.name}/{cell.column.name}" for cell in self.spec.cells],
        }

    def tasks(self, plan: Plan, store: Store, known: Sequence[Accuracy] = ()) -> list[Task]:
        """A task is one model on one dataset with all settings that are tried there."""
        there = {(result.name, result.column, result.kind) for result in known}
        found: dict[str, Task] = {}
        for cell, kind in self.asked(plan):
            if (cell.name, cell.column.name, kind) not in there:
                for title, trainings in self._stages(cell, kind, plan, store):
                    share = 0.25 if len(trainings.settings) == 1 else 1.0  # a search fills a GPU
                    found[title] = Task(OfStudy(self.id), title, trainings.to_dict(), gpu=share)
        return list(found.values())

    def keys(self, task: Task) -> list[Key]:
        return Trainings.from_dict(task.about).keys()

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return Trainings.from_dict(task.about).runs(task.left, device)

    def results(self, plan: Plan, store: Store) -> list[Accuracy]:
        found = (self._result(cell, kind, plan, store) for cell, kind in self.asked(plan))
        return [result for result in found if result is not None]

    def facts(self, results: Sequence[Accuracy]) -> Mapping[str, object]:
        return {**report.facts(self.spec, results), **self.more(self.spec, results)}

    def matrix(self, results: Sequence[Accuracy]) -> DataFrame:
        return report.matrix(self.spec, results)

    def picture(self, results: Sequence[Accuracy]) -> Figure:
        return heat_map(self.spec, results)

    def asked(self, plan: Plan) -> list[tuple[Cell, Kind]]:
        """The numbers that a plan runs: those with published settings first, then those that are tuned.

        Args:
            plan: The plan. A quick one leaves other seeds and fresh splits out.
        """
        axes = self.axes()
        plan.check(self.id, [name for names in axes.values() for name in names])
        wanted = {name.lower() for name in plan.cells}
        named = {axis: {name for name in names if name.lower() in wanted} for axis, names in axes.items()}
        lines = named["rows"] or named["columns"] or not named["cells"]
        if plan.quick:
            for axis in ("rows", "columns"):
                named[axis] = named[axis] or set(self.spec.quick).intersection(axes[axis])

        def is_asked(cell: Cell, kind: Kind) -> bool:
            place = f"{cell.name}/{cell.column.name}"
            given = (("rows", cell.name), ("columns", cell.column.name))
            fits = lines and all(not named[axis] or name in named[axis] for axis, name in given)
            return (fits or place in named["cells"]) and (not named["kinds"] or kind in named["kinds"])

        found = [
            (cell, kind)
            for kind in KINDS
            for cell in self.spec.cells
            if is_asked(cell, kind)
            and self._runs(cell, kind)
            and not (plan.quick and kind in ("seeds", "fresh"))
        ]
        self._check_found(plan, found)
        return found

    def _check_found(self, plan: Plan, found: Sequence[tuple[Cell, Kind]]) -> None:
        """An error where a name of a plan gives no number."""
        given = {
            name.lower()
            for cell, kind in found
            for name in (cell.name, cell.column.name, kind, f"{cell.name}/{cell.column.name}")
        }
        idle = [name for name in plan.cells if name.lower() not in given]
        if idle:
            raise InputError(
                f"Nothing to run for {', '.join(map(repr, idle[:3]))} in {self.id!r}{' --quick' * plan.quick}: no such "
                "model in allpass, no published settings, or no cell where these rows and columns meet.",
                f"Choose from allpass reproduce {self.id} --list.",
            )

    def _runs(self, cell: Cell, kind: Kind) -> bool:
        """Whether a cell has a number of a kind that can be run."""
        if not cell.model or kind not in cell.protocols:
            return False
        return kind != "same" or self._published(cell) is not None

    def _published(self, cell: Cell) -> Mapping[str, Any] | None:
        """The settings of the same-settings number."""
        return cell.fixed if cell.settings is None and cell.defaults else cell.settings

    def _stages(self, cell: Cell, kind: Kind, plan: Plan, store: Store) -> Iterator[tuple[str, Trainings]]:
        """The trainings that a number needs, as far as they are known: a tuned one may need searches first.

        Numbers of one row share their searches, which have the same titles and are done once.
        """
        if kind == "tuned" and self.spec.tuning.in_stages:
            for other in self._choosing(cell, plan):
                yield f"{cell.name}, searched on {other.column.name}", self._search(other, plan)
        final = self._final(cell, kind, plan, store)
        if final is not None:
            yield f"{cell.name} on {cell.column.name}, {kind}", final

    def _final(self, cell: Cell, kind: Kind, plan: Plan, store: Store) -> Trainings | None:
        """The trainings whose best is reported; None until a search has chosen their settings."""
        tuning = self.spec.tuning
        if kind != "tuned":
            return self._trainings(cell, kind, plan, [self._published(cell) or {}])
        if not tuning.in_stages:
            return self._search(cell, plan)
        chosen = self._chosen(cell, plan, store)
        more = {"count": tuning.reported} if tuning.reported else {}
        return None if chosen is None else self._trainings(cell, kind, plan, [chosen], **more)

    def _candidates(self, cell: Cell, plan: Plan) -> Sequence[dict[str, Any]]:
        return self.spec.tuning.candidates(cell.model, cell.fixed, cell.space, quick=plan.quick)

    def _trainings(
        self, cell: Cell, kind: Kind, plan: Plan, settings: Sequence[Mapping[str, Any]], **splits: int
    ) -> Trainings:
        column = cell.column.tuned if kind == "tuned" else cell.column
        protocol = cell.protocols[kind]
        if splits:
            protocol = protocol.changed({"splits": splits})
        if plan.quick:
            protocol = protocol.shortened(QUICK_SPLITS, QUICK_EPOCHS)
            settings = [_narrowed(one) for one in settings]
        return Trainings(
            column.dataset,
            cell.model,
            protocol,
            tuple(settings),
            cell.strategy,
            column.score,
            tied=cell.tied if kind == "tuned" else Tie(),
            seeds=tuple(range(1, cell.seeds + 1)) if kind == "seeds" else (0,),
        )

    def _search(self, cell: Cell, plan: Plan) -> Trainings:
        """The trainings of a search; where other datasets choose, on splits none of which is reported."""
        tuning = self.spec.tuning
        splits = {"count": tuning.splits} if tuning.splits else {}
        if tuning.choose == "others":
            splits["seed"] = SEARCH_SEED
        return self._trainings(cell, "tuned", plan, self._candidates(cell, plan), **splits)

    def _choosing(self, cell: Cell, plan: Plan) -> list[Cell]:
        """The cells whose validation nodes choose: the cell itself, or the same row on columns of other datasets."""
        if self.spec.tuning.choose == "own":
            return [cell]
        columns = self.spec.quick if plan.quick else self.spec.tuning.columns
        return [
            other
            for other in self.spec.cells
            if other.name == cell.name
            and other.column.dataset != cell.column.dataset
            and (not columns or other.column.name in columns)
        ]

    def _chosen(self, cell: Cell, plan: Plan, store: Store) -> Mapping[str, Any] | None:
        """The setting with the best mean validation score; each dataset that chooses counts the same."""
        if self.spec.tuning.choose == "own":
            own = Tried.of(self._search(cell, plan), store)
            return None if own is None else own.chosen[0].settings
        by_dataset: dict[str, list[list[float]]] = {}
        for other in self._choosing(cell, plan):
            tried = Tried.of(self._search(other, plan), store)
            if tried is None:
                return None
            scores = [trial.val_score for trial in tried.trials]
            by_dataset.setdefault(other.column.dataset, []).append(scores)
        if not by_dataset:
            return None
        means = [np.mean(columns, axis=0) for columns in by_dataset.values()]
        return self._candidates(cell, plan)[int(np.argmax(np.mean(means, axis=0)))]

    def _result(self, cell: Cell, kind: Kind, plan: Plan, store: Store) -> Accuracy | None:
        final = self._final(cell, kind, plan, store)
        tried = None if final is None else Tried.of(final, store)
        if final is None or tried is None:
            return None
        chosen, runs = tried.chosen
        searched = kind == "tuned" and not self.spec.tuning.in_stages
        scores = 100 * np.asarray(chosen.test_scores)
        degrees = 1 if final.protocol.deviation == "sample" else 0
        return Accuracy(
            variant=cell.variant,
            row=cell.row,
            column=cell.column.name,
            kind=kind,
            dataset=final.dataset,
            model=cell.model,
            strategy=cell.strategy,
            splits=str(final.protocol.splits["name"]),
            score=final.score or "accuracy",
            settings=json.dumps(dict(chosen.settings), sort_keys=True),
            runs=len(scores),
            diverged=chosen.diverged,
            mean=rounded(float(scores.mean())),
            deviation=rounded(float(scores.std(ddof=degrees))) if len(scores) > degrees else None,
            validation=rounded(100 * chosen.val_score),
            scores=" ".join(f"{score:.2f}" for score in scores),
            epochs=round(float(np.mean([run.epochs for run in runs])), 1),
            tried=len(self._candidates(cell, plan)) if kind == "tuned" else 0,
            best_on_test=rounded(100 * tried.best_on_test) if searched else None,
            chosen_apart=rounded(100 * tried.chosen_apart) if searched else None,
            majority=None if final.score else rounded(100 * final.majority()),
            overlap=round(final.overlap(), 4),
            published=self._compared(cell, kind, scores.tolist(), plan, rerun=False),
            rerun=self._compared(cell, kind, scores.tolist(), plan, rerun=True),
            quick=plan.quick,
            **made(runs),
        )

    def _compared(
        self, cell: Cell, kind: Kind, ours: Sequence[float], plan: Plan, *, rerun: bool
    ) -> Compared:
        """Ours against what was printed next to the settings, or else in the table; or against the authors' code."""
        printed = cell.rerun if rerun else (kind != "tuned" and cell.beside) or cell.published
        if not printed:
            return Compared()
        found = Compared(printed[0], printed[1] if len(printed) > 1 else None)
        if kind == "seeds":  # their spread is no error of the mean
            return found
        compared = verdict(ours, printed, runs=cell.runs, spread=cell.spread)
        other_data = kind == "tuned" and cell.column.corrected is not None
        other_settings = kind != "tuned" and cell.settings is None
        moved = plan.quick or other_data or other_settings or (not rerun and cell.incomparable)
        return replace(
            found,
            difference=rounded(compared.difference),
            low=rounded(compared.low),
            high=rounded(compared.high),
            verdict=INCOMPARABLE if moved else compared.word,
        )


def _narrowed(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """With few hidden channels, where their number is set."""
    width = settings.get("hidden_channels")
    return settings if width is None else {**settings, "hidden_channels": min(QUICK_WIDTH, width)}
