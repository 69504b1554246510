"""A tabular actor-critic for many seeds at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allpass.errors import InputError

Index = NDArray[np.int64]
Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


class ActorCritic:
    r"""A softmax over preferences, which the error of a table of values moves.

    .. math::
        \delta = r + \gamma V(s') - V(s), \quad V(s) \leftarrow V(s) + \eta_V \delta, \quad
        \theta(s, b) \leftarrow \theta(s, b) + \eta_\pi \delta \, ([b = a] - \pi(b \mid s)) / T

    Args:
        copies: R, the number of tables.
        num_states: S.
        num_actions: A.
        discount: :math:`\gamma`.
        rate: :math:`\eta_V`.
        actor_rate: :math:`\eta_\pi`.
        temperature: T of the softmax.
        epsilon: Probability of a random action.
    """

    draws = 3

    def __init__(
        self,
        copies: int,
        num_states: int,
        num_actions: int,
        *,
        discount: float = 0.99,
        rate: float = 0.1,
        actor_rate: float = 0.1,
        temperature: float = 0.1,
        epsilon: float = 0.1,
    ) -> None:
        if temperature <= 0 or min(rate, actor_rate) <= 0:
            raise InputError(
                f"Got rate = {rate}, actor_rate = {actor_rate} and temperature = {temperature}.",
                "Expected numbers above 0.",
            )
        self.V: Array = np.zeros((copies, num_states))
        self.preferences: Array = np.zeros((copies, num_states, num_actions))
        self.discount, self.rate, self.actor_rate = discount, rate, actor_rate
        self.temperature, self.epsilon = temperature, epsilon
        self.updates: Index = np.zeros(copies, dtype=np.int64)

    def policy(self, rows: Index, states: Index) -> Array:
        """Probabilities of the actions, ``[B, A]``, without random actions."""
        scaled = self.preferences[rows, states] / self.temperature
        weights = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def act(self, rows: Index, states: Index, draw: Array) -> Index:
        """Actions of some copies, given uniform numbers ``[B, 3]``."""
        up_to = self.policy(rows, states).cumsum(axis=1)[:, :-1]
        chosen = (draw[:, :1] >= up_to).sum(axis=1)
        random = (draw[:, 1] * self.preferences.shape[2]).astype(np.int64)
        return np.where(draw[:, 2] < self.epsilon, random, chosen)

    def learn(
        self,
        rows: Index,
        states: Index,
        actions: Index,
        rewards: Array,
        after: Index,
        terminated: Bools,
        draw: Array,  # noqa: ARG002 - the learners share one signature
    ) -> None:
        """Learn from one step of some copies."""
        future = np.where(terminated, 0.0, self.V[rows, after])
        error = rewards + self.discount * future - self.V[rows, states]
        direction = -self.policy(rows, states) / self.temperature
        direction[np.arange(len(rows)), actions] += 1 / self.temperature
        self.V[rows, states] += self.rate * error
        self.preferences[rows, states] += self.actor_rate * error[:, None] * direction
        self.updates[rows] += 1
