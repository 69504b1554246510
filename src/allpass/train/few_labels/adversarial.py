"""Virtual adversarial training: answers shall not change when features change a little in the worst direction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import grad
from torch.nn import functional as F

from allpass.errors import InputError
from allpass.graph.functions import is_plain
from allpass.graph.operator import Operator
from allpass.nn.dropout import Dropout, seed_dropout
from allpass.nn.inputs import Features
from allpass.train.rules.tasks import task


class Adversarial(nn.Module):
    r"""A network with the loss of virtual adversarial training (Miyato et al. 2018; Sun et al., arXiv:1902.11045).

    .. math::
        \ell + \beta \frac{1}{N} \sum_i \mathrm{KL}\big(p(X)_i \,\|\, p(X + R)_i\big), \qquad
        R_i = \epsilon \frac{G_i}{\lVert G_i \rVert}

    with :math:`\ell` the loss of the network on its training nodes, cross-entropy by default, and G the gradient of the
    divergence at :math:`X + \xi D`, for rows of random signs D of length 1: a step of the power iteration towards the
    direction in which the answers change most. R and p(X) are constants of the loss.

    Args:
        network: What is trained.
        everywhere: Move all features (GCN-DVAT), or those alone that are not 0 (GCN-SVAT).
        epsilon: Length of the perturbation of every node.
        xi: Length of the step at whose end the gradient is taken.
        steps: Power iterations.
        weight: :math:`\beta`.
        seed: Decides the random signs.

    Notes:
        The divergence is of the network without dropout: two masks would differ by more than the features do.
    """

    def __init__(
        self,
        network: nn.Module,
        *,
        everywhere: bool = False,
        epsilon: float = 0.01,
        xi: float = 1e-3,
        steps: int = 1,
        weight: float = 1.0,
        seed: int = 0,
    ) -> None:
        super().__init__()
        if not (epsilon > 0 and xi > 0 and weight >= 0 and steps >= 0):
            raise InputError(
                f"Got epsilon = {epsilon}, xi = {xi}, weight = {weight} and steps = {steps}.",
                "Expected lengths above 0, and a weight and a number of steps of 0 or more.",
            )
        self.network, self.everywhere = network, everywhere
        self.epsilon, self.xi, self.steps, self.weight = epsilon, xi, steps, weight
        self.signs = Dropout(0.5)
        seed_dropout(self.signs, ~seed)  # not a stream of the network's own masks

    def forward(self, x: Features, graph: Operator, **given: Any) -> Tensor:
        output: Tensor = self.network(x, graph, **given)
        return output

    def parameter_groups(self) -> dict[str, list[str]]:
        """The groups that the network declares."""
        declared: dict[str, list[str]] = getattr(self.network, "parameter_groups", dict)()
        return {group: [f"network.{name}" for name in names] for group, names in declared.items()}

    def loss(self, output: Tensor, x: Features, graph: Operator, target: Tensor, mask: Tensor) -> Tensor:
        """The loss of a training step.

        Args:
            output: What the network said in training mode, ``[N, C]``.
            x: Features ``[N, F]``.
            graph: The adjacency.
            target: Labels ``[N]``.
            mask: Training nodes, bool ``[N]``.
        """
        own = getattr(self.network, "loss", None)
        supervised: Tensor = (
            task("classification").loss(output, target, mask.to(output.dtype))
            if own is None
            else own(output, x, graph, target, mask)
        )
        self.network.eval()
        smooth = self._divergence(x, graph)
        self.network.train()
        return supervised + self.weight * smooth

    def _divergence(self, x: Features, graph: Operator) -> Tensor:
        place = _everywhere(x) if self.everywhere else _where_stored(x)
        with torch.no_grad():
            expected = self.network(x, graph).log_softmax(-1)

        def divergence(R: Tensor) -> Tensor:
            answer = self.network(place.moved(R), graph).log_softmax(-1)
            return F.kl_div(answer, expected, reduction="none", log_target=True).sum(-1)  # of each node

        R = place.unit(place.start(self._random_signs(x)))
        for _ in range(self.steps):
            R = place.unit(_gradient(lambda D: divergence(D).sum(), self.xi * R))
        return divergence(self.epsilon * R).mean()

    def _random_signs(self, x: Features) -> Tensor:
        """1 or -1 for each feature that is stored: the same for sparse features and for dense ones."""
        if isinstance(x, Operator):
            return self.signs(x.with_values(torch.ones_like(x.values))).values - 1
        return self.signs(torch.ones_like(x)) - 1


@dataclass(frozen=True)
class _Place:
    """Where features may move.

    Args:
        moved: The features moved by a perturbation.
        unit: A perturbation with length 1 at every node.
        start: One made of a number for each feature that is stored.
    """

    moved: Callable[[Tensor], Features]
    unit: Callable[[Tensor], Tensor]
    start: Callable[[Tensor], Tensor]


def _where_stored(x: Features) -> _Place:
    """At the features that are not 0."""
    if not isinstance(x, Operator):
        return _Place(lambda R: x + R, lambda R: _rows(torch.where(x == 0, 0, R)), lambda numbers: numbers)
    row = x.pattern.row

    def unit(R: Tensor) -> Tensor:
        squares = R.new_zeros(x.shape[0]).index_add(0, row, R.square())
        return R / squares.sqrt().clamp(min=1e-30)[row]

    return _Place(lambda R: x.with_values(x.values + R), unit, lambda numbers: numbers)


def _everywhere(x: Features) -> _Place:
    """At all features; it starts at those that are not 0."""
    if not isinstance(x, Operator):
        return _Place(lambda R: x + R, _rows, lambda numbers: torch.where(x == 0, 0, numbers))
    full, (N, width) = x.derived("dense", x.to_dense), x.shape
    places = x.derived("places", lambda: x.pattern.row * width + x.pattern.col)

    def start(numbers: Tensor) -> Tensor:
        return numbers.new_zeros(N * width).index_add(0, places, numbers).reshape(N, width)

    return _Place(lambda R: full + R, _rows, start)


def _rows(R: Tensor) -> Tensor:
    return F.normalize(R, dim=-1, eps=1e-30)


def _gradient(function: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """The gradient as a constant; by plain autograd where no transformation runs, which is quicker on a CPU."""
    with torch.no_grad():
        if not is_plain(at):
            return grad(function)(at)
    with torch.enable_grad():
        leaf = at.detach().requires_grad_()
        return torch.autograd.grad(function(leaf), leaf)[0]
