"""What tabular learners act in: the same task once for each seed, stepped together."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from allpass.rl.mdp import TabularMDP

Index = NDArray[np.int64]
Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


class World(Protocol):
    """R copies of a task; ``rows`` says which of them are meant."""

    num_states: int
    num_actions: int

    def reset(self, rows: Index, draw: Array) -> Index:
        """Begin episodes, given a uniform number for each; returns their first states."""
        ...

    def step(self, rows: Index, actions: Index, draw: Array) -> tuple[Index, Array, Bools]:
        """Take actions, given a uniform number for each; returns next states, rewards and who terminated."""
        ...


class TableWorld:
    """Copies of a :class:`~allpass.rl.TabularMDP`.

    Args:
        mdp: The process. An action that is not allowed leaves the state as it is and gives no reward.
        copies: R, the number of copies.
    """

    def __init__(self, mdp: TabularMDP, copies: int) -> None:
        self.num_states, self.num_actions = mdp.num_states, mdp.num_actions
        self._terminal = mdp.terminal
        self._start = mdp.start.cumsum()
        self._state = np.zeros(copies, dtype=np.int64)
        P = mdp.P.tocsr()
        counts = np.diff(P.indptr)
        row = np.repeat(np.arange(len(counts)), counts)
        column = np.arange(P.nnz) - P.indptr[row]
        width = int(counts.max())
        stay = np.arange(len(counts)) // mdp.num_actions
        self._after = np.repeat(stay[:, None], width, axis=1)
        self._after[row, column] = P.indices
        chance = np.zeros((len(counts), width))
        chance[row, column] = P.data
        self._up_to = chance.cumsum(axis=1)[:, :-1]
        self._reward = np.zeros((len(counts), width))
        rewards = mdp.transition_rewards
        self._reward[row, column] = (
            mdp.r[row] if rewards is None else np.asarray(rewards[row, P.indices]).ravel()
        )

    def reset(self, rows: Index, draw: Array) -> Index:
        self._state[rows] = np.searchsorted(self._start, draw * self._start[-1], side="right")
        return self._state[rows]

    def step(self, rows: Index, actions: Index, draw: Array) -> tuple[Index, Array, Bools]:
        pair = self._state[rows] * self.num_actions + actions
        place = (draw[:, None] >= self._up_to[pair]).sum(axis=1)
        after = self._after[pair, place]
        self._state[rows] = after
        return after, self._reward[pair, place], self._terminal[after]
