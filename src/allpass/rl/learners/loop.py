"""The loop of tabular learners: all seeds take their steps together, each in its own episode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.learners.draws import Draws
from allpass.rl.learners.worlds import World

Index = NDArray[np.int64]
Array = NDArray[np.float64]


class Learner(Protocol):
    """What acts and learns in R copies of a world."""

    draws: int
    updates: Index

    def act(self, rows: Index, states: Index, draw: Array) -> Index:
        """Actions."""
        ...

    def learn(self, rows: Index, *step: Any) -> None:
        """Learn from a step: states, actions, rewards, next states, who terminated, uniform numbers."""
        ...


class Reward(Protocol):
    """What is added to the reward before a learner sees it."""

    def added(self, rows: Index, states: Index, actions: Index, after: Index, terminated: Any) -> Array:
        """Additional reward of a step."""
        ...

    def observe(
        self, rows: Index, states: Index, rewards: Array, after: Index, terminated: Any, done: Any
    ) -> None:
        """Take notice of a step that was learned, with its raw reward; ``done`` says whose episode ended."""
        ...


@dataclass(frozen=True)
class History:
    """What happened.

    Args:
        steps: Steps of each episode, ``[R, episodes]``; 0 where the limit of steps came first.
        first_reward: Steps up to the first reward above 0, ``[R]``; -1 where there was none.
        updates: Updates of the table, ``[R]``.
    """

    steps: Index
    first_reward: Index
    updates: Index


def learn(
    world: World,
    learner: Learner,
    seeds: Sequence[int],
    *,
    episodes: int,
    bonus: Reward | None = None,
    episode_limit: int | None = None,
    max_steps: int = 1_000_000,
    until_reward: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> History:
    """Let one learner for each seed learn.

    Args:
        world: As many copies as there are seeds.
        learner: As many copies.
        seeds: The seeds; what a seed does depends on no other.
        episodes: Number of episodes of each.
        bonus: What is added to the reward.
        episode_limit: Steps after which an episode is cut short; the state it reached keeps its value.
        max_steps: Steps after which a seed stops.
        until_reward: Stop a seed at its first reward above 0.
        on_progress: Called every 1000 steps with the number of seeds that go on.
    """
    if episodes < 1 or max_steps < 1:
        raise InputError(
            f"Got episodes = {episodes} and max_steps = {max_steps}.", "Expected at least one of each."
        )
    R = len(seeds)
    draws = Draws(seeds, learner.draws + 2)
    steps: Index = np.zeros((R, episodes), dtype=np.int64)
    first_reward, episode, length = np.full(R, -1), np.zeros(R, dtype=np.int64), np.zeros(R, dtype=np.int64)
    rows = np.arange(R)
    state = world.reset(rows, draws.next()[:, 0])
    for t in range(1, max_steps + 1):
        draw = draws.next()[rows]
        here = state[rows]
        action = learner.act(rows, here, draw[:, 2:])
        after, reward, terminated = world.step(rows, action, draw[:, 0])
        length[rows] += 1
        cut = np.zeros_like(terminated) if episode_limit is None else length[rows] >= episode_limit
        done = terminated | cut
        seen = reward if bonus is None else reward + bonus.added(rows, here, action, after, terminated)
        learner.learn(rows, here, action, seen, after, terminated, draw[:, 2:])
        if bonus is not None:
            bonus.observe(rows, here, reward, after, terminated, done)
        state[rows] = after
        first_reward[rows[(reward > 0) & (first_reward[rows] < 0)]] = t
        if done.any():
            ended = rows[done]
            steps[ended, episode[ended]] = length[ended]
            episode[ended] += 1
            length[ended] = 0
            state[ended] = world.reset(ended, draw[done, 1])
        going = episode[rows] < episodes
        if until_reward:
            going &= first_reward[rows] < 0
        if not going.all():
            rows = rows[going]
            if not rows.size:
                break
        if on_progress is not None and t % 1000 == 0:
            on_progress(len(rows))
    return History(steps, first_reward, learner.updates.copy())
