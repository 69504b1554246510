"""Growing a training set: which nodes are added, how many of each class, and what is learnt afterwards.

A choice is a bool matrix ``[N, C]``: node i is taken to be of class c. Choices combine by ``|`` and ``&``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from allpass.data.splits import Split
from allpass.graph.operator import Operator


@dataclass(frozen=True)
class Labels:
    """What a training is told.

    Args:
        split: Its training nodes, given and added; validation and test nodes as they were.
        target: The class of every training node, ``[N]``; -1 at all other nodes.
        given: The training nodes of which the class is known and not guessed, bool ``[N]``.
    """

    split: Split
    target: Tensor
    given: Tensor

    @classmethod
    def of(cls, split: Split, y: Tensor) -> Labels:
        """The labels of a split, and no others."""
        return cls(split, torch.where(split.train, y, -1), split.train)

    def one_hot(self, num_classes: int) -> Tensor:
        """The classes of the training nodes, bool ``[N, C]``."""
        return self.target.unsqueeze(1) == torch.arange(num_classes)

    def grown(self, choice: Tensor) -> Labels:
        """With the nodes of a choice added, but for those taken to be of several classes."""
        added = (choice.sum(1) == 1) & ~self.split.train
        return Labels(
            replace(self.split, train=self.split.train | added),
            torch.where(added, choice.int().argmax(1), self.target),
            self.given,
        )


def quota(labels: Labels, num_classes: int, total: float) -> Tensor:
    """How many nodes to add of each class, ``[C]``: a total in the proportions of the given labels, rounded down.

    Example:
        >>> labels = Labels.of(Split(*torch.ones(3, 4, dtype=torch.bool), "all"), torch.tensor([0, 0, 0, 1]))
        >>> quota(labels, 2, total=10)
        tensor([7, 2])
    """
    counts = labels.one_hot(num_classes)[labels.given].sum(0)
    return (total * counts / counts.sum().clamp(min=1)).floor().long()


def needed(A: Operator, num_layers: int) -> float:
    r"""How many labels a convolutional network of :math:`\tau` layers lacks, by the rule of Li, Han and Wu.

    A label reaches about :math:`\bar d^\tau` nodes, so :math:`\eta N = N / \bar d^\tau` labels reach all of them. Their
    code adds three times as many.

    Example:
        >>> square = Operator.from_edge_index(torch.tensor([[0, 1, 1, 2, 2, 3, 3, 0], [1, 0, 2, 1, 3, 2, 0, 3]]))
        >>> needed(square, num_layers=2)
        3.0
    """
    N = A.shape[0]
    mean_degree = max(
        float(A.row_sums.sum()) / N, 1.0
    )  # where nobody has neighbours every node needs a label
    return 3 * N / mean_degree**num_layers


def top(scores: Tensor, counts: Tensor) -> Tensor:
    """The nodes of the highest scores in each column, among those above 0.

    Args:
        scores: ``[N, C]``.
        counts: How many of each column, ``[C]``.

    Example:
        >>> top(torch.tensor([[0.9, 0.1], [0.8, 0.0], [0.7, 0.3]]), torch.tensor([2, 2]))
        tensor([[ True,  True],
                [ True, False],
                [False,  True]])
    """
    rank = scores.argsort(dim=0, descending=True, stable=True).argsort(dim=0)
    return (rank < counts) & (scores > 0)


def confident(logits: Tensor, labels: Labels, counts: Tensor) -> Tensor:
    """The nodes without a label of which a network is most sure, of every class that it names itself.

    Args:
        logits: What the network says, ``[N, C]``.
        labels: What it was told.
        counts: How many of each class, ``[C]``.
    """
    chance = logits.softmax(1)
    named = chance.argmax(1, keepdim=True) == torch.arange(chance.shape[1])
    return top(torch.where(named & ~labels.split.train.unsqueeze(1), chance, 0), counts)


def nearest(absorbed: Tensor, labels: Labels, counts: Tensor) -> Tensor:
    """The nodes without a label whose walks end most often at a class.

    Args:
        absorbed: The scores of :func:`~allpass.train.few_labels.walks.absorption`, ``[N, C]``.
        labels: What is known.
        counts: How many of each class, ``[C]``.
    """
    return top(torch.where(labels.split.train.unsqueeze(1), 0, absorbed), counts)
