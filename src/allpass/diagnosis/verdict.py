"""The verdict: does the signal lie in the features, in the structure, or in both? Trained models answer."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, Literal

import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass import display
from allpass.data.draft import many
from allpass.data.splits import Split, shares
from allpass.data.structural import with_constant_feature
from allpass.diagnosis.answers import Answer, Sentences
from allpass.diagnosis.candidates import (
    EPOCHS,
    PATIENCE,
    SQUARES,
    Candidate,
    Square,
    candidates_for,
)
from allpass.diagnosis.facts import Facts
from allpass.diagnosis.race import Race, Stopped, race
from allpass.diagnosis.refuted import refuted_by
from allpass.errors import InputError
from allpass.models.catalog import resolve
from allpass.models.correct_and_smooth import BASE
from allpass.train.compare import Comparison, Contender, contender
from allpass.train.fit import Replica
from allpass.train.given import divide
from allpass.train.job import device_of
from allpass.train.rare import default_score, shares_of
from allpass.train.rules.tasks import Task
from allpass.train.rules.tasks import task as find_task
from allpass.train.shown import comparison_table
from allpass.train.split_checks import check_splits
from allpass.train.statistics import estimate, overlap_of
from allpass.train.trained import Trained

SPLITS = 10
BUDGET = 60.0
"""Seconds of training."""

LEAST = 50
"""Labelled nodes below which test sets of a fifth say nothing."""

COPIES = 0.25
"""The share of nodes with the neighbours and the label of another from which the verdict names them."""

Structure = Literal["helps", "hurts", "open"]


@dataclass(frozen=True)
class Verdict:
    """A trained comparison and what follows from it.

    Args:
        summary: Where the signal lies, in one sentence; a second one says what makes the scores doubtful.
        structure: Whether the structure helps, in one word: ``"helps"``, ``"hurts"`` or ``"open"``.
        answers: Does the structure help, do the features, does smoothing hurt.
        model: The model to use: the best on the validation nodes.
        squares: The best model of each square by validation, by ``"features"``, ``"structure"``, ``"both"``.
        baseline: What the majority class or the mean scores.
        comparison: The models that ran on all splits.
        stopped: Those that did not, and why.
        precision: Where two classes are of very unequal size the mean average precision on test nodes, by model and of
            the baseline: how good the top of a ranked list is.
        cut: Models whose training was cut short by the budget, at their best epoch so far.
        sampled: What part of the training nodes a model learnt from, by model, where that was not all.
        notes: What is odd about the splits, such as a class that only trains.
        predicts: Models that are certainly better than the baseline.
        refuted: Codes of the measured findings that these scores contradict.
        budget: Seconds of training that were allowed; nothing where there was no limit.
        seconds: Seconds that it took.
    """

    summary: str
    structure: Structure
    answers: tuple[Answer, ...]
    model: str
    squares: Mapping[Square, str]
    baseline: Contender
    comparison: Comparison
    stopped: tuple[Stopped, ...] = ()
    cut: tuple[str, ...] = ()
    precision: Mapping[str, float] = field(default_factory=dict)
    sampled: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    predicts: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    budget: float | None = None
    seconds: float = 0.0

    def __repr__(self) -> str:
        best = display.listed(f"{SQUARES[reads]}: {model}" for reads, model in self.squares.items())
        return display.brief(f"Verdict: use {self.model}", f"best of {best}", self.summary)

    def _repr_html_(self) -> str:
        return comparison_table(self.comparison)

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings that the chosen model had."""
        return self.comparison[self.model].settings

    @property
    def advised(self) -> Mapping[str, object]:
        """Settings to train the chosen model with: its defaults, but for the base model that the comparison chose."""
        return {name: value for name, value in self.settings.items() if name == BASE}

    @property
    def protocol(self) -> str:
        """How the models were trained and compared, in words."""
        count = len(self.comparison.splits)
        rule = self.comparison.splits[0].partition("/")[0]
        drawn = f"{count} {rule} split{'s' * (count != 1)} ({self.comparison.shares})"
        limit = "without a limit of time" if self.budget is None else f"in a budget of {self.budget:g} s"
        text = (
            f"{many(len(self.comparison.contenders), 'model')} ran on the same {drawn}, {limit}. Networks were trained "
            f"for at most {EPOCHS} epochs and stopped after {PATIENCE} without a lower validation loss; settings were "
            "not tuned."
        )
        if self.cut:
            text += f" Cut short by the budget: {', '.join(self.cut)}."
        for part in dict.fromkeys(self.sampled.values()):
            models = [model for model, own in self.sampled.items() if own == part]
            text += f" Learnt from {part}: {', '.join(models)}."
        if count > 1:
            text += (
                " Differences are paired by split; their 95% intervals allow for the nodes that splits share."
            )
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON types."""
        compared = self.comparison.to_dict()
        return {
            "summary": self.summary,
            "structure": self.structure,
            "answers": [
                {**vars(answer), "difference": answer.difference.to_dict()} for answer in self.answers
            ],
            "model": self.model,
            "settings": next(one["settings"] for one in compared["models"] if one["model"] == self.model),
            "squares": dict(self.squares),
            "baseline": {"name": self.baseline.model, "mean": self.baseline.estimate.to_dict()},
            "candidates": [one.model for one in self.comparison.contenders],
            "stopped": [vars(one) for one in self.stopped],
            "cut": list(self.cut),
            "precision": dict(self.precision),
            "sampled": dict(self.sampled),
            "notes": list(self.notes),
            "predicts": list(self.predicts),
            "refuted": list(self.refuted),
            "budget": self.budget,
            "seconds": self.seconds,
            "comparison": compared,
        }


def why_not(data: Data, facts: Facts) -> str:
    """Why no comparison can be trained, in one sentence; empty where one can."""
    if not facts.edges:
        return "No verdict: without edges there is no structure to judge."
    if data.y is None:
        return "No verdict: there are no labels to learn."
    labelled, classes = _labelled(data.y), 1
    if not data.y.is_floating_point():
        classes = facts.classes
        if classes < 2:
            return "No verdict: it takes at least two classes."
    least = max(LEAST, 5 * classes)
    if labelled < least:
        return (
            f"No verdict: {labelled:,} labelled nodes are too few to train and test on; it takes {least:,}."
        )
    return ""


def judge(
    data: Data,
    *,
    splits: str = "stratified",
    count: int = SPLITS,
    score: str | None = None,
    budget: float | None = BUDGET,
    candidates: Sequence[str] | None = None,
    device: torch.device | str = "auto",
    workers: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> Verdict:
    """Compare models of the features, of the structure and of both on the same splits.

    Args:
        data: A graph that :func:`why_not` says nothing against.
        splits: How nodes are divided, a name of :func:`allpass.data.splits`.
        count: How many splits at most.
        score: What is compared; by default accuracy, ROC AUC where one of two classes has over 80% of the nodes, and
            R² of numbers.
        budget: Seconds of training; None for no limit.
        candidates: Run exactly these models, on all splits and without a limit, in place of the default ones.
        device: Where networks are trained.
        workers: How many processes train, see :func:`~allpass.diagnosis.race.race`.
        progress: Called with a few words before each step.
    """
    data = _without_gaps(data)
    numbers = data.y.is_floating_point()
    chosen = find_task("regression" if numbers else "classification", score=score or default_score(data.y))
    folds = divide(data, splits, count=count)
    notes = check_splits(data, folds, chosen.score)
    runners = candidates_for(data, candidates)
    data = with_constant_feature(data)
    limit = budget if candidates is None else None
    device = device_of(device)
    rare = chosen.score == "roc_auc"
    found = race(
        runners,
        data,
        folds,
        chosen,
        budget=limit,
        device=device,
        weights=rare,
        workers=workers,
        progress=progress,
    )
    if not found.finished:
        raise InputError(
            f"No model could be trained in a budget of {budget:g} s.",
            "Pass a larger budget, or None for no limit.",
        )
    folds = folds[: found.splits]
    baseline = _baseline(data, folds, chosen)
    return conclude(
        _compared(found, data, folds, chosen),
        baseline,
        precision={baseline.model: _share_of_rarer(data, folds), **_precision(found, data)} if rare else {},
        stopped=found.stopped,
        cut=tuple(one.candidate.model for one in found.finished if one.cut),
        sampled={one.candidate.model: one.sampled for one in found.finished if one.sampled},
        notes=tuple(notes),
        doubts=doubts(data),
        budget=limit,
        seconds=found.seconds,
        test_nodes=int(folds[0].test.sum()),
    )


def conclude(
    comparison: Comparison,
    baseline: Contender,
    *,
    stopped: tuple[Stopped, ...] = (),
    cut: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    doubts: Sequence[str] = (),
    precision: Mapping[str, float] | None = None,
    sampled: Mapping[str, str] | None = None,
    budget: float | None = None,
    seconds: float = 0.0,
    test_nodes: int = 0,
) -> Verdict:
    """The sentences that the scores of a comparison support.

    Args:
        comparison: Models on the same splits.
        baseline: The majority class, or the mean, on these splits.
        stopped: Models that did not run on all of them.
        cut: Models whose training was cut short.
        precision: Mean average precision by model, where two classes are of very unequal size.
        sampled: What part of the training nodes a model learnt from, by model, where that was not all.
        notes: What is odd about the splits.
        doubts: What makes all scores doubtful, a sentence each.
        budget: Seconds of training that were allowed.
        seconds: Seconds that it took.
        test_nodes: Test nodes of a split: with one or two splits they decide how sure a difference is.
    """
    squares: dict[Square, str] = {}
    for square in SQUARES:
        members = tuple(one for one in comparison.contenders if Candidate(one.model).square == square)
        if members:
            squares[square] = replace(comparison, contenders=members).best
    words = Sentences(comparison, squares, baseline, test_nodes)
    answers = tuple(answer for answer in (words.structure(), words.features(), words.smoothing()) if answer)
    structure: Structure = "open"
    if answers and answers[0].code.startswith("structure"):
        kind = answers[0].kind
        structure = "helps" if kind == "good" else "hurts" if kind == "bad" else "open"
    return Verdict(
        summary=" ".join([words.summary(answers), *doubts]),
        structure=structure,
        answers=answers,
        model=comparison.best,
        squares=squares,
        baseline=baseline,
        comparison=comparison,
        stopped=stopped,
        cut=cut,
        precision=precision or {},
        sampled=sampled or {},
        notes=notes,
        predicts=tuple(one.model for one in comparison.contenders if words.beats_baseline(one.model)),
        refuted=refuted_by(words, answers),
        budget=budget,
        seconds=seconds,
    )


def doubts(data: Data) -> tuple[str, ...]:
    """What makes all scores on a graph doubtful, from the account of its data: copies of nodes, and leaks."""
    counts = {note.code: note.count for note in data.get("account") or ()}
    found = []
    share = counts.get("duplicate-nodes", 0) / max(data.num_nodes or 0, 1)
    if share >= COPIES:
        found.append(
            f"But {share:.0%} of the nodes share label and all neighbours with another node, so scores of models "
            "that read the structure may be too high."
        )
    if leaks := counts.get("label-leaks", 0):
        found.append(
            f"But {many(leaks, 'feature decides', 'features decide')} the label almost alone, so scores of models that "
            "read the features may be too high."
        )
    return tuple(found)


def limits(model: str) -> str:
    """What a model cannot do, in a few words; empty where there is nothing to say."""
    entry = resolve(model)[0]
    if "fixed-nodes" in entry.traits:
        return "cannot predict new nodes"
    if not entry.reads_labels(entry.settings):
        return ""
    if "label_input" in entry.settings:
        return "reads the labels of this graph; label_input=False for other graphs"
    return "reads the labels of this graph, so it cannot predict another"


def _compared(found: Race, data: Data, folds: Sequence[Split], task: Task) -> Comparison:
    overlap = overlap_of(folds)
    contenders = tuple(
        contender(one.candidate.model, one.job.wanted[0].settings, one.outcomes, 1, overlap)
        for one in found.finished
    )
    names = tuple(fold.name for fold in folds)
    return Comparison(data.get("name") or "unnamed", task.score, names, overlap, contenders, shares(folds))


def _precision(found: Race, data: Data) -> dict[str, float]:
    """The mean average precision of every model that finished."""
    return {
        one.candidate.model: fmean(
            Trained.of(Replica.of(one.job, number, outcome), data).measure(
                data, one.job.wanted[number].split.test, "average_precision"
            )
            for number, outcome in enumerate(one.outcomes)
        )
        for one in found.finished
    }


def _share_of_rarer(data: Data, folds: Sequence[Split]) -> float:
    """The average precision of guessing: the share of the rarer class among the test nodes."""
    return fmean(float(shares_of(data.y[fold.test]).min()) for fold in folds)


def _baseline(data: Data, folds: Sequence[Split], task: Task) -> Contender:
    """The majority class of the training nodes, or their mean, on the same test nodes."""
    scores = []
    for fold in folds:
        if data.y.is_floating_point():
            numbers = data.y.reshape(len(data.y), -1)
            outputs = numbers[fold.train].mean(0).expand(len(numbers), -1)
        else:
            counts = torch.bincount(data.y[fold.train], minlength=task.out_channels(data.y)).float()
            outputs = (counts / counts.sum()).expand(len(data.y), -1)
        scores.append(float(task.scorer(outputs.unsqueeze(0), data.y, fold.test.unsqueeze(0))))
    name = "mean" if data.y.is_floating_point() else "majority class"
    found = estimate(scores, overlap=overlap_of(folds))
    return Contender(name, {}, tuple(scores), tuple(scores), found, 0.0, 0.0, 0)


def _labelled(y: Tensor) -> int:
    return int((~y.reshape(len(y), -1).isnan().any(1) if y.is_floating_point() else y >= 0).sum())


def _without_gaps(data: Data) -> Data:
    """The same graph with its classes numbered 0, 1, 2, ... where some numbers do not occur."""
    if data.y.is_floating_point():
        return data
    dense = copy.copy(data)
    occurring = torch.unique(data.y[data.y >= 0])
    dense.y = torch.where(data.y < 0, -1, torch.searchsorted(occurring, data.y.clamp_min(0)))
    return dense
