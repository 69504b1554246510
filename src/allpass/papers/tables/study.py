"""Tables of accuracies as studies: published numbers, ours by the same protocol and settings, and ours honestly."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from allpass.errors import DownloadError
from allpass.papers.origin import origin
from allpass.papers.rounding import rounded
from allpass.papers.study import OfStudy, Plan, Row, Specified
from allpass.papers.tables.asked import KINDS, Kind, Wanted, axes, reasons
from allpass.papers.tables.cell import Cell
from allpass.papers.tables.protocol import Protocol, Tie
from allpass.papers.tables.spec import Spec
from allpass.papers.tables.trainings import Trainings
from allpass.papers.tables.verdicts import INCOMPARABLE, verdict
from allpass.train.executors.task import Task
from allpass.train.rules.scores import SCORES
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store
from allpass.train.trial import Trial, most_tempting, ranked, trial_of

QUICK_SPLITS, QUICK_EPOCHS, QUICK_WIDTH = 2, 30, 16
SEARCH_SEED = 1
"""The seed of splits on which settings are searched that are then reported on others; those have seed 0."""


class TableStudy(Specified[Spec]):
    """The study of a spec."""

    place: ClassVar[tuple[str, ...]] = ("row", "column", "kind")

    def cells(self) -> Sequence[str]:
        """All names of :meth:`axes`."""
        return [name for names in self.axes().values() for name in names]

    def axes(self) -> dict[str, Sequence[str]]:
        """Rows, columns, graphs of several columns, the kinds of numbers, single cells, and rows on a graph."""
        return axes(self.spec)

    def tasks(self, plan: Plan, store: Store) -> list[Task]:
        """A task is one model on one dataset with all settings that are tried there."""
        found: dict[str, Task] = {}
        for cell, kind in self.asked(plan):
            for title, trainings in self._stages(cell, kind, plan, store):
                found[title] = Task(OfStudy(self.id), title, trainings.to_dict(), gpu=_share(trainings))
        return list(found.values())

    def keys(self, task: Task) -> list[Key]:
        return Trainings.from_dict(task.about).keys()

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        return Trainings.from_dict(task.about).runs(task.left, device)

    def rows(self, plan: Plan, store: Store) -> list[Row]:
        found = (self._row(cell, kind, plan, store) for cell, kind in self.asked(plan))
        return [row for row in found if row is not None]

    def asked(self, plan: Plan) -> list[tuple[Cell, Kind]]:
        """What a plan asks for: every published setting first, then what is searched.

        A quick plan leaves out what proves no path of its own: the same settings with other seeds or on other splits.
        """
        wanted = Wanted(self.spec, plan)
        return [
            (cell, kind)
            for kind in KINDS
            for cell in self.spec.cells
            if cell.model
            and wanted(cell, kind)
            and self._has(cell, kind)
            and not (plan.quick and kind in ("again", "fresh"))
        ]

    def refusal(self, plan: Plan) -> str:
        """Why a plan asks for nothing: because it is quick, or what there is not; in the words of a sentence."""
        if plan.quick and self.asked(Plan(plan.cells)):
            return "a quick run leaves it out"
        return "; ".join(reasons(self.spec, plan))

    def _has(self, cell: Cell, kind: Kind) -> bool:
        """Whether there is such a number of a cell."""
        if kind == "fresh":
            return cell.has_fresh
        if kind == "again":
            return bool(cell.again)
        return cell.searched if kind == "honest" else self._published(cell) is not None

    def _published(self, cell: Cell) -> dict[str, object] | None:
        """The settings of the same-settings number, where there is one."""
        if cell.settings is not None:
            return dict(cell.settings)
        return dict(cell.fixed) if self.spec.defaults else None

    def _stages(self, cell: Cell, kind: Kind, plan: Plan, store: Store) -> Iterator[tuple[str, Trainings]]:
        """What a number needs, by title and as far as it is known: an honest one may need searches first.

        Numbers of one row share their searches, which have the same titles then and are done once.
        """
        if kind == "honest" and self.spec.honest.in_stages:
            for other in self._choosing(cell, plan):
                yield search_title(cell.row, other.column.name), self._search(other, plan)
        final = self._final(cell, kind, plan, store)
        if final is not None:
            yield number_title(cell.row, cell.column.name, kind), final

    def _final(self, cell: Cell, kind: Kind, plan: Plan, store: Store) -> Trainings | None:
        """The trainings whose best is reported; nothing while a search has not told which these are."""
        if kind != "honest":
            return self._trainings(cell, kind, plan, [self._published(cell) or {}])
        if not self.spec.honest.in_stages:
            return self._search(cell, plan)
        chosen = self._chosen(cell, plan, store)
        more = {"count": self.spec.honest.reported} if self.spec.honest.reported else {}
        return None if chosen is None else self._trainings(cell, kind, plan, [chosen], **more)

    def _candidates(self, cell: Cell, plan: Plan) -> Sequence[dict[str, object]]:
        return self.spec.honest.candidates(cell.model, cell.fixed, cell.space, quick=plan.quick)

    def _trainings(
        self, cell: Cell, kind: Kind, plan: Plan, settings: Sequence[Mapping[str, Any]], **changes: object
    ) -> Trainings:
        column = cell.column.honest if kind == "honest" else cell.column
        protocol = {
            "same": cell.protocol,
            "again": cell.protocol,
            "fresh": cell.fresh_protocol,
            "honest": cell.honest_protocol,
        }[kind]
        if changes:
            protocol = protocol.changed({"splits": changes})
        if plan.quick:
            protocol, settings = _shortened(protocol), [_narrowed(one) for one in settings]
        return Trainings(
            column.dataset,
            cell.model,
            protocol,
            tuple(settings),
            cell.strategy,
            column.score,
            tied=cell.tied if kind == "honest" else Tie(),
            seeds=tuple(range(1, cell.again + 1)) if kind == "again" else (0,),
        )

    def _search(self, cell: Cell, plan: Plan) -> Trainings:
        """What is tried; of what others choose on splits none of which is reported."""
        honest = self.spec.honest
        changes = {"count": honest.splits} if honest.splits else {}
        if honest.choose == "others":
            changes["seed"] = SEARCH_SEED
        return self._trainings(cell, "honest", plan, self._candidates(cell, plan), **changes)

    def _choosing(self, cell: Cell, plan: Plan) -> list[Cell]:
        """The cells whose validation nodes choose: itself, or the same row on columns of other datasets."""
        if self.spec.honest.choose == "own":
            return [cell]
        columns = self.spec.quick if plan.quick else self.spec.honest.columns
        return [
            other
            for other in self.spec.cells
            if other.row == cell.row
            and other.column.dataset != cell.column.dataset
            and (not columns or other.column.name in columns)
        ]

    def _chosen(self, cell: Cell, plan: Plan, store: Store) -> Mapping[str, Any] | None:
        """The setting with the best mean validation score; each dataset that chooses counts the same."""
        if self.spec.honest.choose == "own":
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

    def _row(self, cell: Cell, kind: Kind, plan: Plan, store: Store) -> Row | None:
        final = self._final(cell, kind, plan, store)
        tried = None if final is None else Tried.of(final, store)
        if final is None or tried is None:
            return None
        chosen, runs = tried.chosen
        searched = kind == "honest" and not self.spec.honest.in_stages
        return {
            **self._about(cell, kind, final, chosen),
            **_measured(chosen, runs, final.protocol),
            "tried": len(self._candidates(cell, plan)) if kind == "honest" else 0,
            "best_on_test": _percent(tried.best_on_test) if searched else None,
            "chosen_apart": _percent(tried.chosen_apart) if searched else None,
            "majority": None if final.score else _percent(final.majority()),
            "overlap": round(final.overlap(), 4),
            **self._compared(cell, kind, chosen, quick=plan.quick),
            "quick": plan.quick,
            **origin(runs),
        }

    def _about(self, cell: Cell, kind: Kind, trainings: Trainings, chosen: Trial) -> Row:
        return {
            "row": cell.row,
            "column": cell.column.name,
            "kind": kind,
            "dataset": trainings.dataset,
            "model": cell.model,
            "strategy": cell.strategy,
            "splits": str(trainings.protocol.splits["name"]),
            "score": trainings.score or "accuracy",
            "settings": json.dumps(dict(chosen.settings), sort_keys=True),
        }

    def _compared(self, cell: Cell, kind: Kind, chosen: Trial, *, quick: bool) -> Row:
        """Against what was printed beside the settings, or else in the table; and against the authors' code."""
        ours = [100 * score for score in chosen.test_scores]
        printed = cell.published if kind == "honest" else cell.beside or cell.published
        found: Row = {}
        for name, numbers in (("published", printed), ("rerun", cell.rerun)):
            compared = (
                verdict(ours, numbers, runs=cell.runs, spread=cell.spread, errors=cell.errors)
                if numbers and kind != "again"  # whose spread over seeds is no error of its mean
                else None
            )
            moved = "a quick run" if quick else cell.incomparable if name == "published" else ""
            if kind == "honest" and cell.column.corrected is not None:
                moved = moved or "other data: " + cell.column.honest.dataset
            if kind != "honest" and cell.settings is None:
                moved = moved or "our default settings"
            found |= {
                name: numbers[0] if numbers else None,
                f"{name}_deviation": numbers[1] if len(numbers) > 1 else None,
                f"{name}_difference": None if compared is None else rounded(compared.difference),
                f"{name}_low": None if compared is None else rounded(compared.low),
                f"{name}_high": None if compared is None else rounded(compared.high),
                f"{name}_verdict": "" if compared is None else INCOMPARABLE if moved else compared.word,
            }
        return found


@dataclass(frozen=True)
class Tried:
    """What came of trainings.

    Args:
        trials: What came of each setting.
        runs: The runs of each.
        score: By what they are judged.
    """

    trials: Sequence[Trial]
    runs: Sequence[Sequence[Run]]
    score: str

    @classmethod
    def of(cls, trainings: Trainings, store: Store) -> Tried | None:
        """From a store; nothing where runs are missing, or the data without which they cannot be told."""
        try:
            if next(trainings.each_key()) not in store:
                return None
        except DownloadError:
            return None
        keys, score = trainings.keys(), trainings.score or "accuracy"
        runs = store.find(keys)
        if len(runs) < len(keys):
            return None
        size, seeds = len(keys) // len(trainings.settings), len(trainings.seeds)
        parts = [runs[start : start + size] for start in range(0, len(runs), size)]
        if seeds > 1:
            parts = [_with_other_seeds(part, seeds) for part in parts]
        pairs, told = zip(trainings.settings, parts, strict=True), seeds if seeds > 1 else size
        return cls([trial_of(settings, part, told, score) for settings, part in pairs], parts, score)

    @property
    def chosen(self) -> tuple[Trial, Sequence[Run]]:
        """The best by validation nodes, and its runs."""
        best = ranked(self.trials, self.score)[0]
        return best, self.runs[self.trials.index(best)]

    @property
    def best_on_test(self) -> float:
        """What one would claim who chose by the test nodes."""
        return most_tempting(self.trials, self.score).test.mean

    @property
    def chosen_apart(self) -> float:
        """The mean where each split chooses by its own validation nodes, none of which are test nodes of another."""
        sign, splits = SCORES[self.score].sign, range(len(self.trials[0].test_scores))
        best = [
            min(self.trials, key=lambda trial: (-sign * trial.val_scores[split], trial.val_losses[split]))
            for split in splits
        ]
        return float(np.mean([trial.test_scores[split] for split, trial in zip(splits, best, strict=True)]))


def _with_other_seeds(runs: Sequence[Run], seeds: int) -> list[Run]:
    """The same runs, split by split and seed by seed within, as trials of all splits one after the other.

    All runs of a seed begin with the same weights, those of a source do not: so in a trial every split has another seed
    (as far as there are enough), and over all trials every run stands once.
    """
    splits = range(len(runs) // seeds)
    return [runs[split * seeds + (split + trial) % seeds] for trial in range(seeds) for split in splits]


def number_title(row: str, column: str, kind: str) -> str:
    """The title of the task that gives a number.

    Args:
        row: Its row.
        column: Its column.
        kind: One of ``KINDS``.
    """
    return f"{row} on {column}, {kind}"


def search_title(row: str, column: str) -> str:
    """The title of the task that searches settings of a row on a column."""
    return f"{row}, searched on {column}"


def _narrowed(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """With few hidden channels, where their number is set."""
    width = settings.get("hidden_channels")
    return settings if width is None else {**settings, "hidden_channels": min(QUICK_WIDTH, width)}


def _shortened(protocol: Protocol) -> Protocol:
    """Fewer splits and epochs."""
    epochs = min(QUICK_EPOCHS, int(protocol.stop.get("max_epochs", QUICK_EPOCHS)))
    count = min(QUICK_SPLITS, int(protocol.splits.get("count", QUICK_SPLITS)))
    return protocol.changed({"splits": {"count": count}, "stop": {"max_epochs": epochs}})


def _measured(chosen: Trial, runs: Sequence[Run], protocol: Protocol) -> Row:
    scores = 100 * np.asarray(chosen.test_scores)
    degrees = 1 if protocol.deviation == "sample" else 0
    return {
        "runs": len(scores),
        "diverged": chosen.diverged,
        "mean": rounded(float(scores.mean())),
        "deviation": rounded(float(scores.std(ddof=degrees))) if len(scores) > degrees else None,
        "validation": _percent(chosen.val_score),
        "scores": " ".join(f"{score:.2f}" for score in scores),
        "epochs": round(float(np.mean([run.epochs for run in runs])), 1),
    }


def _percent(value: float) -> float | None:
    return rounded(100 * value)


def _share(trainings: Trainings) -> float:
    """A few runs do not fill a GPU; a search does."""
    return 0.25 if len(trainings.settings) == 1 else 1.0
