"""What is learnt of the nodes: classes, one of two classes, or numbers; its loss, its score and its refusals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Data

from allpass.errors import InputError
from allpass.registry import Registry
from allpass.train.rules.scores import SCORES, Score, as_columns, known

_SETS = {"train": "training", "val": "validation"}


@dataclass(frozen=True)
class Task(ABC):
    """A registered task.

    Args:
        name: Its name.
        summary: What it learns and by which loss.
        score: The name of the score that is reported.
        citation: Where its loss is described.
        aliases: Other names.
    """

    name: str
    summary: str
    score: str
    citation: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def scorer(self) -> Score:
        """The score that is reported."""
        return SCORES[self.score]

    def loss(self, output: Tensor, target: Tensor, weight: Tensor) -> Tensor:
        """Mean loss of one replica, a number with a gradient; pure, to be called under vmap.

        A node without a label has no weight, whatever it was given.

        Args:
            output: ``[N, C]``.
            target: ``[N]``, or ``[N, C]`` where there are several numbers to learn.
            weight: The weight of each node, float ``[N]``: 1 for a training node, 0 for the others.
        """
        counts = self.known(output, target) & (weight != 0)
        weighted = torch.where(counts, weight * self.node_losses(output, target), 0)
        return weighted.sum(-1) / torch.where(counts, weight, 0).sum(-1)

    def losses(self, outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
        """Mean loss of every replica in float64, NaN of no nodes.

        Args:
            outputs: ``[R, N, C]``.
            target: ``[N]`` or ``[R, N]``; with several numbers to learn also ``[N, C]`` or ``[R, N, C]``.
            mask: Bool ``[R, N]``; ``[S, R, N]`` asks for S sets of nodes at once.

        Shapes:
            ``[R]``, or ``[S, R]``.
        """
        counts = self.known(outputs, target) & mask
        found = torch.where(counts, self.node_losses(outputs, target), 0)
        return found.sum(-1, dtype=torch.float64) / counts.sum(-1)

    def check(self, data: Data, masks: Mapping[str, Tensor]) -> list[str]:
        """Refuse labels and masks that cannot be learnt from; what is merely odd comes back in sentences.

        Args:
            data: The graph with its labels ``y``.
            masks: ``"train"``, ``"val"`` and ``"test"``, or some of these, each bool ``[R, N]``.
        """
        y = data.y
        if not isinstance(y, Tensor):
            raise InputError(
                f"The data has no labels y for the task {self.name!r}.",
                "Name the label column, or set data.y.",
            )
        self._refuse(y)
        missing = ~self._labelled(y)
        for name, mask in masks.items():
            _refuse_mask(name, mask, len(y))
            _refuse_missing(name, mask, missing.to(mask.device))
        notes = [note for name, mask in masks.items() for note in _empty(name, mask)]
        return notes + [
            note for name, mask in masks.items() for note in self._odd(name, mask, y.to(mask.device))
        ]

    @abstractmethod
    def out_channels(self, y: Tensor) -> int:
        """How many outputs a node needs for the labels ``y``."""

    @abstractmethod
    def node_losses(self, outputs: Tensor, target: Tensor) -> Tensor:
        """The loss of each node, ``[..., N, C]`` to ``[..., N]``; a node without a label has any finite one."""

    @abstractmethod
    def known(self, outputs: Tensor, target: Tensor) -> Tensor:
        """The nodes that have a label, bool ``[..., N]``."""

    @abstractmethod
    def _labelled(self, y: Tensor) -> Tensor:
        """The nodes that have a label, bool ``[N]``."""

    @abstractmethod
    def _refuse(self, y: Tensor) -> None:
        """Raise when these labels are not for this task."""

    @abstractmethod
    def _odd(self, name: str, mask: Tensor, y: Tensor) -> Iterator[str]:
        """What is odd about the labels of a set."""


class _Classes(Task, ABC):
    """What tasks with class numbers have in common: a negative one is missing."""

    def known(self, outputs: Tensor, target: Tensor) -> Tensor:  # noqa: ARG002 - their shape is for numbers
        return target >= 0

    def _labelled(self, y: Tensor) -> Tensor:
        return y >= 0

    def _refuse(self, y: Tensor) -> None:
        if y.is_floating_point():
            raise InputError(
                f"Got labels y of type {y.dtype} for the task {self.name!r}; expected class numbers.",
                'Pass task="regression" if they are measurements; else turn them into integers 0, 1, 2, ...',
            )
        if y.dim() != 1 or y.is_complex():
            raise InputError(
                f"Got labels y of shape {list(y.shape)} and type {y.dtype}; expected class numbers of shape [N].",
                "Give every node one class: 0, 1, 2, ..., and -1 where it is missing.",
            )
        if not bool((y >= 0).any()):
            raise InputError("No node has a label.", "Label some nodes 0, 1, 2, ...")
        if int((y.unique() >= 0).sum()) == 1:
            raise InputError(
                f"All labels are of class {int(y.max())}: there is nothing to tell apart.",
                "Label nodes of two classes or more.",
            )

    def _odd(self, name: str, mask: Tensor, y: Tensor) -> Iterator[str]:
        R, word = len(mask), _SETS.get(name, name)
        present = [mask[:, y == c].any(1) for c in range(int(y.max()) + 1)]  # a bool [R] for each class
        if name == "train":
            for c, shown in enumerate(present):
                hidden = int((~shown & mask.any(1)).sum())
                if hidden and bool((y == c).any()):
                    yield (
                        f"The training nodes of {hidden} of {R} splits have none of class {c}: "
                        "what is not shown cannot be learnt."
                    )
        if self.scorer.ranks:
            single = int((torch.stack(present).sum(0) == 1).sum())
            if single:
                yield f"The {word} nodes of {single} of {R} splits are of one class: no {self.score} there."


class _Classification(_Classes):
    def out_channels(self, y: Tensor) -> int:
        return int(y.max()) + 1

    def node_losses(self, outputs: Tensor, target: Tensor) -> Tensor:
        index = target.long().clamp(min=0).expand(outputs.shape[:-1])
        return -_log_softmax(outputs).gather(-1, index.unsqueeze(-1)).squeeze(-1)

    def _refuse(self, y: Tensor) -> None:
        super()._refuse(y)
        if self.scorer.ranks and int(y.max()) > 1:
            raise InputError(
                f"The score {self.score!r} is of two classes; the labels run up to {int(y.max())}.",
                "Take the score 'accuracy', 'balanced_accuracy' or 'macro_f1'.",
            )


def _log_softmax(outputs: Tensor) -> Tensor:
    if outputs.device.type == "cpu":  # there torch takes three to five times as long over a short last axis
        return F.log_softmax(outputs.mT.contiguous(), dim=-2).mT
    return F.log_softmax(outputs, dim=-1)


class _Binary(_Classes):
    def out_channels(self, y: Tensor) -> int:  # noqa: ARG002 - called like every task
        return 1

    def node_losses(self, outputs: Tensor, target: Tensor) -> Tensor:
        logit = outputs.squeeze(-1)
        truth = target.clamp(min=0).to(logit.dtype).expand(logit.shape)
        return F.binary_cross_entropy_with_logits(logit, truth, reduction="none")

    def _refuse(self, y: Tensor) -> None:
        super()._refuse(y)
        if int(y.max()) > 1:
            raise InputError(
                f"The task 'binary' is of two classes; the labels run up to {int(y.max())}.",
                'Pass task="classification".',
            )


class _Regression(Task):
    def out_channels(self, y: Tensor) -> int:
        return 1 if y.dim() == 1 else y.shape[1]

    def node_losses(self, outputs: Tensor, target: Tensor) -> Tensor:
        truth = as_columns(target, outputs)
        # A NaN would spoil the gradient even at weight 0.
        error = outputs - torch.where(truth.isnan(), 0, truth)
        return error.square().mean(-1)

    def known(self, outputs: Tensor, target: Tensor) -> Tensor:
        return known(as_columns(target, outputs))

    def _labelled(self, y: Tensor) -> Tensor:
        return known(y.reshape(len(y), -1))

    def _refuse(self, y: Tensor) -> None:
        if not y.is_floating_point():
            raise InputError(
                f"Got labels y of type {y.dtype} for the task 'regression'; expected numbers, NaN where missing.",
                'Pass data.y.float() if they are measurements; else task="classification".',
            )
        if y.dim() not in (1, 2) or y.numel() == 0:
            raise InputError(
                f"Got labels y of shape {list(y.shape)}.", "Expected numbers of shape [N] or [N, targets]."
            )
        if bool(y.isinf().any()):
            raise InputError(
                "The regression target holds infinite values.", "Replace them, or make them NaN."
            )

    def _odd(self, name: str, mask: Tensor, y: Tensor) -> Iterator[str]:
        columns = y.reshape(len(y), -1)
        if self.scorer.name != "r2":
            return
        constant = torch.zeros(len(mask), dtype=torch.bool, device=mask.device)
        for column in columns.unbind(1):
            high = torch.where(mask, column, -torch.inf).amax(1)
            low = torch.where(mask, column, torch.inf).amin(1)
            constant |= high == low
        if bool(constant.any()):
            word = _SETS.get(name, name)
            yield f"A target of the {word} nodes of {int(constant.sum())} of {len(mask)} splits is constant: no r2."


def _refuse_mask(name: str, mask: Tensor, N: int) -> None:
    if mask.dtype != torch.bool or mask.dim() != 2 or mask.shape[1] != N:
        raise InputError(
            f"Got a {name} mask of shape {list(mask.shape)} and type {mask.dtype} for {N} nodes.",
            "Expected bool of shape [R, N], a row for each split.",
        )


def _refuse_missing(name: str, mask: Tensor, missing: Tensor) -> None:
    word, unlabelled = _SETS.get(name, name), mask & missing
    if bool(unlabelled.any()):
        r, n = unlabelled.nonzero()[0].tolist()
        raise InputError(
            f"{int(unlabelled[r].sum())} {word} nodes of split {r} have no label, node {n} being the first.",
            "Leave nodes without a label out of every mask.",
        )
    if name == "train" and not bool(mask.any(1).all()):
        r = int(mask.any(1).long().argmin())
        raise InputError(f"Split {r} has no training nodes.", "Give every split some.")


def _empty(name: str, mask: Tensor) -> Iterator[str]:
    empty = int((~mask.any(1)).sum())
    if empty:
        yield f"{empty} of {len(mask)} splits have no {_SETS.get(name, name)} nodes: nothing is measured there."


TASKS = Registry[Task]("task")
TASKS.add(
    _Classification(
        "classification", "One of several classes, by cross-entropy.", "accuracy", citation="arXiv:1609.02907"
    )
)
TASKS.add(
    _Binary(
        "binary",
        "One of two classes by one logit and cross-entropy.",
        "roc_auc",
        citation="arXiv:2302.11640",
    )
)
TASKS.add(_Regression("regression", "One or more numbers, by the mean squared error.", "r2"))


def task(name: str, *, score: str | None = None) -> Task:
    """A task by its name.

    Args:
        name: ``"classification"``, ``"binary"`` or ``"regression"``.
        score: The score to report in the place of the task's own.

    Example:
        >>> task("regression").score, task("regression", score="MAE").score
        ('r2', 'mae')
        >>> task("classification", score="mae")
        Traceback (most recent call last):
        ...
        allpass.errors.InputError: The score 'mae' is not for the task 'classification'. Take one of: accuracy, ...
    """
    found = TASKS[name]
    if score is None:
        return found
    chosen = SCORES[score]
    if found.name not in chosen.tasks:
        fitting = ", ".join(one.name for one in SCORES if found.name in one.tasks)
        raise InputError(
            f"The score {chosen.name!r} is not for the task {found.name!r}.", f"Take one of: {fitting}."
        )
    return replace(found, score=chosen.name)
