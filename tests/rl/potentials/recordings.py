"""Recorded steps of a small walk, for the tests of potentials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Recording:
    state: Any
    reward: Any
    next_state: Any
    terminated: Any
    episode: Any


def corridor_walk(
    length: int, episodes: int, *, seed: int = 0, cost: float = 0.0, goal: float = 1.0
) -> Recording:
    """A random walk from cell 0 that ends at the last cell."""
    generator = np.random.default_rng(seed)
    rows = []
    for episode in range(episodes):
        s = 0
        while s != length - 1:
            after = max(s + generator.choice([-1, 1]), 0)
            ended = after == length - 1
            rows.append((s, goal if ended else cost, after, ended, episode))
            s = after
    return Recording(*(np.array(column) for column in zip(*rows, strict=True)))


def as_vectors(walk: Recording, length: int) -> Recording:
    """The same walk with the place as two features."""

    def place(cells: Any) -> Any:
        return np.column_stack([cells / length, np.cos(cells)])

    return Recording(place(walk.state), walk.reward, place(walk.next_state), walk.terminated, walk.episode)
