"""ACM-GCN and its training loop as they were released, transcribed line for line: what the engine is compared with.

Dense features, a product a channel, a stored high-pass matrix, one run at a time. Nothing of allpass is called here, so
that what agrees with it agrees for a reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Data

Variant = Literal["acm", "acmii"]
WINDOW = 200
"""Epochs whose mean validation loss an epoch has to stay below."""


class Sets(Protocol):
    """Training, validation and test nodes, each bool ``[N]``."""

    @property
    def train(self) -> Tensor: ...

    @property
    def val(self) -> Tensor: ...

    @property
    def test(self) -> Tensor: ...


class PublishedLayer(nn.Module):
    """One layer: three channels, each with its own weight, its own product and its own score vector.

    Args:
        in_channels: Columns of the input.
        out_channels: Columns of the output.
        variant: ``"acm"`` filters, then rectifies; ``"acmii"`` rectifies, then filters.
    """

    def __init__(self, in_channels: int, out_channels: int, variant: Variant = "acm") -> None:
        super().__init__()
        self.variant = variant
        self.low_weight, self.high_weight, self.identity_weight = (
            nn.Parameter(torch.empty(in_channels, out_channels)) for _ in range(3)
        )
        self.low_score, self.high_score, self.identity_score = (
            nn.Parameter(torch.empty(out_channels, 1)) for _ in range(3)
        )
        self.mix = nn.Parameter(torch.empty(3, 3))
        for parameter in self.parameters():  # score vectors have one column: uniform in ±1
            bound = 1 / math.sqrt(parameter.shape[1])
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        if self.variant == "acm":
            H_low = torch.relu(torch.spmm(low, x @ self.low_weight))
            H_high = torch.relu(torch.spmm(high, x @ self.high_weight))
        else:
            H_low = torch.spmm(low, torch.relu(x @ self.low_weight))
            H_high = torch.spmm(high, torch.relu(x @ self.high_weight))
        H_identity = torch.relu(x @ self.identity_weight)
        scores = torch.cat(
            [H_low @ self.low_score, H_high @ self.high_score, H_identity @ self.identity_score], dim=1
        )
        alpha = torch.softmax(torch.sigmoid(scores) @ self.mix / 3, dim=1)
        return 3 * (alpha[:, 0:1] * H_low + alpha[:, 1:2] * H_high + alpha[:, 2:3] * H_identity)


class PublishedACM(nn.Module):
    """Dropout, layer, ReLU, dropout, layer, log-softmax.

    Args:
        in_channels: Number of features.
        hidden_channels: Width of the hidden layer.
        out_channels: Number of classes.
        dropout: Probability of dropout, of the features and of the hidden layer.
        variant: ``"acm"`` or ``"acmii"``.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        *,
        dropout: float = 0.5,
        variant: Variant = "acm",
    ) -> None:
        super().__init__()
        self.dropout = dropout
        self.first = PublishedLayer(in_channels, hidden_channels, variant)
        self.second = PublishedLayer(hidden_channels, out_channels, variant)

    def forward(self, x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        x = F.dropout(x, self.dropout, self.training)
        x = torch.relu(self.first(x, low, high))
        x = F.dropout(x, self.dropout, self.training)
        return F.log_softmax(self.second(x, low, high), dim=1)

    def begin_as(self, weights: Mapping[str, Tensor]) -> None:
        """Take the weights of allpass's network, which has the three channels of a layer side by side."""
        with torch.no_grad():
            for number, layer in enumerate((self.first, self.second)):
                low, high, identity = weights[f"layers.{number}.weight"].chunk(3, dim=1)
                layer.low_weight.copy_(low)
                layer.high_weight.copy_(high)
                layer.identity_weight.copy_(identity)
                low, high, identity = weights[f"layers.{number}.mixing.score"].unsqueeze(2)
                layer.low_score.copy_(low)
                layer.high_score.copy_(high)
                layer.identity_score.copy_(identity)
                layer.mix.copy_(weights[f"layers.{number}.mixing.mix"])


def stored_pair(data: Data) -> tuple[Tensor, Tensor]:
    """The row-normalised A + I and I minus it, both stored, in the precision of the features.

    Edges lose direction and duplicates; the self-loops of the file stay, beside those of I.
    """
    N = int(data.num_nodes)
    row, column = data.edge_index.cpu().numpy()
    A = sp.coo_matrix((np.ones(len(row)), (row, column)), shape=(N, N)).tocsr()
    A = ((A + A.T) > 0).astype(np.float64) + sp.identity(N)
    low = sp.diags(1 / np.asarray(A.sum(axis=1)).flatten()) @ A
    return _as_torch(low, data.x), _as_torch(sp.identity(N) - low, data.x)


def _as_torch(matrix: sp.spmatrix, like: Tensor) -> Tensor:
    entries = matrix.tocoo()
    places = torch.from_numpy(np.stack([entries.row, entries.col]).astype(np.int64))
    values = torch.from_numpy(entries.data)
    return torch.sparse_coo_tensor(places, values, entries.shape, check_invariants=False).coalesce().to(like)


@dataclass(frozen=True)
class PublishedRun:
    """What came of a run.

    Args:
        test_accuracy: Share of the test nodes that are right at the epoch of the strictly lowest validation loss.
        val_loss: That loss.
        epochs: How many epochs it ran.
        losses: The validation loss after every update.
        train_losses: The training loss before every update, with dropout.
    """

    test_accuracy: float
    val_loss: float
    epochs: int
    losses: list[float]
    train_losses: list[float]


def train_published(
    model: PublishedACM,
    x: Tensor,
    low: Tensor,
    high: Tensor,
    y: Tensor,
    split: Sets,
    *,
    lr: float,
    weight_decay: float,
    max_epochs: int = 5000,
) -> PublishedRun:
    """Adam on the whole graph, an evaluation after every update, and the stopping rule of GPRGNN.

    After more than 200 epochs it ends at the first whose validation loss exceeds the mean of the 200 before it.

    Args:
        model: The network, on the device of the data.
        x: Features ``[N, F]``, dense.
        low: The low-pass matrix.
        high: The high-pass matrix.
        y: Classes ``[N]``.
        split: Training, validation and test nodes.
        lr: Learning rate.
        weight_decay: Of all parameters, as part of the gradient.
        max_epochs: The most epochs.
    """
    train, val, test = (
        part.nonzero().flatten().to(x.device) for part in (split.train, split.val, split.test)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=weight_decay)
    lowest, accuracy = math.inf, math.nan
    losses: list[float] = []
    train_losses: list[Tensor] = []
    for epoch in range(max_epochs):
        model.train()
        optimizer.zero_grad()
        loss = F.nll_loss(model(x, low, high)[train], y[train])
        loss.backward()
        optimizer.step()
        train_losses.append(loss.detach())
        model.eval()
        with torch.no_grad():
            output = model(x, low, high)
            val_loss = float(F.nll_loss(output[val], y[val]))
            if val_loss < lowest:
                lowest, accuracy = val_loss, float((output[test].argmax(1) == y[test]).double().mean())
        losses.append(val_loss)
        if epoch > WINDOW and val_loss > np.mean(losses[-WINDOW - 1 : -1]):
            break
    return PublishedRun(accuracy, lowest, len(losses), losses, torch.stack(train_losses).tolist())
