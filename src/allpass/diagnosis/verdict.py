"""The verdict: small networks, trained on the same splits, say whether structure helps and smoothing hurts."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.diagnosis.facts import Facts
from allpass.train.compare import Comparison, compare
from allpass.train.folds import divide
from allpass.train.rules.stopping import stopping
from allpass.train.statistics import Difference

FEATURES, AVERAGING, MIXING, DEEP = MODELS = ("mlp-2", "gcn", "acm-gcn", "gcn-8")
"""Features alone, a low-pass filter, one that keeps differences, and the low-pass filter eight times."""

SPLITS, EPOCHS, PATIENCE = 5, 200, 30
SETTINGS: Mapping[str, Mapping[str, object]] = {
    FEATURES: {"lr": 0.05},
    AVERAGING: {"lr": 0.05},
    MIXING: {"lr": 0.05},
    DEEP: {"lr": 0.01, "dropout": 0.2},
}
"""200 epochs are few, so the rate is high; eight layers learn nothing at that rate, or under the usual dropout."""

PROTOCOL = (
    f"{', '.join(MODELS[:-1])} and {DEEP} were trained on the same {SPLITS} random splits (60/20/20), for at most "
    f"{EPOCHS} epochs, ended after {PATIENCE} without a lower validation loss; the epoch of the lowest one counts. "
    "Differences are paired by split, and their intervals allow for the nodes that splits of one graph share "
    "(Nadeau and Bengio, 2003)."
)
"""How the networks were trained and compared, in words."""

LEAST = 50
"""Labelled nodes below which five test sets of a fifth say nothing."""

LARGEST = 2_000_000
"""Nonzero features, edges and hidden values in all; more would take a CPU more than a few minutes."""

_HIDDEN = 64

Kind = Literal["good", "bad", "note"]


@dataclass(frozen=True)
class Answer:
    """What one question was answered.

    Args:
        code: Short stable name, for programs.
        kind: Whether it speaks for averaging over the structure, against it, or neither.
        title: The answer.
        text: The numbers behind it, in a sentence.
        model: The model whose lead answers the question.
        other: The one it is compared with.
        difference: By how much the first is ahead.
    """

    code: str
    kind: Kind
    title: str
    text: str
    model: str
    other: str
    difference: Difference


@dataclass(frozen=True)
class Verdict:
    """A trained comparison and what follows from it.

    Args:
        summary: Does the structure help, in one sentence.
        structure: The same in one word: ``"helps"``, ``"hurts"`` or ``"open"``.
        answers: Does structure help, does smoothing hurt, does depth hurt.
        model: The model to use, chosen on the validation nodes.
        settings: Its settings, of model and training.
        comparison: All models with their scores.
    """

    summary: str
    structure: Literal["helps", "hurts", "open"]
    answers: tuple[Answer, ...]
    model: str
    settings: Mapping[str, object]
    comparison: Comparison

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
    if not facts.features:
        return "No verdict: without features there is no network of features alone to beat."
    if labelled < max(LEAST, 5 * classes):
        return (
            f"No verdict: {labelled:,} labelled nodes are too few to train and test on; {max(LEAST, 5 * classes):,} "
            "are the fewest."
        )
    work = facts.feature_density * facts.nodes * facts.features + facts.stored_entries + _HIDDEN * facts.nodes
    if work > LARGEST:
        return (
            "No verdict: the graph is too large to train four networks in minutes on a CPU; "
            "`allpass compare` does it, on a GPU too."
        )
    return ""


def judge(data: Data, *, progress: Callable[[str], None] | None = None) -> Verdict:
    """Train a perceptron, a GCN, an ACM-GCN and a deep GCN on five random splits and compare them.

    Classes are judged by accuracy, numbers by R². The same data gives the same verdict.

    Args:
        data: A graph that :func:`why_not` says nothing against.
        progress: Called with a few words before each model.
    """
    data = _without_gaps(data)
    comparison = compare(
        MODELS,
        data,
        divide(data, count=SPLITS),
        SETTINGS,
        stop=stopping("patience-loss", max_epochs=EPOCHS, patience=PATIENCE),
        scaling="auto",
        progress=None if progress is None else lambda model: progress(f"training {model}"),
    )
    return conclude(comparison)


def conclude(comparison: Comparison) -> Verdict:
    """What follows from the comparison of the four models."""
    structured = Comparison(
        **{**vars(comparison), "contenders": tuple(comparison[model] for model in MODELS[1:])}
    ).best
    answers = (
        _structure(comparison, structured),
        _smoothing(comparison),
        _depth(comparison),
    )
    structure: Literal["helps", "hurts", "open"] = (
        "helps" if answers[0].kind == "good" else "hurts" if answers[0].kind == "bad" else "open"
    )
    return Verdict(
        summary=answers[0].title,
        structure=structure,
        answers=answers,
        model=comparison.best,
        settings=comparison[comparison.best].settings,
        comparison=comparison,
    )


def _structure(comparison: Comparison, structured: str) -> Answer:
    found = comparison.difference(structured, FEATURES)
    gap = _points(comparison, abs(found.mean))
    titles = {
        "ahead": f"The structure helps: {structured} gains {gap} over the features alone.",
        "behind": f"The structure hurts: the best network that uses it, {structured}, loses {gap} "
        "to the features alone.",
        "even": f"It stays open whether the structure helps: {structured} and the features alone are {gap} apart.",
    }
    kinds: dict[str, Kind] = {"ahead": "good", "behind": "bad", "even": "note"}
    return _answer("structure", comparison, structured, FEATURES, found, titles, kinds)


def _smoothing(comparison: Comparison) -> Answer:
    found = comparison.difference(MIXING, AVERAGING)
    gap = _points(comparison, abs(found.mean))
    titles = {
        "ahead": f"Smoothing hurts: {MIXING}, which keeps differences, gains {gap} over {AVERAGING}.",
        "behind": f"Smoothing is right: {MIXING}, which keeps differences, loses {gap} to {AVERAGING}.",
        "even": f"Smoothing does no clear harm: {MIXING} and {AVERAGING} are {gap} apart.",
    }
    kinds: dict[str, Kind] = {"ahead": "bad", "behind": "good", "even": "note"}
    return _answer("smoothing", comparison, MIXING, AVERAGING, found, titles, kinds)


def _depth(comparison: Comparison) -> Answer:
    found = comparison.difference(DEEP, AVERAGING)
    gap = _points(comparison, abs(found.mean))
    titles = {
        "ahead": f"Depth helps: eight layers of averaging gain {gap} over two.",
        "behind": f"Depth hurts: eight layers of averaging lose {gap} to two.",
        "even": f"It stays open whether depth hurts: eight layers of averaging and two are {gap} apart.",
    }
    kinds: dict[str, Kind] = {"ahead": "good", "behind": "bad", "even": "note"}
    return _answer("depth", comparison, DEEP, AVERAGING, found, titles, kinds)


def _answer(
    question: str,
    comparison: Comparison,
    model: str,
    other: str,
    found: Difference,
    titles: Mapping[str, str],
    kinds: Mapping[str, Kind],
) -> Answer:
    """An answer is sure where the interval leaves 0 out."""
    which = "ahead" if found.low > 0 else "behind" if found.high < 0 else "even"
    ours, theirs = (_score(comparison, comparison[name].estimate.mean) for name in (model, other))
    low, high = (_points(comparison, end, unit=False) for end in (found.low, found.high))
    text = (
        f"Trained on the same {found.count} splits, {model} reaches {ours} and {other} {theirs}; the 95% interval of "
        f"the difference is {low} to {high}{f' (p = {found.p_value:.2g})' if found.telling else ''}."
    )
    return Answer(f"{question}-{which}", kinds[which], titles[which], text, model, other, found)


def _points(comparison: Comparison, difference: float, *, unit: bool = True) -> str:
    if comparison.in_percent:
        return f"{100 * difference:.1f}" + " points" * unit
    return f"{difference:.2f}" + " of R²" * unit


def _score(comparison: Comparison, mean: float) -> str:
    return f"{mean:.1%}" if comparison.in_percent else f"R² {mean:.2f}"


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
