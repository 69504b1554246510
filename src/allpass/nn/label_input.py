"""Known labels as features of a network: masked label prediction."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.graph.operator import Operator
from allpass.graph.pattern import Pattern
from allpass.nn.dropout import Dropout, seed_dropout
from allpass.nn.inputs import Features, Graph, as_features
from allpass.nn.label_propagation import one_hot

SHI = "Shi et al.: Masked Label Prediction: Unified Message Passing Model, IJCAI 2021"


class LabelInput(nn.Module):
    r"""Masked label prediction (`Shi et al., IJCAI 2021 <https://arxiv.org/abs/2009.03509>`_): labels as features.

    Columns are appended to the features: one for each class or number, and one that is 1 where the label is shown,

    .. math::
        X' = [X, \; s \odot Y, \; s]

    In training, every step shows a random half of the training labels, and :meth:`counted` names the other half,
    which alone enter the loss. In evaluation all training labels are shown.

    Args:
        network: The network, made for ``in_channels + out_channels + 1`` features.
        out_channels: Columns of the labels: classes, 1 for two classes by one logit, or numbers.
        seed: Decides which labels each step shows.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; labels ``[N]`` or ``[N, T]``, mask ``[N]`` booleans; result
        ``[N, out_channels]``.

    Example:
        >>> from allpass.nn import GCNConv
        >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> network = LabelInput(GCNConv(4 + 2 + 1, 2), 2).eval()
        >>> known = {"labels": torch.tensor([0, 1, 1]), "mask": torch.tensor([True, False, True])}
        >>> network(torch.ones(3, 4), path, **known).shape
        torch.Size([3, 2])
    """

    def __init__(self, network: nn.Module, out_channels: int, *, seed: int = 0) -> None:
        super().__init__()
        self.network, self.out_channels = network, out_channels
        self.hiding = Dropout(0.5)
        seed_dropout(self.hiding, ~seed)  # not a stream of the network's own masks

    def parameter_groups(self) -> dict[str, list[str]]:
        """The groups that the network declares."""
        declared: dict[str, list[str]] = getattr(self.network, "parameter_groups", dict)()
        return {group: [f"network.{name}" for name in names] for group, names in declared.items()}

    def forward(
        self,
        x: Features,
        edge_index: Graph,
        edge_weight: Tensor | None = None,
        *,
        labels: Tensor,
        mask: Tensor,
    ) -> Tensor:
        x = as_features(x)
        shown = self.hiding(mask.to(x.dtype)) > 0
        wide = beside(x, self.columns(labels, shown, x.dtype))
        output: Tensor = self.network(
            wide, edge_index, **({} if edge_weight is None else {"edge_weight": edge_weight})
        )
        return output

    def columns(self, labels: Tensor, shown: Tensor, dtype: torch.dtype) -> Tensor:
        """The columns for the labels that are shown, ``[N, out_channels + 1]``.

        Args:
            labels: Classes ``[N]``, or numbers ``[N]`` or ``[N, T]``.
            shown: Nodes whose labels are shown, bool ``[N]``.
            dtype: Type of the columns.
        """
        flag = shown.unsqueeze(1)
        if labels.is_floating_point():
            numbers = torch.where(flag, labels.reshape(len(labels), -1).nan_to_num(), 0).to(dtype)
        else:
            numbers = one_hot(labels, shown, max(self.out_channels, 2), dtype)[:, -self.out_channels :]
        return torch.cat([numbers, flag.to(dtype)], dim=1)

    def counted(self, mask: Tensor) -> Tensor:
        """The training nodes whose labels the last forward in training hid; all of them if it hid none."""
        hidden = mask & ~self.hiding.kept(len(mask))
        return torch.where(hidden.any(), hidden, mask)


def beside(x: Tensor | Operator, columns: Tensor) -> Tensor | Operator:
    """Features with more columns after their own; sparse ones stay sparse.

    Args:
        x: Features ``[N, F]``.
        columns: Dense columns ``[N, C]``.

    Example:
        >>> sparse = Operator.from_sparse(torch.tensor([[0.0, 2.0], [0.0, 0.0]]).to_sparse_csr())
        >>> beside(sparse, torch.tensor([[1.0], [3.0]])).to_dense()
        tensor([[0., 2., 1.],
                [0., 0., 3.]])
    """
    if not isinstance(x, Operator):
        return torch.cat([x, columns], dim=1)
    pattern, order = x.derived(
        f"{columns.shape[1]} columns more", lambda: _wider(x.pattern, columns.shape[1])
    )
    values = torch.cat([x.values, columns.reshape(-1)])
    return Operator(
        pattern, values[order], _learnable=True
    )  # what follows from one step's values is not kept


def _wider(pattern: Pattern, more: int) -> tuple[Pattern, Tensor]:
    """The places of sparse features and of full columns after them, and where each value comes from."""
    rows, columns = pattern.shape
    crow, device = pattern.crow.long(), pattern.crow.device
    starts = crow + more * torch.arange(rows + 1, device=device)
    ends = starts[1:, None] - more + torch.arange(more, device=device)  # of the new entries, row by row
    place = torch.ones(pattern.nnz + rows * more, dtype=torch.bool, device=device)
    place[ends.flatten()] = False
    order = torch.empty(len(place), dtype=torch.int64, device=device)
    order[place] = torch.arange(pattern.nnz, device=device)
    order[~place] = pattern.nnz + torch.arange(rows * more, device=device)
    col = torch.cat([pattern.col.long(), (columns + torch.arange(more, device=device)).repeat(rows)])[order]
    return Pattern(starts, col, (rows, columns + more)), order
