"""The recording and the potential of each seed."""

from __future__ import annotations

import numpy as np

from allpass.rl import HarmonicPotential, TabularMDP
from allpass.rl.learners import QLearning, Shaping, TableWorld, learn


def test_the_recording_is_what_happened_and_the_potential_is_fitted_on_it() -> None:
    mdp = TabularMDP.from_grid("S....G", 0.9)
    shaping = Shaping(lambda _: HarmonicPotential(0.9), [0, 1], mdp.num_states, discount=0.9, refresh_every=4)
    learner = QLearning(2, mdp.num_states, mdp.num_actions, discount=0.9)
    history = learn(TableWorld(mdp, 2), learner, [0, 1], episodes=9, bonus=shaping)
    np.testing.assert_array_equal(shaping.fits, [3, 3])  # after episodes 1, 5 and 9
    for row in range(2):
        steps = shaping.recorded(row)
        np.testing.assert_array_equal(np.bincount(steps.episode), history.steps[row])
        assert steps.terminated.sum() == 9
        assert (steps.reward == steps.terminated).all()  # raw rewards
        follows = steps.episode[1:] == steps.episode[:-1]
        np.testing.assert_array_equal(steps.state[1:][follows], steps.next_state[:-1][follows])
        expected = HarmonicPotential(0.9).fit(steps).potential(np.arange(mdp.num_states))
        np.testing.assert_array_equal(shaping.phi[row], expected)


def test_a_truncated_end_keeps_its_potential() -> None:
    shaping = Shaping(lambda _: HarmonicPotential(), [0], 2, discount=0.5)
    shaping.phi[0] = [0.2, 0.6]
    one = np.ones(1, dtype=int)
    for terminated, expected in ((False, 0.5 * 0.6 - 0.2), (True, -0.2)):
        added = shaping.added(one * 0, one * 0, one, one, np.array([terminated]))
        np.testing.assert_allclose(added, expected)
