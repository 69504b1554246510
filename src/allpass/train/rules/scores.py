"""Scores of all replicas at once, NaN where undefined: accuracy, ROC-AUC, macro F1, R², MAE and MSE.

Every score takes ``outputs`` ``[R, N, C]``, ``target`` (classes ``[N]`` or ``[R, N]``; numbers ``[N]``, ``[R, N]``,
``[N, C]`` or ``[R, N, C]``) and ``mask``, bool ``[R, N]``, and gives ``[R]`` in float64. A mask ``[S, R, N]`` asks for
S sets of nodes in one pass over the outputs and gives ``[S, R]``. A node without a label (negative, or NaN) never
counts, and a NaN among the outputs that count gives NaN. Nothing here reads a number back to the host or has a shape
that depends on values, so that a CUDA graph can hold it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.registry import Registry

Measure = Callable[[Tensor, Tensor, Tensor], Tensor]
_INFINITY = float("inf")


@dataclass(frozen=True)
class Score:
    """A registered score.

    Args:
        name: Its key in tables and JSON.
        summary: What the number says, in one sentence.
        measure: ``measure(outputs, target, mask)``.
        tasks: The tasks that it is for.
        higher_is_better: Its direction.
        low: Least possible value.
        high: Greatest possible value.
        citation: Where it was defined or is reviewed.
        aliases: Other names.
    """

    name: str
    summary: str
    measure: Measure
    tasks: frozenset[str]
    higher_is_better: bool
    low: float
    high: float
    citation: str
    aliases: tuple[str, ...] = ()

    def __call__(self, outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
        return self.measure(outputs, target, mask)

    @property
    def in_percent(self) -> bool:
        """Whether it is a share, which people write in percent."""
        return (self.low, self.high) == (0, 1)

    def written(self, value: float) -> str:
        """A value for people.

        Args:
            value: What was measured; NaN where it is undefined.

        Example:
            >>> SCORES["accuracy"].written(0.7444), SCORES["mae"].written(0.7444)
            ('74.4%', '0.7444')
        """
        if math.isnan(value):
            return "undefined"
        return f"{value:.1%}" if self.in_percent else f"{value:.4g}"

    @property
    def sign(self) -> int:
        """1 where more is better, -1 where less is."""
        return 1 if self.higher_is_better else -1

    def gain(self, values: Tensor) -> Tensor:
        """The values, turned where less is better, so that more is always better."""
        return values if self.higher_is_better else -values


def accuracy(outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Share of the nodes whose class is right."""
    predicted, spoilt = _decide(outputs)
    mask = mask & (target >= 0)
    right = (mask & (predicted == target)).sum(-1)
    return _or_nan(right.double() / mask.sum(-1), mask & spoilt)


def roc_auc(outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Chance that a node of class 1 is ranked above one of class 0, a tie being one half.

    Ranked by the one logit, or by that of class 1 minus that of class 0.
    """
    C = outputs.shape[-1]
    if C > 2:
        raise InputError(
            f"The ROC-AUC is of two classes; got outputs of {C}.", "Take the score 'accuracy' or 'macro_f1'."
        )
    margin = outputs[..., 0] if C == 1 else outputs[..., 1] - outputs[..., 0]
    ranked, order = margin.sort(dim=-1)
    first, last = _ties(ranked)
    positive, negative = mask & (target == 1), mask & (target == 0)
    shape = positive.shape
    order, first, last = order.expand(shape), first.expand(shape), last.expand(shape)
    above, below = positive.gather(-1, order), negative.gather(-1, order).long()
    counted = below.cumsum(-1)
    lower, not_higher = (counted - below).gather(-1, first), counted.gather(-1, last)
    twice_won = torch.where(above, lower + not_higher, 0).sum(-1)  # in integers: exact for any N
    pairs = positive.sum(-1) * negative.sum(-1)
    return _or_nan(twice_won.double() / (2 * pairs), (positive | negative) & margin.isnan())


def macro_f1(outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Mean F1 of the classes that occur among the labels or the predictions."""
    predicted, spoilt = _decide(outputs)
    mask = mask & (target >= 0)
    classes = torch.arange(max(outputs.shape[-1], 2), device=outputs.device)
    member, chosen = target.unsqueeze(-1) == classes, predicted.unsqueeze(-1) == classes  # [R, N, C]
    counts = mask.unsqueeze(-1)
    right = (counts & member & chosen).sum(-2)
    total = (counts & member).sum(-2) + (counts & chosen).sum(-2)
    f1 = 2 * right.double() / total.clamp(min=1)
    return _or_nan(f1.sum(-1) / (total > 0).sum(-1), mask & spoilt)


def r2(outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Share of the target's variance that is explained, averaged over targets.

    A target that is constant on the mask has no variance: NaN.
    """
    target = as_columns(target, outputs).double()
    counts = (mask & known(target)).unsqueeze(-1)
    mean = _mean(target, counts).unsqueeze(-2)
    explained = 1 - _mean((outputs - target).square(), counts) / _mean((target - mean).square(), counts)
    highest = torch.where(counts, target, -_INFINITY).amax(-2)
    lowest = torch.where(counts, target, _INFINITY).amin(-2)
    return torch.where(highest > lowest, explained, torch.nan).mean(-1)  # rounding leaves a variance above 0


def mae(outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Mean absolute error."""
    target = as_columns(target, outputs).double()
    return _mean((outputs - target).abs(), (mask & known(target)).unsqueeze(-1)).mean(-1)


def mse(outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Mean squared error."""
    target = as_columns(target, outputs).double()
    return _mean((outputs - target).square(), (mask & known(target)).unsqueeze(-1)).mean(-1)


def as_columns(target: Tensor, outputs: Tensor) -> Tensor:
    """Numbers to learn with an axis of targets at the end, as the outputs ``[..., N, C]`` have it."""
    by_column = target.dim() > 1 and target.shape == outputs.shape[-target.dim() :]
    return target if by_column else target.unsqueeze(-1)


def known(target: Tensor) -> Tensor:
    """The nodes whose numbers ``[..., N, C]`` are all there, bool ``[..., N]``."""
    return ~target.isnan().any(-1)


def _decide(outputs: Tensor) -> tuple[Tensor, Tensor]:
    """The predicted class and whether it rests on a NaN, both ``[R, N]``; one logit decides by its sign."""
    if outputs.shape[-1] == 1:
        logit = outputs[..., 0]
        return (logit > 0).long(), logit.isnan()
    top, predicted = outputs.max(-1)  # a NaN wins every maximum
    return predicted, top.isnan()


def _ties(ranked: Tensor) -> tuple[Tensor, Tensor]:
    """First and last position of each run of equal values, for every position of the sorted ``[R, N]``."""
    positions = torch.arange(ranked.shape[-1], device=ranked.device)
    changes = ranked[..., 1:] != ranked[..., :-1]
    edge = torch.ones_like(ranked[..., :1], dtype=torch.bool)
    starts, ends = torch.cat([edge, changes], -1), torch.cat([changes, edge], -1)
    first = torch.where(starts, positions, 0).cummax(-1).values
    last = torch.where(ends, positions, ranked.shape[-1] - 1).flip(-1).cummin(-1).values.flip(-1)
    return first, last


def _mean(values: Tensor, counts: Tensor) -> Tensor:
    """Mean over the nodes that count, ``[..., N, C]`` to ``[..., C]``; NaN of none."""
    return torch.where(counts, values, 0).sum(-2) / counts.sum(-2)


def _or_nan(values: Tensor, spoilt: Tensor) -> Tensor:
    return torch.where(spoilt.any(-1), torch.nan, values)


SCORES = Registry[Score]("score")
_CLASSES, _NUMBERS = frozenset({"classification", "binary"}), frozenset({"regression"})
_CLASS_REVIEW, _NUMBER_REVIEW = "doi:10.1016/j.ipm.2009.03.002", "doi:10.7717/peerj-cs.623"
SCORES.add(
    Score(
        "accuracy",
        "Share of the nodes whose class is right.",
        accuracy,
        _CLASSES,
        higher_is_better=True,
        low=0.0,
        high=1.0,
        citation=_CLASS_REVIEW,
        aliases=("acc",),
    )
)
SCORES.add(
    Score(
        "roc_auc",
        "Chance that a node of class 1 is ranked above one of class 0; one half is guessing.",
        roc_auc,
        _CLASSES,
        higher_is_better=True,
        low=0.0,
        high=1.0,
        citation="doi:10.1148/radiology.143.1.7063747",
        aliases=("auc", "rocauc"),
    )
)
SCORES.add(
    Score(
        "macro_f1",
        "Harmonic mean of precision and recall of a class, averaged over classes whatever their size.",
        macro_f1,
        _CLASSES,
        higher_is_better=True,
        low=0.0,
        high=1.0,
        citation=_CLASS_REVIEW,
        aliases=("f1",),
    )
)
SCORES.add(
    Score(
        "r2",
        "Share of the target's variance that is explained; 0 is guessing the mean.",
        r2,
        _NUMBERS,
        higher_is_better=True,
        low=-_INFINITY,
        high=1.0,
        citation=_NUMBER_REVIEW,
        aliases=("r-squared",),
    )
)
SCORES.add(
    Score(
        "mae",
        "Mean absolute error, in the target's own unit.",
        mae,
        _NUMBERS,
        higher_is_better=False,
        low=0.0,
        high=_INFINITY,
        citation=_NUMBER_REVIEW,
    )
)
SCORES.add(
    Score(
        "mse",
        "Mean squared error.",
        mse,
        _NUMBERS,
        higher_is_better=False,
        low=0.0,
        high=_INFINITY,
        citation=_NUMBER_REVIEW,
    )
)
