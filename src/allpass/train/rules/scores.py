"""Scores of all replicas at once, NaN where undefined: of classes, of the ranking of two classes, and of numbers.

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
        ranks: Whether it measures how two classes are ranked; it is undefined where only one of them is.
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
    ranks: bool = False

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
    margin = _margin(outputs, "roc_auc")
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


def average_precision(outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Precision down the ranking, averaged over the nodes of the rarer class, as in scikit-learn.

    The rarer class of all labels is the positive one, class 1 where both are as frequent. Nodes of the same margin
    enter the ranking together.
    """
    ranked = _Ranked.of(outputs, target, mask, "average_precision")
    found, counted = ranked.positive.cumsum(-1), ranked.counted.cumsum(-1)
    precision = found.gather(-1, ranked.last).double() / counted.gather(-1, ranked.last).clamp(min=1)
    total = torch.where(ranked.positive, precision, 0).sum(-1)
    return ranked.defined(total / ranked.positive.sum(-1))


def precision_at_k(outputs: Tensor, target: Tensor, mask: Tensor, k: int | None = None) -> Tensor:
    """Share of the rarer class among the ``k`` nodes that are ranked highest.

    The rarer class of all labels is the positive one, class 1 where both are as frequent. Among equals at the last
    place it is the mean over their orders.

    Args:
        outputs: As for every score.
        target: As for every score.
        mask: As for every score.
        k: How many nodes; by default as many as are of the rarer class, so that precision and recall agree.
    """
    ranked = _Ranked.of(outputs, target, mask, "precision_at_k")
    found, counted = ranked.positive.cumsum(-1), ranked.counted.cumsum(-1)
    wanted = found[..., -1:] if k is None else counted[..., -1:].clamp(max=k)  # [R, 1]
    # Of each run of equals the part that still fits into the first k.
    before = counted.gather(-1, ranked.first) - ranked.counted.gather(-1, ranked.first).long()
    equals = counted.gather(-1, ranked.last) - before
    fits = ((wanted - before).clamp(min=0).double() / equals.clamp(min=1)).clamp(max=1)
    hits = torch.where(ranked.positive, fits, 0).sum(-1)
    return ranked.defined(hits / wanted[..., 0])


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


def balanced_accuracy(outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Share of the nodes of a class whose class is right, averaged over the classes that occur among the labels."""
    predicted, spoilt = _decide(outputs)
    mask = mask & (target >= 0)
    classes = torch.arange(max(outputs.shape[-1], 2), device=outputs.device)
    counts = mask.unsqueeze(-1) & (target.unsqueeze(-1) == classes)  # [R, N, C]
    right, total = (counts & (predicted == target).unsqueeze(-1)).sum(-2), counts.sum(-2)
    recall = right.double() / total.clamp(min=1)
    return _or_nan(recall.sum(-1) / (total > 0).sum(-1), mask & spoilt)


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


def _margin(outputs: Tensor, score: str) -> Tensor:
    """By how much class 1 is ahead of class 0, ``[R, N]``: the one logit, or the difference of the two."""
    C = outputs.shape[-1]
    if C > 2:
        raise InputError(
            f"The score {score!r} is of two classes; got outputs of {C}.",
            "Take the score 'accuracy', 'balanced_accuracy' or 'macro_f1'.",
        )
    return outputs[..., 0] if C == 1 else outputs[..., 1] - outputs[..., 0]


@dataclass(frozen=True)
class _Ranked:
    """Nodes in the order in which a model takes them for the rarer class.

    Args:
        positive: The nodes that count and are of the rarer class, bool ``[R, N]``.
        counted: The nodes that count.
        first: The first place of the nodes that are ranked the same.
        last: Their last place.
        spoilt: Nodes that count and have no margin.
    """

    positive: Tensor
    counted: Tensor
    first: Tensor
    last: Tensor
    spoilt: Tensor

    @classmethod
    def of(cls, outputs: Tensor, target: Tensor, mask: Tensor, score: str) -> _Ranked:
        margin = _margin(outputs, score)
        rarer = ((target == 1).sum(-1, keepdim=True) <= (target == 0).sum(-1, keepdim=True)).long()
        margin = torch.where(rarer == 1, margin, -margin)
        counted = mask & (target >= 0)
        positive = counted & (target == rarer)
        ranked, order = (-margin).sort(dim=-1)
        shape = positive.shape
        order, (first, last) = order.expand(shape), (places.expand(shape) for places in _ties(ranked))
        spoilt = counted & margin.isnan()
        return cls(positive.gather(-1, order), counted.gather(-1, order), first, last, spoilt)

    def defined(self, values: Tensor) -> Tensor:
        """The values, NaN where only one class counts or a margin is NaN."""
        both = self.positive.any(-1) & (self.counted & ~self.positive).any(-1)
        return _or_nan(torch.where(both, values, torch.nan), self.spoilt)


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
_RANKING_REVIEW = "doi:10.1017/CBO9780511809071"  # section 8.4: R-precision
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
        ranks=True,
    )
)
SCORES.add(
    Score(
        "average_precision",
        "Precision down the ranking, averaged over the nodes of the rarer class; their share is guessing.",
        average_precision,
        _CLASSES,
        higher_is_better=True,
        low=0.0,
        high=1.0,
        citation="doi:10.1145/1143844.1143874",
        aliases=("ap", "auprc"),
        ranks=True,
    )
)
SCORES.add(
    Score(
        "precision_at_k",
        "Share of the rarer class among the nodes ranked highest, as many as that class has; its share is guessing.",
        precision_at_k,
        _CLASSES,
        higher_is_better=True,
        low=0.0,
        high=1.0,
        citation=_RANKING_REVIEW,
        aliases=("r-precision",),
        ranks=True,
    )
)
SCORES.add(
    Score(
        "balanced_accuracy",
        "Share of the nodes of a class whose class is right, averaged over classes whatever their size.",
        balanced_accuracy,
        _CLASSES,
        higher_is_better=True,
        low=0.0,
        high=1.0,
        citation="doi:10.1109/ICPR.2010.764",
        aliases=("mean-recall",),
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
