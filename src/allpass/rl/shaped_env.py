"""An environment whose reward is shaped by a potential that is refitted as it is used."""

from __future__ import annotations

from typing import Any

import numpy as np

from allpass.errors import InputError
from allpass.rl.gymnasium_extra import require_gymnasium
from allpass.rl.potentials import Potential, create_potential
from allpass.rl.recording.recorder import Tape
from allpass.rl.recording.states import StateFunction
from allpass.rl.recording.transitions import Transitions
from allpass.rl.shaping import shaping_reward

require_gymnasium("Shaping an environment")
import gymnasium as gym  # noqa: E402


class PotentialShaping(gym.Wrapper[Any, Any, Any, Any], gym.utils.RecordConstructorArgs):
    r"""Adds :math:`F = \gamma \phi(s') - \phi(s)` to the reward; optimal policies stay as they are.

    :math:`\phi` counts as 0 where an episode terminated, but not where it was truncated. ``info["env_reward"]`` keeps
    the raw reward and ``info["shaping"]`` F. Evaluate on an environment without this wrapper.

    Args:
        env: The environment.
        potential: A potential of :mod:`allpass.rl.potentials`, or its name.
        state_fn: As for :class:`~allpass.rl.TransitionRecorder`; environments with numbers as observations need none.
        discount: :math:`\gamma` of the learner.
        refresh_every: The potential is refitted after so many episodes.
        memory: Number of latest steps that it is fitted on.

    Example:
        >>> import gymnasium as gym
        >>> env = PotentialShaping(gym.make("allpass/Grid-v0", grid="S..G"), "harmonic", refresh_every=1)
        >>> _ = env.reset(seed=0)
        >>> [env.step(1)[1] for _ in range(3)]  # nothing is known yet
        [0.0, 0.0, 1.0]
        >>> _ = env.reset()
        >>> observation, reward, terminated, truncated, info = env.step(3)  # into a wall
        >>> round(reward, 4), info["env_reward"]
        (-0.0092, 0.0)
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        potential: Potential | str = "harmonic",
        state_fn: StateFunction | None = None,
        *,
        discount: float = 0.99,
        refresh_every: int = 10,
        memory: int = 20_000,
    ) -> None:
        if not 0 <= discount <= 1 or refresh_every < 1 or memory < 1:
            raise InputError(
                f"Got discount = {discount}, refresh_every = {refresh_every} and memory = {memory}.",
                "Expected a discount from 0 to 1, and at least one episode and one step.",
            )
        gym.utils.RecordConstructorArgs.__init__(
            self,
            potential=potential,
            state_fn=state_fn,
            discount=discount,
            refresh_every=refresh_every,
            memory=memory,
        )
        super().__init__(env)
        self.potential = create_potential(potential) if isinstance(potential, str) else potential
        self.discount, self.refresh_every, self.memory = discount, refresh_every, memory
        self.fits = 0
        self._tape = Tape(env.observation_space, state_fn)
        self._state: Any = None
        self._episode = -1
        self._ended = 0
        self._known: dict[int, float] = {}

    def transitions(self) -> Transitions:
        """The recorded steps, with raw rewards."""
        return self._tape.transitions()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observation, info = self.env.reset(seed=seed, options=options)
        self._state = self._tape.state_of(observation)
        self._episode += 1
        return observation, info

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        before, after = self._state, self._tape.state_of(observation)
        ends = bool(terminated), bool(truncated)
        now, then = self._phi(before), self._phi(after)
        shaping = float(shaping_reward(now, then, terminated, self.discount))
        info = info | {"env_reward": float(reward), "shaping": shaping}
        self._tape.add(before, action, float(reward), after, *ends, self._episode)
        self._state = after
        if any(ends):
            self._ended += 1
            if self._ended % self.refresh_every == 0:
                self._refit()
        return observation, float(reward) + shaping, terminated, truncated, info

    def _phi(self, state: Any) -> float:
        if isinstance(state, np.ndarray):
            return float(self.potential.potential(state[None])[0])
        if state not in self._known:
            self._known[state] = float(self.potential.potential(np.array([state]))[0])
        return self._known[state]

    def _refit(self) -> None:
        for column in self._tape.columns.values():
            del column[: -self.memory]
        self.potential.fit(self._tape.transitions())
        self._known.clear()
        self.fits += 1
