"""The latest steps of several environments that run side by side."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray


class StepMemory:
    """The latest steps, one row each, in the form that potentials read.

    Args:
        size: Number of steps to keep; the oldest are dropped.

    Attributes:
        ended: Number of episodes that have ended so far.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._rows: deque[tuple[Any, ...]] = deque()
        self._count = 0
        self._episode: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._episodes = 0
        self.ended = 0

    def __len__(self) -> int:
        return self._count

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_rows": deque(), "_count": 0}  # a saved learner records anew

    def add(self, state: Any, reward: Any, next_state: Any, terminated: Any, done: Any) -> None:
        """Add one step of each environment; arrays of n rows.

        Args:
            state: States or observations.
            reward: Raw rewards.
            next_state: What the step led to, before any reset.
            terminated: Whether the process ended.
            done: Whether the episode ended, by the process or by a limit of time.
        """
        n = len(done)
        if len(self._episode) != n:
            self._episode = self._new_episodes(n)
        columns = (state, reward, next_state, terminated, self._episode)
        self._rows.append(tuple(np.array(column) for column in columns))
        self._count += n
        ended = np.flatnonzero(done)
        self._episode[ended] = self._new_episodes(len(ended))
        self.ended += len(ended)
        while self._count > self.size and len(self._rows) > 1:
            self._count -= len(self._rows.popleft()[-1])

    def _new_episodes(self, count: int) -> NDArray[np.int64]:
        self._episodes += count
        return np.arange(self._episodes - count, self._episodes)

    def _column(self, place: int) -> NDArray[Any]:
        return np.concatenate([row[place] for row in self._rows])

    @property
    def state(self) -> NDArray[Any]:
        """``[T]`` or ``[T, F]``."""
        return self._column(0)

    @property
    def reward(self) -> NDArray[Any]:
        """``[T]``."""
        return self._column(1)

    @property
    def next_state(self) -> NDArray[Any]:
        """``[T]`` or ``[T, F]``."""
        return self._column(2)

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """``[T]``."""
        return self._column(3)

    @property
    def episode(self) -> NDArray[np.int64]:
        """``[T]``."""
        return self._column(4)
