"""Labels that spread over the edges: what a graph says about classes without a single feature."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.functions import is_plain
from allpass.graph.linear import LinearMap
from allpass.nn.inputs import Features, Filter, Graph, checked_filter, filtered, read

LITTLE = 1e-3
"""The weight of what is known before any label is seen: the mean of the numbers, the shares of the classes."""

ZHOU = "Zhou et al.: Learning with Local and Global Consistency, NIPS 2003"


class LabelPropagation(nn.Module):
    r"""Label propagation: learning with local and global consistency (Zhou et al., NIPS 2003).

    The labels of the training nodes, one-hot in :math:`Y_0` and zero elsewhere, are spread k times:

    .. math::
        Y_{t+1} = \alpha S Y_t + (1 - \alpha) Y_0

    Args:
        num_classes: Columns of Y.
        num_layers: Steps k.
        alpha: Share of the neighbours, from 0 to 1.
        filter: The matrix S: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.
        clamp: After every step set the training nodes back to their labels.
        clip: After every step cut Y to [0, 1].

    Numbers are spread together with a 1 for each known one; the result is the quotient, a weighted mean of the known
    numbers, and the mean of all of them where none is in reach.

    Shapes:
        labels ``[N]`` whole numbers, mask ``[N]`` booleans; result ``[N, num_classes]``: scores of 0 or more, zero
        where no training node is in reach. Labels ``[N]`` or ``[N, T]`` of floats give ``[N, T]``. The features give
        the number of nodes and the precision alone.

    Notes:
        The older form of Zhu and Ghahramani (2002) is ``alpha=1, filter="A_rw", clamp=True``: every node takes the
        mean of its neighbours, and training nodes keep their labels. PyG's layer of the same name has
        ``clip=True``; with the symmetric S scores above 1 are usual next to hubs.

    Example:
        >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> layer = LabelPropagation(2, num_layers=50, alpha=1, filter="A_rw", clamp=True)
        >>> layer(torch.empty(3, 0), path, labels=torch.tensor([0, 0, 1]), mask=torch.tensor([True, False, True]))
        tensor([[1.0000, 0.0000],
                [0.5000, 0.5000],
                [0.0000, 1.0000]])
    """

    def __init__(
        self,
        num_classes: int,
        *,
        num_layers: int = 50,
        alpha: float = 0.9,
        filter: Filter = "A_sym",  # noqa: A002 - the word of the formula
        clamp: bool = False,
        clip: bool = False,
    ) -> None:
        super().__init__()
        if not 0 <= alpha <= 1:
            raise InputError(f"Got alpha = {alpha}.", "Expected a share, from 0 to 1.")
        if num_layers < 0:
            raise InputError(f"Got num_layers = {num_layers}.", "Expected 0 or more steps.")
        self.num_classes, self.num_layers, self.alpha = num_classes, num_layers, float(alpha)
        self.filter, self.clamp, self.clip = checked_filter(filter), clamp, clip

    def forward(
        self,
        x: Features,
        edge_index: Graph,
        edge_weight: Tensor | None = None,
        *,
        labels: Tensor,
        mask: Tensor,
    ) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        S = filtered(A, self.filter)
        if labels.is_floating_point():
            numbers = torch.where(mask.unsqueeze(1), labels.reshape(len(labels), -1).nan_to_num(), 0).to(
                x.dtype
            )
            return weighted_mean(S, numbers, mask, self.num_layers, self.alpha)
        Y_0 = one_hot(labels, mask, self.num_classes, x.dtype)
        kept = mask.unsqueeze(1) if self.clamp else None
        return spread(S, Y_0, self.num_layers, self.alpha, kept=kept, clip=self.clip)

    def extra_repr(self) -> str:
        return f"{self.num_classes}, num_layers={self.num_layers}, alpha={self.alpha:g}, filter={self.filter}"


def spread(
    S: LinearMap, Y_0: Tensor, steps: int, alpha: float, *, kept: Tensor | None = None, clip: bool = False
) -> Tensor:
    """Spread the rows of ``Y_0`` over the edges: Y <- alpha S Y + (1 - alpha) Y_0.

    Args:
        S: The matrix to spread along.
        Y_0: Where it starts, ``[N, C]``.
        steps: How many steps.
        alpha: Share of the neighbours in each.
        kept: Rows that are set back to ``Y_0`` after each step, bool ``[N, 1]``.
        clip: Cut Y to [0, 1] after each step.
    """
    Y = Y_0
    for _ in range(steps):
        Y = alpha * (S @ Y) + (1 - alpha) * Y_0
        if kept is not None:
            Y = torch.where(kept, Y_0, Y)
        if clip:
            Y = Y.clamp(0, 1)
    return Y


def weighted_mean(S: LinearMap, numbers: Tensor, mask: Tensor, steps: int, alpha: float) -> Tensor:
    """The mean of the numbers of the nodes in ``mask``, each weighted by how much of it reaches a node, ``[N, T]``.

    Args:
        S: The matrix to spread along.
        numbers: ``[N, T]``, zero outside the mask.
        mask: Bool ``[N]``.
        steps: How many steps.
        alpha: Share of the neighbours in each.
    """
    known = mask.unsqueeze(1).to(numbers.dtype)
    mean = numbers.sum(0) / known.sum().clamp(min=1)
    reached = spread(S, torch.cat([numbers, known], dim=1), steps, alpha)
    weight = reached[:, -1:]
    return (reached[:, :-1] + LITTLE * mean) / (weight + LITTLE)


def one_hot(labels: Tensor, mask: Tensor, num_classes: int, dtype: torch.dtype) -> Tensor:
    """One row for each node ``[N, C]``: 1 at the label of a node in the mask, and zeros for all others.

    Example:
        >>> one_hot(torch.tensor([1, 0, -1]), torch.tensor([True, False, False]), 2, torch.float32)
        tensor([[0., 1.],
                [0., 0.],
                [0., 0.]])
    """
    if (
        labels.dim() != 1
        or labels.is_floating_point()
        or labels.shape != mask.shape
        or mask.dtype != torch.bool
    ):
        raise InputError(
            f"Got labels of {labels.dtype} {list(labels.shape)} and a mask of {mask.dtype} {list(mask.shape)}.",
            "Expected one whole number and one boolean for each node.",
        )
    if is_plain(labels, mask) and not labels.is_cuda:  # elsewhere looking at the labels would cost a wait
        shown = labels[mask]
        if shown.numel() and not 0 <= int(shown.min()) <= int(shown.max()) < num_classes:
            raise InputError(
                f"Got labels from {int(shown.min())} to {int(shown.max())} for {num_classes} classes.",
                f"Expected 0 to {num_classes - 1} for every node in the mask.",
            )
    classes = torch.arange(num_classes, device=labels.device)
    return ((labels.unsqueeze(1) == classes) & mask.unsqueeze(1)).to(dtype)
