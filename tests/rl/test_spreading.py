"""What a potential does for a learner."""

from __future__ import annotations

import numpy as np
import pytest

from allpass.errors import InputError, UnknownNameError
from allpass.rl import TabularMDP
from allpass.rl.spreading import spread


def test_plain_learning_does_not_depend_on_the_potential() -> None:
    mdp = TabularMDP.from_grid("S....\n.###.\n....G", 0.95)
    one, other = (spread(mdp, name, seeds=range(4), episodes=8) for name in ("harmonic", "best-path"))
    np.testing.assert_array_equal(one.plain, other.plain)
    assert (one.shaped != other.shaped).any()
    assert [episode for episode, _ in one.fits] == [1, 6]
    assert one.saved == pytest.approx(1 - one.shaped.sum() / one.plain.sum())
    low, high = one.interval()
    assert low <= one.saved <= high
    mean, lower, upper = one.curves()["none"]
    np.testing.assert_allclose(mean, one.plain.mean(axis=0))
    assert ((lower <= mean) & (mean <= upper)).all()


def test_actions_that_are_not_allowed_do_nothing() -> None:
    P = np.zeros((2, 2, 2))  # S, A, S
    P[0, 0, 1] = P[1, :, 1] = 1
    mdp = TabularMDP(
        P,
        np.array([[1.0, 0.0], [0.0, 0.0]]),
        0.9,
        layout="S,A,S",
        mask=[[True, False], [True, True]],
        start=[1, 0],
    )
    found = spread(mdp, seeds=range(3), episodes=40)
    assert found.plain[:, -10:].mean() < 1.5


def test_it_shows_itself_and_its_progress() -> None:
    done: list[int] = []
    mdp = TabularMDP.from_grid("four-rooms")
    found = spread(mdp, seeds=range(3), episodes=8, on_progress=done.append)
    assert repr(found).startswith("Spread(harmonic, seeds=3, episodes=8, saved=")
    assert done == sorted(done)
    assert 3 <= done[-1] < 6
    text = found._repr_html_()
    assert text.startswith("<iframe sandbox")
    assert "The potential while it spreads" in text
    assert "Learning curves" in text


def test_bad_input_has_one_sentence() -> None:
    mdp = TabularMDP.from_grid("S..G")
    with pytest.raises(InputError, match="1 seeds"):
        spread(mdp, seeds=[0])
    with pytest.raises(InputError, match="episode_limit"):
        spread(TabularMDP.from_grid("...."))
    with pytest.raises(InputError, match="of 50 episodes in 5 steps"):
        spread(mdp, max_steps=5)
    with pytest.raises(UnknownNameError, match="harmonic"):
        spread(mdp, "harmonik")
