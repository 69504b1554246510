r"""The shaping of rewards by a potential that is refitted while a learner acts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.agents.memory import StepMemory
from allpass.rl.potentials import Potential, create_potential
from allpass.rl.shaping import shaping_reward


class Shaper:
    r"""Records steps, refits a potential on them, and gives :math:`F = \gamma \phi(s') - \phi(s)`.

    Args:
        potential: A potential, or the name of one.
        state_fn: From observations ``[B, ...]`` to states, numbers ``[B]`` or vectors ``[B, F]``; by default
            observations are flattened.
        refresh_every: Refit after so many episodes.
        memory: Number of latest steps to fit on.
        scale: Factor of the potential, for rewards that are not of size 1.
    """

    def __init__(
        self,
        potential: Potential | str,
        *,
        state_fn: Callable[[Any], Any] | None = None,
        refresh_every: int = 10,
        memory: int = 20_000,
        scale: float = 1.0,
    ) -> None:
        if refresh_every < 1 or memory < 1 or not scale > 0:
            raise InputError(
                f"Got refresh_every = {refresh_every}, memory = {memory} and scale = {scale}.",
                "Expected at least one episode, at least one step, and a scale above 0.",
            )
        self.potential = create_potential(potential) if isinstance(potential, str) else potential
        self.state_fn = state_fn
        self.discrete = False
        self.refresh_every, self.scale = refresh_every, scale
        self.memory = StepMemory(memory)
        self._fitted_at = 0
        self.fits = 0

    def watch(self, observation_space: spaces.Space[Any]) -> None:
        """Say what the learner sees."""
        if isinstance(observation_space, spaces.Dict | spaces.Tuple):
            raise InputError(
                f"Got observations of type {type(observation_space).__name__}.",
                "Wrap the environment in gymnasium.wrappers.FlattenObservation.",
            )
        self.discrete = isinstance(observation_space, spaces.Discrete)

    def states(self, observations: Any) -> NDArray[Any]:
        """The states that observations stand for."""
        seen = np.asarray(observations)
        if self.state_fn is not None:
            return np.asarray(self.state_fn(seen))
        return seen.reshape(-1) if self.discrete else seen.reshape(len(seen), -1)

    def observe(self, before: Any, reward: Any, after: Any, terminated: Any, done: Any) -> None:
        """Record one step of each environment, and refit when enough episodes have ended."""
        self.memory.add(self.states(before), reward, self.states(after), terminated, done)
        if self.memory.ended - self._fitted_at >= self.refresh_every:
            self._fitted_at = self.memory.ended
            self.potential.fit(self.memory)
            self.fits += 1

    def shaping(self, before: Any, after: Any, terminated: Any, discount: Any) -> NDArray[np.float64]:
        """F of steps, ``[B]``."""
        states = np.concatenate([self.states(before), self.states(after)])
        now, then = np.split(self.scale * self.potential.potential(states), 2)
        return shaping_reward(now, then, terminated, discount)
