"""Correct and Smooth: known labels mend the predictions of any other model."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.nn.inputs import Features, Filter, Graph, checked_filter, dense, filtered, read
from allpass.nn.label_propagation import one_hot, spread, weighted_mean

HUANG = "Huang et al.: Combining Label Propagation and Simple Models Out-performs Graph Neural Networks, ICLR 2021"

_LEAST = 1e-9


class CorrectAndSmooth(nn.Module):
    r"""Correct and Smooth (`Huang et al., ICLR 2021 <https://arxiv.org/abs/2010.13993>`_).

    With predictions Z, known labels Y on the training nodes and the filter S:

    .. math::
        E_0 = Y - Z \text{ on training nodes, 0 elsewhere}, \quad
        E_{t+1} = \alpha_c S E_t + (1 - \alpha_c) E_0, \quad
        Z_c = Z + \sigma \hat{e}_i

        G_0 = Y \text{ on training nodes, } Z_c \text{ elsewhere}, \quad
        G_{t+1} = \alpha_s S G_t + (1 - \alpha_s) G_0

    For classes each row of the spread error is scaled to :math:`\sigma`, the mean absolute row sum of :math:`E_0`
    ("autoscale"). Numbers are corrected by the weighted mean of the residuals around a node, and not smoothed
    (`Jia and Benson, KDD 2020 <https://arxiv.org/abs/2002.08274>`_).

    Args:
        num_layers: Steps of each of the two.
        correct_alpha: Share of the neighbours in a step of the correction, from 0 to 1.
        smooth_alpha: The same for the smoothing.
        filter: The matrix S: a name of ``allpass.graph.MATRICES`` or a function of the adjacency.

    Shapes:
        x ``[N, C]`` probabilities of the classes, labels ``[N]`` whole numbers; or x ``[N, T]`` numbers with labels
        ``[N]`` or ``[N, T]``; mask ``[N]`` booleans; result like x.

    Example:
        >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> unsure = torch.full((3, 2), 0.5)
        >>> known = {"labels": torch.tensor([0, 0, 0]), "mask": torch.tensor([True, False, False])}
        >>> CorrectAndSmooth()(unsure, path, **known).argmax(1)
        tensor([0, 0, 0])
    """

    def __init__(
        self,
        *,
        num_layers: int = 50,
        correct_alpha: float = 0.8,
        smooth_alpha: float = 0.8,
        filter: Filter = "A_sym",  # noqa: A002 - the word of the formula
    ) -> None:
        super().__init__()
        for name, alpha in (("correct_alpha", correct_alpha), ("smooth_alpha", smooth_alpha)):
            if not 0 <= alpha <= 1:
                raise InputError(f"Got {name} = {alpha}.", "Expected a share, from 0 to 1.")
        self.num_layers, self.filter = num_layers, checked_filter(filter)
        self.correct_alpha, self.smooth_alpha = float(correct_alpha), float(smooth_alpha)

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
        S, Z, known = filtered(A, self.filter), dense(x), mask.unsqueeze(1)
        if labels.is_floating_point():
            residual = torch.where(known, labels.reshape(len(Z), -1).nan_to_num() - Z, 0)
            return Z + weighted_mean(S, residual, mask, self.num_layers, self.correct_alpha)
        Y = one_hot(labels, mask, Z.shape[1], Z.dtype)
        E_0 = torch.where(known, Y - Z, 0)
        sigma = E_0.abs().sum() / mask.sum().clamp(min=1)
        E = spread(S, E_0, self.num_layers, self.correct_alpha)
        size = E.abs().sum(1, keepdim=True)
        corrected = Z + torch.where(size > _LEAST, sigma * E / size.clamp(min=_LEAST), 0)
        return spread(S, torch.where(known, Y, corrected), self.num_layers, self.smooth_alpha)

    def extra_repr(self) -> str:
        return (
            f"num_layers={self.num_layers}, correct_alpha={self.correct_alpha:g}, "
            f"smooth_alpha={self.smooth_alpha:g}, filter={self.filter}"
        )
