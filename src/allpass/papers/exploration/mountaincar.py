"""MountainCar with numbers as states, many cars side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]
Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

LOW, HIGH = np.array([-1.2, -0.07]), np.array([0.6, 0.07])


class MountainCarWorld:
    """Gymnasium's MountainCar-v0, seen as one of ``bins x bins`` cells of position and speed; reward 1 at the goal.

    Args:
        copies: Number of cars.
        bins: Cells along each axis.
    """

    num_actions = 3

    def __init__(self, copies: int, bins: int = 20) -> None:
        self._bins = bins
        self.num_states = bins**2
        self.position: Array = np.zeros(copies)
        self.velocity: Array = np.zeros(copies)

    def reset(self, rows: Index, draw: Array) -> Index:
        self.position[rows], self.velocity[rows] = -0.6 + 0.2 * draw, 0.0
        return self._numbers(rows)

    def step(self, rows: Index, actions: Index, draw: Array) -> tuple[Index, Array, Bools]:  # noqa: ARG002
        position, velocity = self.position[rows], self.velocity[rows]
        velocity = np.clip(velocity + (actions - 1) * 0.001 + np.cos(3 * position) * -0.0025, LOW[1], HIGH[1])
        position = np.clip(position + velocity, LOW[0], HIGH[0])
        velocity = np.where((position == LOW[0]) & (velocity < 0), 0.0, velocity)
        self.position[rows], self.velocity[rows] = position, velocity
        reached = (position >= 0.5) & (velocity >= 0)
        return self._numbers(rows), reached.astype(np.float64), reached

    def _numbers(self, rows: Index) -> Index:
        seen = np.stack([self.position[rows], self.velocity[rows]], axis=1)
        cell = ((seen - LOW) / (HIGH - LOW) * self._bins).astype(np.int64).clip(0, self._bins - 1)
        return np.asarray(cell[:, 0] * self._bins + cell[:, 1])
