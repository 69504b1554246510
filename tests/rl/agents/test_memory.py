"""Steps of environments side by side keep their order and their episodes."""

from __future__ import annotations

import numpy as np

from allpass.rl.agents.memory import StepMemory


def test_episodes_and_rows_are_those_of_each_environment() -> None:
    memory = StepMemory(100)
    for t in range(5):
        done = np.array([t == 1, t == 3])
        memory.add(np.array([t, 10 + t]), np.zeros(2), np.array([t + 1, 11 + t]), done & [True, False], done)
    episode = memory.episode.reshape(5, 2)
    assert len(memory) == 10
    assert memory.ended == 2
    assert episode[:2, 0].tolist() == [0, 0]
    assert episode[:4, 1].tolist() == [1, 1, 1, 1]
    assert len({0, 1, episode[2, 0], episode[4, 1]}) == 4
    np.testing.assert_array_equal(memory.state.reshape(5, 2)[:, 1], np.arange(10, 15))
    np.testing.assert_array_equal(memory.terminated.nonzero()[0], [2])


def test_the_oldest_steps_are_dropped() -> None:
    memory = StepMemory(6)
    for t in range(10):
        memory.add(np.array([t, t]), np.zeros(2), np.array([t, t]), np.zeros(2, bool), np.zeros(2, bool))
    assert memory.state.tolist() == [7, 7, 8, 8, 9, 9]
