"""Shaping for tabular learners: each seed has its own recording and its own potential."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.potentials import Potential
from allpass.rl.shaping import shaping_reward

Index = NDArray[np.int64]
Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Recorded:
    """The steps of one seed, in the form that potentials read; arrays of T rows."""

    state: Index
    reward: Array
    next_state: Index
    terminated: Bools
    episode: Index


class Shaping:
    r"""Adds :math:`\gamma \phi(s') - \phi(s)`, and refits :math:`\phi` as recordings grow.

    A potential is fitted after the first episode of its seed and after every ``refresh_every`` more.

    Args:
        make: Gives the potential of a seed.
        seeds: The seeds.
        num_states: S.
        discount: :math:`\gamma`.
        refresh_every: Episodes between fits.
        on_fit: Called after each fit with the row of the seed, its number of episodes, and its potential ``[S]``.

    Attributes:
        phi: The present potential of all states, ``[R, S]``.
        fits: How often each was fitted, ``[R]``.
    """

    def __init__(
        self,
        make: Callable[[int], Potential],
        seeds: Sequence[int],
        num_states: int,
        *,
        discount: float = 0.99,
        refresh_every: int = 10,
        on_fit: Callable[[int, int, Array], None] | None = None,
    ) -> None:
        if refresh_every < 1:
            raise InputError(f"Got refresh_every = {refresh_every}.", "Expected at least one episode.")
        R = len(seeds)
        self._potentials = [make(seed) for seed in seeds]
        self.phi: Array = np.zeros((R, num_states))
        self.fits: Index = np.zeros(R, dtype=np.int64)
        self._discount, self._refresh, self._on_fit = discount, refresh_every, on_fit
        self._episode: Index = np.zeros(R, dtype=np.int64)
        self._length: Index = np.zeros(R, dtype=np.int64)
        self._log = {name: np.zeros((R, 256), dtype=kind) for name, kind in _COLUMNS.items()}

    def added(self, rows: Index, states: Index, actions: Index, after: Index, terminated: Any) -> Array:  # noqa: ARG002
        """F of a step of some seeds."""
        return shaping_reward(self.phi[rows, states], self.phi[rows, after], terminated, self._discount)

    def observe(
        self, rows: Index, states: Index, rewards: Array, after: Index, terminated: Any, done: Any
    ) -> None:
        """Record a step of some seeds, and refit where it is time."""
        place = self._length[rows]
        if place.max() >= self._log["state"].shape[1]:
            self._log = {name: np.concatenate([old, old], axis=1) for name, old in self._log.items()}
        columns = states, rewards, after, terminated, self._episode[rows]
        for log, column in zip(self._log.values(), columns, strict=True):
            log[rows, place] = column
        self._length[rows] += 1
        self._episode[rows[done]] += 1
        for row in rows[done]:
            if (self._episode[row] - 1) % self._refresh == 0:
                self._fit(int(row))

    def recorded(self, row: int) -> Recorded:
        """All steps of a seed so far."""
        return Recorded(**{name: log[row, : self._length[row]] for name, log in self._log.items()})

    def _fit(self, row: int) -> None:
        potential = self._potentials[row].fit(self.recorded(row))
        self.phi[row] = potential.potential(np.arange(self.phi.shape[1]))
        self.fits[row] += 1
        if self._on_fit is not None:
            self._on_fit(row, int(self._episode[row]), self.phi[row].copy())


_COLUMNS: dict[str, Any] = {
    "state": np.int64,
    "reward": np.float64,
    "next_state": np.int64,
    "terminated": np.bool_,
    "episode": np.int64,
}
