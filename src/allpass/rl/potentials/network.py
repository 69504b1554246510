r"""A potential learned by a graph network: labels at a few states, and a penalty on differences along edges.

.. math::
    \phi = \mathrm{softmax}(f(X, A))_1, \qquad
    L = \frac{1}{|L|} \sum_{s \in L} \mathrm{CE}(y_s, \phi_s)
      + \frac{\lambda}{\sum A} \sum_{(u, v)} A_{uv} (\phi_u - \phi_v)^2

With a two-layer GCN as f it is the potential of `Klissarov and Precup, 2020 <https://arxiv.org/abs/2010.02474>`_.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from allpass.errors import InputError
from allpass.graph import Operator
from allpass.models import create

Array = NDArray[np.float64]
Index = NDArray[np.int64]


class PotentialNetwork:
    """Any network of ``allpass.models`` as a potential; calling :meth:`fit` again goes on from the present weights.

    Args:
        model: Its name, such as ``"gcn"``, ``"acm-gcn"`` or ``"krylov"``; ``"mlp"`` does not look at the graph.
        hidden_channels: Width of hidden layers.
        epochs: Steps of Adam in each call of ``fit``.
        lr: Learning rate.
        weight_decay: L2 penalty of Adam.
        propagation: lambda, the weight of differences along edges.
        seed: Decides the first weights.
        **settings: Further settings of the model.
    """

    def __init__(
        self,
        model: str = "gcn",
        *,
        hidden_channels: int = 64,
        epochs: int = 50,
        lr: float = 5e-3,
        weight_decay: float = 0.0,
        propagation: float = 10.0,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        if epochs < 1 or lr <= 0 or weight_decay < 0 or propagation < 0:
            raise InputError(
                f"Got epochs = {epochs}, lr = {lr}, weight_decay = {weight_decay} and propagation = {propagation}.",
                "Expected at least one epoch, a rate above 0, and penalties of 0 or more.",
            )
        self.model, self.hidden_channels, self.epochs = model, hidden_channels, epochs
        self.lr, self.weight_decay, self.propagation, self.seed = lr, weight_decay, propagation, seed
        self.settings = {"dropout": 0.0} | settings
        self._network: nn.Module | None = None
        self._optimizer: torch.optim.Optimizer | None = None

    def fit(self, features: Any, graph: Any, states: Index, labels: Array) -> Self:
        """Train on a graph of states.

        Args:
            features: X, dense or SciPy sparse, ``[S, F]``.
            graph: Symmetric weights, sparse ``[S, S]``.
            states: The labelled states.
            labels: y, from 0 (bad) to 1 (good).
        """
        y = torch.as_tensor(np.asarray(labels), dtype=torch.float32)
        if not len(y) or ((y < 0) | (y > 1)).any():
            raise InputError(
                f"Got {len(y)} labels{f' from {y.min():g} to {y.max():g}' if len(y) else ''}.",
                "Expected at least one, each from 0 to 1.",
            )
        x, A = _features(features), Operator.from_scipy(graph, dtype=torch.float32)
        network, optimizer = self._prepared(x.shape[1])
        penalty = _differences(graph)
        known = torch.as_tensor(np.asarray(states))
        network.train()
        for _ in range(self.epochs):
            optimizer.zero_grad()
            loss = potential_loss(network(x, A), known, y, *penalty, weight=self.propagation)
            loss.backward()
            optimizer.step()
        return self

    @torch.no_grad()
    def potential(self, features: Any, graph: Any = None) -> Array:
        """phi of states, ``[S]``, from 0 to 1; 0 before the first ``fit``, so that nothing is shaped.

        Args:
            features: X ``[S, F]``.
            graph: Their graph; None reads each state alone, as the published code does when it acts.
        """
        x = _features(features)
        if self._network is None:
            return np.zeros(x.shape[0])
        A = _apart(x.shape[0]) if graph is None else Operator.from_scipy(graph, dtype=torch.float32)
        self._network.eval()
        return self._network(x, A).softmax(dim=-1)[:, 1].double().numpy()

    def _prepared(self, in_channels: int) -> tuple[nn.Module, torch.optim.Optimizer]:
        if self._network is None or self._optimizer is None:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(self.seed)
                self._network = create(
                    self.model,
                    in_channels=in_channels,
                    out_channels=2,
                    **{"hidden_channels": self.hidden_channels} | self.settings,
                )
            self._optimizer = torch.optim.Adam(
                self._network.parameters(), lr=self.lr, weight_decay=self.weight_decay
            )
        return self._network, self._optimizer


@lru_cache(maxsize=4)
def _apart(count: int) -> Operator:
    """A graph without edges; agents ask for batches of one size, and its matrices are kept with it."""
    return Operator.from_edge_index(torch.empty(2, 0, dtype=torch.long), num_nodes=count)


def potential_loss(
    logits: Tensor,
    known: Tensor,
    labels: Tensor,
    row: Tensor,
    column: Tensor,
    share: Tensor,
    *,
    weight: float,
) -> Tensor:
    """The loss of the module's docstring; ``share`` holds A / sum A of the edges from ``row`` to ``column``."""
    log_phi = logits.log_softmax(dim=-1)
    base = F.cross_entropy(logits[known], torch.stack([1 - labels, labels], dim=-1))
    if not weight:
        return base
    phi = log_phi[:, 1].exp()
    return base + weight * (share * (phi[row] - phi[column]).square()).sum()


def _differences(graph: Any) -> tuple[Tensor, Tensor, Tensor]:
    edges = graph.tocoo()
    total = float(edges.data.sum()) or 1.0
    return (
        torch.from_numpy(edges.row.astype(np.int64)),
        torch.from_numpy(edges.col.astype(np.int64)),
        torch.from_numpy(edges.data / total).float(),
    )


def _features(features: Any) -> Any:
    if hasattr(features, "tocsr"):
        return Operator.from_scipy(features, dtype=torch.float32)
    return torch.as_tensor(np.asarray(features), dtype=torch.float32)
