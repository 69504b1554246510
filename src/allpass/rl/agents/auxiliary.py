"""Auxiliary tasks: losses of transitions (s, a, s') on the representation that an agent acts on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from allpass.errors import UnknownNameError, did_you_mean
from allpass.kge.catalog import MODELS


class Steps(NamedTuple):
    """A batch of transitions, and what an encoder makes of their observations.

    Args:
        z: Vectors of the observations, ``[B, H]``.
        action: ``[B]``.
        after: z', vectors of the next observations, ``[B, H]``.
        seen: The observations themselves as numbers, ``[B, D]``.
        met: The next observations, ``[B, D]``.
        done: 1 where the episode terminated, ``[B]``.
    """

    z: Tensor
    action: Tensor
    after: Tensor
    seen: Tensor
    met: Tensor
    done: Tensor


class AuxiliaryTask(nn.Module, ABC):
    """A loss of a batch of transitions."""

    @abstractmethod
    def forward(self, steps: Steps) -> Tensor:
        """The mean loss."""


class TripletTask(AuxiliaryTask):
    r"""A model of triplets tells the next state from those of the other steps of the batch.

    .. math::
        L = -\frac{1}{B} \sum_i \log \frac{e^{f(s_i, a_i, s'_i)}}{\sum_j e^{f(s_i, a_i, s'_j)}}

    with the score f of TransE, RotatE, QuatE, DihEdral or ComplEx on linear projections of z and z'. Steps j that
    reached the same observation as i are left out of the sum.

    Args:
        model: Name of the model.
        hidden: H, numbers of z.
        num_actions: A.
        dim: Numbers of the projections; a multiple of the blocks of the model.
        seed: Of the initial relations.

    Example:
        >>> import torch
        >>> task, z = TripletTask("rotate", 6, 3, dim=4), torch.randn(5, 6)
        >>> task(Steps(z, torch.tensor([0, 1, 2, 0, 1]), z, z, z, torch.zeros(5))).shape
        torch.Size([])
    """

    def __init__(self, model: str, hidden: int, num_actions: int, *, dim: int = 32, seed: int = 0) -> None:
        super().__init__()
        self.model = MODELS[model].cls(1, num_actions, dim, seed=seed)
        self.model.entities.requires_grad_(False)  # states are encoded, not looked up
        self.project = nn.Linear(hidden, dim)

    def scores(self, z: Tensor, action: Tensor, after: Tensor) -> Tensor:
        """f of every step i with every next state j, ``[B, B]``."""
        acting = self.model.act(self.model.relations)[action]
        return self.model.compare(self.model.to_tail(self.project(z), acting), self.project(after))

    def forward(self, steps: Steps) -> Tensor:
        return contrast(self.scores(steps.z, steps.action, steps.after), steps.met)


class ForwardTask(AuxiliaryTask):
    r"""A multilayer perceptron predicts the next state: :math:`f = -\|z + m(z, a) - z'\|`, the loss as of triplets.

    Args:
        hidden: H, numbers of z.
        num_actions: A.
        dim: Numbers of the projections, and of the hidden layer of m.
    """

    def __init__(self, hidden: int, num_actions: int, *, dim: int = 32) -> None:
        super().__init__()
        self.num_actions = num_actions
        self.project = nn.Linear(hidden, dim)
        self.move = nn.Sequential(nn.Linear(dim + num_actions, dim), nn.ReLU(), nn.Linear(dim, dim))

    def scores(self, z: Tensor, action: Tensor, after: Tensor) -> Tensor:
        """f of every step i with every next state j, ``[B, B]``."""
        here = self.project(z)
        moved = here + self.move(torch.cat([here, F.one_hot(action, self.num_actions).to(here.dtype)], dim=1))
        squares = (moved.unsqueeze(1) - self.project(after).unsqueeze(0)).square().sum(-1)
        return -squares.clamp_min(torch.finfo(squares.dtype).tiny).sqrt()

    def forward(self, steps: Steps) -> Tensor:
        return contrast(self.scores(steps.z, steps.action, steps.after), steps.met)


class SuccessorTask(AuxiliaryTask):
    r"""Successor features of the observations x, by one-step differences.

    .. math::
        \psi(z) \to (1 - \gamma) x + \gamma (1 - done) \psi(z')

    The right side passes no gradient.

    Args:
        hidden: H, numbers of z.
        features: D, numbers of an observation.
        discount: :math:`\gamma`.
    """

    def __init__(self, hidden: int, features: int, *, discount: float = 0.95) -> None:
        super().__init__()
        self.discount = discount
        self.head = nn.Linear(hidden, features)

    def forward(self, steps: Steps) -> Tensor:
        with torch.no_grad():
            later = self.discount * (1 - steps.done).unsqueeze(1) * self.head(steps.after)
        return F.mse_loss(self.head(steps.z), (1 - self.discount) * steps.seen + later)


def contrast(scores: Tensor, met: Tensor) -> Tensor:
    """Cross-entropy of the diagonal of scores ``[B, B]``, without columns that are the same next observation."""
    others = ~torch.eye(len(met), dtype=torch.bool, device=met.device)
    first, second = ((met[:, :1] == met[:, 0]) & others).nonzero(
        as_tuple=True
    )  # whole rows of these few alone
    equal = (met[first] == met[second]).all(dim=1)
    scores = scores.index_put((first[equal], second[equal]), scores.new_tensor(-torch.inf))
    return F.cross_entropy(scores, torch.arange(len(met), device=met.device))


TASKS: Mapping[str, str] = {
    **{entry.name: f"score of triplets, {entry.formula}" for entry in MODELS},
    "forward": "a multilayer perceptron predicts the next state",
    "successor": "successor features of the observations",
}
"""Auxiliary tasks by name."""


def create_task(
    name: str, hidden: int, num_actions: int, features: int, *, dim: int, discount: float, seed: int
) -> AuxiliaryTask:
    """An auxiliary task by name.

    Args:
        name: One of ``TASKS``.
        hidden: Numbers of the representation.
        num_actions: Number of actions.
        features: Numbers of an observation.
        dim: Numbers of projections.
        discount: Of successor features.
        seed: Of relations.
    """
    settings: dict[str, Any] = {"dim": dim}
    if name in (entry.name for entry in MODELS):
        return TripletTask(name, hidden, num_actions, seed=seed, **settings)
    if name == "forward":
        return ForwardTask(hidden, num_actions, **settings)
    if name == "successor":
        return SuccessorTask(hidden, features, discount=discount)
    raise UnknownNameError(f"There is no auxiliary task {name!r}.", did_you_mean(name, TASKS))
