"""FourRooms seen through noise: each cell is a random vector, and the goal can move."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from allpass.rl.environments.grids import FOUR_ROOMS
from allpass.rl.mdp import TabularMDP

SIZE = 64
GOALS = ((11, 11), (1, 11))
"""Row and column of the first goal and of the new one, in the drawing."""


def rooms(goal: tuple[int, int], discount: float) -> TabularMDP:
    """FourRooms with a goal in one cell; episodes begin anywhere."""
    lines = [list(line.replace("G", " ").replace("S", " ")) for line in FOUR_ROOMS.strip("\n").split("\n")]
    lines[goal[0]][goal[1]] = "G"
    return TabularMDP.from_grid("\n".join("".join(line) for line in lines), discount)


class NoisyRooms(gym.Env[Any, Any]):
    """FourRooms whose cells are vectors of 64 numbers, seen with noise.

    Args:
        goal: Row and column of the goal.
        seed: Decides the vectors, which are the same for all goals.
        noise: Standard deviation of the noise; the vectors have 1.
        limit: Steps of an episode.
        discount: Of the process.
    """

    def __init__(
        self,
        goal: tuple[int, int],
        seed: int,
        *,
        noise: float = 0.3,
        limit: int = 100,
        discount: float = 0.97,
    ) -> None:
        self.mdp = rooms(goal, discount)
        self.noise, self.limit = noise, limit
        vectors = np.random.default_rng([seed, 7]).normal(size=(13, 13, SIZE))
        assert self.mdp.states is not None
        cells = [
            name if isinstance(name, tuple) else goal for name in self.mdp.states
        ]  # the end lies at the goal
        self.vectors: NDArray[np.float64] = np.stack([vectors[cell] for cell in cells])
        self.observation_space = spaces.Box(-np.inf, np.inf, (SIZE,), np.float32)
        self.action_space = spaces.Discrete(4)
        self._world = self.mdp.to_env()

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:  # noqa: ARG002
        super().reset(seed=seed)
        self._steps = 0
        state, _ = self._world.reset(seed=seed)
        return self._seen(state), {}

    def step(self, action: Any) -> Any:
        state, reward, ended, _, _ = self._world.step(int(action))
        self._steps += 1
        return self._seen(state), reward, ended, self._steps >= self.limit and not ended, {}

    def _seen(self, state: int) -> Any:
        return (self.vectors[state] + self.noise * self.np_random.normal(size=SIZE)).astype(np.float32)
