"""The potentials by name, and the control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.rl.potentials.diffusion import DiffusionPotential
from allpass.rl.potentials.interface import Potential, Steps
from allpass.rl.potentials.learned import LearnedPotential
from allpass.rl.potentials.tabular import (
    BestPathPotential,
    HarmonicPotential,
    MessagePotential,
    SoftPotential,
)


class ShuffledPotential:
    """Another potential whose rewards are given to random steps: the control that knows the graph but not the reward.

    Args:
        inner: The potential.
        seed: Decides the order.
    """

    def __init__(self, inner: Potential, seed: int = 0) -> None:
        self.inner, self.seed = inner, seed

    def fit(self, steps: Steps) -> Self:
        order = np.random.default_rng(self.seed).permutation(len(np.asarray(steps.reward)))
        self.inner.fit(_Reordered(steps, order))
        return self

    def potential(self, states: Any) -> NDArray[np.float64]:
        return self.inner.potential(states)


class _Reordered:
    def __init__(self, steps: Steps, order: NDArray[np.int64]) -> None:
        self.state, self.next_state, self.episode = steps.state, steps.next_state, steps.episode
        self.reward = np.asarray(steps.reward)[order]
        self.terminated = np.asarray(steps.terminated)[order]


POTENTIALS: dict[str, Callable[..., Potential]] = {
    "harmonic": HarmonicPotential,
    "soft": SoftPotential,
    "best-path": BestPathPotential,
    "messages": MessagePotential,
    "backward-messages": lambda **settings: MessagePotential(backward=True, **settings),
    "gcn": lambda **settings: LearnedPotential("gcn", **settings),
    "acm-gcn": lambda **settings: LearnedPotential("acm-gcn", **settings),
    "krylov": lambda **settings: LearnedPotential("krylov", **settings),
    "diffusion": DiffusionPotential,
}


def create_potential(name: str, **settings: Any) -> Potential:
    """A potential by name: one of ``POTENTIALS``."""
    if name not in POTENTIALS:
        raise UnknownNameError(f"There is no potential {name!r}.", did_you_mean(name, POTENTIALS))
    try:
        return POTENTIALS[name](**settings)
    except TypeError as error:
        given = ", ".join(settings)
        raise InputError(
            f"The potential {name!r} does not take {given}: {error}.", "Check its settings."
        ) from error
