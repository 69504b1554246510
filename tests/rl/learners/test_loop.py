"""A seed does the same alone and among others."""

from __future__ import annotations

import numpy as np
import pytest

from allpass.errors import InputError
from allpass.rl import HarmonicPotential, TabularMDP
from allpass.rl.learners import History, QLearning, Shaping, TableWorld, learn

ROOM = "S....\n.###.\n....G"


def run(seeds: list[int], *, shaped: bool = False, **settings: object) -> History:
    mdp = TabularMDP.from_grid(ROOM, 0.95, slip=0.2)
    size = len(seeds), mdp.num_states
    bonus = Shaping(lambda _: HarmonicPotential(), seeds, mdp.num_states, refresh_every=3) if shaped else None
    learner = QLearning(*size, mdp.num_actions)
    return learn(TableWorld(mdp, len(seeds)), learner, seeds, episodes=8, bonus=bonus, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("shaped", [False, True])
def test_a_seed_does_not_depend_on_the_others(shaped: bool) -> None:
    together = run([4, 7, 9], shaped=shaped)
    for place, seed in enumerate([4, 7, 9]):
        np.testing.assert_array_equal(run([seed], shaped=shaped).steps[0], together.steps[place])
    assert (together.steps[0] != together.steps[1]).any()


def test_first_reward_is_the_first_goal() -> None:
    history = run([0, 1])
    np.testing.assert_array_equal(history.first_reward, history.steps[:, 0])
    stopped = run([0, 1], until_reward=True)
    np.testing.assert_array_equal(stopped.first_reward, history.first_reward)
    assert (stopped.steps[:, 1:] == 0).all()


def test_limits_cut_short() -> None:
    assert run([0], episode_limit=4).steps.max() == 4
    cut = run([0], max_steps=10)
    assert cut.steps.sum() <= 10
    assert cut.updates[0] == 10


def test_bad_input_has_one_sentence() -> None:
    with pytest.raises(InputError, match="max_steps = 0"):
        run([0], max_steps=0)
    with pytest.raises(InputError, match="refresh_every = 0"):
        Shaping(lambda _: HarmonicPotential(), [0], 3, refresh_every=0)
