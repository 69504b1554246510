"""A corridor that an agent walks along, as vectors: for the tests of learners."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Corridor(gym.Env[Any, Any]):
    """Left or right from cell 0; reward 1 at the last cell."""

    def __init__(self, length: int = 8, limit: int = 60) -> None:
        self.length, self.limit = length, limit
        self.observation_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = spaces.Discrete(2)

    def _seen(self) -> Any:
        return np.array([self.cell / self.length, np.cos(self.cell)], dtype=np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.cell, self.steps = 0, 0
        return self._seen(), {}

    def step(self, action: Any) -> Any:
        self.cell = min(max(self.cell + (1 if action else -1), 0), self.length - 1)
        self.steps += 1
        ended = self.cell == self.length - 1
        return self._seen(), float(ended), ended, self.steps >= self.limit and not ended, {}
