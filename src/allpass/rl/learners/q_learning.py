"""Q-learning and Dyna-Q for many seeds at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allpass.errors import InputError

Index = NDArray[np.int64]
Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


class QLearning:
    r"""Tabular Q-learning, :math:`\epsilon`-greedy with random ties.

    .. math::
        Q(s, a) \leftarrow Q(s, a) + \eta \, (r + \gamma \max_b Q(s', b) - Q(s, a))

    Args:
        copies: R, the number of tables.
        num_states: S.
        num_actions: A.
        discount: :math:`\gamma`.
        rate: :math:`\eta`.
        epsilon: Probability of a random action.
        initial: First values ``[S]``, ``[S, A]`` or ``[R, S, A]``; by default 0.
    """

    draws = 3

    def __init__(
        self,
        copies: int,
        num_states: int,
        num_actions: int,
        *,
        discount: float = 0.99,
        rate: float = 0.5,
        epsilon: float = 0.1,
        initial: Array | float = 0.0,
    ) -> None:
        if not 0 <= discount <= 1 or not 0 < rate <= 1 or not 0 <= epsilon <= 1:
            raise InputError(
                f"Got discount = {discount}, rate = {rate} and epsilon = {epsilon}.",
                "Expected numbers from 0 to 1, and a rate above 0.",
            )
        first = np.asarray(initial, dtype=np.float64)
        self.Q: Array = np.zeros((copies, num_states, num_actions))
        self.Q += first[:, None] if first.ndim == 1 else first
        self.discount, self.rate, self.epsilon = discount, rate, epsilon
        self.updates: Index = np.zeros(copies, dtype=np.int64)

    def act(self, rows: Index, states: Index, draw: Array) -> Index:
        """Actions of some copies, given uniform numbers ``[B, 3]``."""
        values = self.Q[rows, states]
        best = values == values.max(axis=1, keepdims=True)
        order = best.cumsum(axis=1)
        chosen = (order <= (draw[:, 0] * order[:, -1])[:, None]).sum(axis=1)  # one of the best, all as likely
        random = (draw[:, 1] * values.shape[1]).astype(np.int64)
        return np.where(draw[:, 2] < self.epsilon, random, chosen)

    def learn(
        self,
        rows: Index,
        states: Index,
        actions: Index,
        rewards: Array,
        after: Index,
        terminated: Bools,
        draw: Array,  # noqa: ARG002 - Dyna-Q plans with it
    ) -> None:
        """Learn from one step of some copies."""
        self._update(rows, states, actions, rewards, after, terminated)

    def _update(
        self, rows: Index, states: Index, actions: Index, rewards: Array, after: Index, terminated: Bools
    ) -> None:
        future = np.where(terminated, 0.0, self.Q[rows, after].max(axis=1))
        error = rewards + self.discount * future - self.Q[rows, states, actions]
        self.Q[rows, states, actions] += self.rate * error
        self.updates[rows] += 1


class DynaQ(QLearning):
    """Q-learning that repeats recorded steps: after each step, so many of the pairs of state and action seen so far.

    The model keeps the last outcome of each pair (Sutton, 1990).

    Args:
        copies: R, the number of tables.
        num_states: S.
        num_actions: A.
        planning: Number of repeated steps after each step.
        discount: See :class:`QLearning`.
        rate: See :class:`QLearning`.
        epsilon: See :class:`QLearning`.
    """

    def __init__(
        self,
        copies: int,
        num_states: int,
        num_actions: int,
        *,
        planning: int = 10,
        discount: float = 0.99,
        rate: float = 0.5,
        epsilon: float = 0.1,
    ) -> None:
        super().__init__(copies, num_states, num_actions, discount=discount, rate=rate, epsilon=epsilon)
        if planning < 1:
            raise InputError(f"Got planning = {planning}.", "Expected at least one repeated step.")
        self.planning, self.draws = planning, 3 + planning
        size = copies, num_states * num_actions
        self._known = np.zeros(size, dtype=np.int64)  # pairs in the order in which they were first seen
        self._count = np.zeros(copies, dtype=np.int64)
        self._after = np.full(size, -1, dtype=np.int64)
        self._reward = np.zeros(size)
        self._ended = np.zeros(size, dtype=bool)

    def learn(
        self,
        rows: Index,
        states: Index,
        actions: Index,
        rewards: Array,
        after: Index,
        terminated: Bools,
        draw: Array,
    ) -> None:
        self._update(rows, states, actions, rewards, after, terminated)
        A = self.Q.shape[2]
        pair = states * A + actions
        new = self._after[rows, pair] < 0
        self._known[rows[new], self._count[rows[new]]] = pair[new]
        self._count[rows[new]] += 1
        self._after[rows, pair], self._reward[rows, pair] = after, rewards
        self._ended[rows, pair] = terminated
        for column in range(3, 3 + self.planning):
            again = self._known[rows, (draw[:, column] * self._count[rows]).astype(np.int64)]
            self._update(
                rows,
                again // A,
                again % A,
                self._reward[rows, again],
                self._after[rows, again],
                self._ended[rows, again],
            )
