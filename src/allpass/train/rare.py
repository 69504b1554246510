"""Rare classes: the score that measures them, and the probability from which one is predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from allpass.errors import InputError

RARE = 0.2
"""The share of the labels below which the rarer of two classes is rare, and accuracy rewards ignoring it."""


@dataclass(frozen=True)
class Threshold:
    """When the rarer of two classes is predicted.

    Args:
        positive: The number of the rarer class.
        value: It is predicted where its probability is at least this; without a value where it is above one half.
    """

    positive: int
    value: float | None = None

    def __post_init__(self) -> None:
        if self.positive not in (0, 1):
            raise InputError(f"Got the class {self.positive!r} for a threshold.", "Expected 0 or 1.")
        if self.value is not None and not 0 <= self.value <= 1:
            raise InputError(
                f"Got threshold={self.value!r}.", "Pass a probability from 0 to 1, such as threshold=0.3."
            )

    def classes(self, probabilities: Tensor) -> Tensor:
        """The predicted class of every node, from probabilities ``[N, 2]``."""
        if self.value is None:
            return probabilities.argmax(dim=1)
        chosen = probabilities[:, self.positive] >= self.value
        return torch.where(chosen, self.positive, 1 - self.positive)

    def to_dict(self) -> dict[str, Any]:
        """As JSON types."""
        return {"positive": self.positive, "value": self.value}


def shares_of(y: Tensor) -> Tensor:
    """The share of every class among the labels ``[N]``, negative where missing."""
    counts = torch.bincount(y[y >= 0].long()).double()
    return counts / counts.sum()


def default_score(y: Tensor) -> str:
    """The score that tells models apart, a name of ``SCORES``.

    Numbers are measured by R². Classes are measured by accuracy, unless more than 80% of the labels are of one class:
    always predicting that class would have a high accuracy. Two such classes are measured by ROC AUC, where that has
    0.5; more by balanced accuracy, where it has 1 / C.

    Args:
        y: Labels.

    Example:
        >>> default_score(torch.tensor([0] * 96 + [1] * 4)), default_score(torch.tensor([0] * 60 + [1] * 40))
        ('roc_auc', 'accuracy')
    """
    if y.is_floating_point():
        return "r2"
    shares = shares_of(y)
    if len(shares) < 2 or float(shares.max()) <= 1 - RARE:
        return "accuracy"
    return "roc_auc" if len(shares) == 2 else "balanced_accuracy"


def rarer_class(y: Tensor) -> tuple[int, bool]:
    """The rarer of two classes, class 1 among equals, and whether it is rare.

    Args:
        y: Labels 0 and 1, negative where missing.
    """
    zeros, ones = (int((y == c).sum()) for c in (0, 1))
    return int(ones <= zeros), min(zeros, ones) < RARE * (zeros + ones)


def best_threshold(chances: Tensor, truth: Tensor) -> float | None:
    """The threshold of the highest F1; nothing where there is no positive node.

    Between two neighbouring probabilities every threshold predicts the same; it is put in the middle. Among thresholds
    of the same F1 the highest is taken, which predicts the rarer class least often.

    Args:
        chances: The probability of the positive class on validation nodes, ``[n]``.
        truth: Whether they are of it, bool ``[n]``.

    Example:
        >>> best_threshold(torch.tensor([0.05, 0.125, 0.125, 0.25, 0.5]), torch.tensor([0, 0, 0, 0, 1]).bool())
        0.375
    """
    if not bool(truth.any()):
        return None
    chances, order = chances.double().sort(descending=True)
    hits = truth[order].cumsum(0)
    predicted = torch.arange(1, len(chances) + 1)
    ends = torch.cat(
        [chances[1:] < chances[:-1], torch.ones(1, dtype=torch.bool)]
    )  # equals are predicted together
    f1 = torch.where(ends, 2 * hits.double() / (predicted + hits[-1]), -1)
    best = int(f1.argmax())
    least = float(chances[best])
    below = float(chances[best + 1]) if best + 1 < len(chances) else least
    middle = (least + below) / 2
    return middle if middle > below else least  # rounding may leave no number between the two
