"""Steps up to the first reward, for each task, bonus and seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allpass.papers.exploration.doorkey import DoorKeyWorld
from allpass.papers.exploration.mountaincar import MountainCarWorld
from allpass.rl.environments.grids import FOUR_ROOMS_22
from allpass.rl.learners import QLearning, TableWorld, World, learn
from allpass.rl.learners.bonuses import Bonus, CountBonus, GraphCountBonus, SuccessorBonus
from allpass.rl.mdp import TabularMDP

DISCOUNT = 0.99


@dataclass(frozen=True)
class Task:
    """Where to explore.

    Args:
        make: Gives the world of some seeds.
        limit: Steps of an episode; None where it ends at the goal alone.
        max_steps: Steps after which a seed gives up.
    """

    make: Callable[[Sequence[int]], World]
    limit: int | None
    max_steps: int


def far_corner() -> TabularMDP:
    """The four rooms of 22 x 22 cells, from one corner to the opposite one."""
    rows = FOUR_ROOMS_22.replace("S", ".").replace("G", ".").split("\n")
    rows[1] = "#S" + rows[1][2:]
    rows[20] = rows[20][:-2] + "G#"
    return TabularMDP.from_grid("\n".join(rows), 0.99)


TASKS: Mapping[str, Task] = {
    "grid": Task(lambda seeds: TableWorld(far_corner(), len(seeds)), limit=None, max_steps=100_000),
    "mountaincar": Task(lambda seeds: MountainCarWorld(len(seeds)), limit=200, max_steps=200_000),
    "doorkey": Task(DoorKeyWorld, limit=640, max_steps=200_000),
}
"""The tasks by name."""

ARMS: Mapping[str, Callable[[int, int, int], Bonus] | None] = {
    "epsilon-greedy": None,
    "optimistic": None,
    "count": lambda copies, S, A: CountBonus(copies, S, 1.0),  # noqa: ARG005
    "graph-count": lambda copies, S, A: GraphCountBonus(copies, S, A, 1.0),
    "successor-norm": lambda copies, S, A: SuccessorBonus(copies, S, 1.0),  # noqa: ARG005
}
"""The bonuses by name, given copies, states and actions. Before the first reward their scale changes no action."""


def first_rewards(
    task: str, arm: str, seeds: Sequence[int], *, max_steps: int | None = None
) -> NDArray[np.int64]:
    """Steps up to the first reward, ``[R]``; -1 where a seed gave up.

    Q-learning with rate 0.5, discount 0.99 and 0.1 of random actions learns the bonus. Its first values are the largest
    sum of bonuses, so that what was not tried yet is preferred; ``optimistic`` has those values and no bonus. Without
    either, all actions are random.

    Args:
        task: A name of ``TASKS``.
        arm: A name of ``ARMS``.
        seeds: The seeds.
        max_steps: When a seed gives up; by default that of the task.
    """
    chosen, make = TASKS[task], ARMS[arm]
    world = chosen.make(seeds)
    size = len(seeds), world.num_states, world.num_actions
    limit = max_steps or chosen.max_steps
    bonus = None if make is None else make(*size)
    largest = bonus.largest if bonus else float(arm == "optimistic")
    history = learn(
        world,
        QLearning(*size, discount=DISCOUNT, initial=largest / (1 - DISCOUNT)),
        seeds,
        episodes=1 + limit // (chosen.limit or limit),
        bonus=bonus,
        episode_limit=chosen.limit,
        max_steps=limit,
        until_reward=True,
    )
    return history.first_reward
