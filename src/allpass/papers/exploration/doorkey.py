"""MiniGrid's DoorKey with numbers as states, many layouts side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]
Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

ENVIRONMENT = "MiniGrid-DoorKey-8x8-v0"
_MOVES = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)])  # by direction, as MiniGrid counts them
_LEFT, _RIGHT, _FORWARD, _PICK_UP, _DROP, _TOGGLE = range(6)
_OPEN, _LOCKED = 0, 2


class DoorKeyWorld:
    """DoorKey-8x8, in the layout that each seed gives it; every episode begins in that layout again.

    A state is the agent's cell and direction, the key's cell (or that it is carried), and open, closed or locked. The
    reward is 1 at the goal.

    Args:
        seeds: Seeds of the layouts.
    """

    num_actions = 7

    def __init__(self, seeds: Sequence[int]) -> None:
        layouts = [_layout(seed) for seed in seeds]
        self._walls = np.stack([layout["walls"] for layout in layouts])
        self._first = np.array([layout["first"] for layout in layouts])  # x, y, direction, key, door state
        self._door = np.array([layout["door"] for layout in layouts])
        self._goal = np.array([layout["goal"] for layout in layouts])
        self._size = self._walls.shape[1]
        self._carried = self._size**2
        self.num_states = self._size**2 * 4 * (self._size**2 + 1) * 3
        self._now = self._first.copy()

    def reset(self, rows: Index, draw: Array) -> Index:  # noqa: ARG002 - the layout is fixed
        self._now[rows] = self._first[rows]
        return self._numbers(rows)

    def step(self, rows: Index, actions: Index, draw: Array) -> tuple[Index, Array, Bools]:  # noqa: ARG002
        x, y, direction, key, door = self._now[rows].T.copy()
        ahead_x, ahead_y = (np.stack([x, y], axis=1) + _MOVES[direction]).T
        ahead = ahead_x * self._size + ahead_y
        at_key, at_door, at_goal = ahead == key, ahead == self._door[rows], ahead == self._goal[rows]
        wall = self._walls[rows, ahead_x, ahead_y]
        direction = np.where(actions == _LEFT, (direction - 1) % 4, direction)
        direction = np.where(actions == _RIGHT, (direction + 1) % 4, direction)
        moves = (actions == _FORWARD) & ~wall & ~at_key & (~at_door | (door == _OPEN))
        x, y = np.where(moves, ahead_x, x), np.where(moves, ahead_y, y)
        carried = key == self._carried
        free = ~wall & ~at_key & ~at_door & ~at_goal
        after_key = np.where((actions == _PICK_UP) & at_key, self._carried, key)
        after_key = np.where((actions == _DROP) & carried & free, ahead, after_key)
        turns = (actions == _TOGGLE) & at_door & ((door != _LOCKED) | carried)
        door = np.where(turns, np.where(door == _OPEN, 1, _OPEN), door)
        self._now[rows] = np.stack([x, y, direction, after_key, door], axis=1)
        reached = moves & at_goal
        return self._numbers(rows), reached.astype(np.float64), reached

    def _numbers(self, rows: Index) -> Index:
        x, y, direction, key, door = self._now[rows].T
        cell = x * self._size + y
        return np.asarray(((cell * 4 + direction) * (self._carried + 1) + key) * 3 + door)


def _layout(seed: int) -> dict[str, Any]:
    """Where everything is after a reset of the environment."""
    import gymnasium as gym
    import minigrid  # noqa: F401 - registers its environments

    env: Any = gym.make(ENVIRONMENT)
    env.reset(seed=seed)
    return read_layout(env.unwrapped)


def read_layout(env: Any) -> dict[str, Any]:
    """Where everything is now.

    Args:
        env: The environment without wrappers.
    """
    size = env.grid.width
    things = {(x, y): env.grid.get(x, y) for x in range(size) for y in range(size)}
    place = {thing.type: x * size + y for (x, y), thing in things.items() if thing is not None}
    walls = np.array([[_is_wall(things[x, y]) for y in range(size)] for x in range(size)])
    door = env.grid.get(*divmod(place["door"], size))
    state = 0 if door.is_open else 2 if door.is_locked else 1
    key = place.get("key", size**2)
    first = (*env.agent_pos, env.agent_dir, key, state)
    return {"walls": walls, "door": place["door"], "goal": place["goal"], "first": tuple(map(int, first))}


def _is_wall(thing: Any) -> bool:
    return thing is not None and thing.type == "wall"
