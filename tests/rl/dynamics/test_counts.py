"""Counts of steps against loops."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rl.dynamics.worlds import every_pair, random_steps

from allpass.errors import InputError
from allpass.rl import TabularMDP, Transitions
from allpass.rl.dynamics.counts import TransitionCounts


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_those_of_a_loop(seed: int) -> None:
    parts = [random_steps(seed), random_steps(seed + 10)]
    counts = TransitionCounts.of(parts)
    S, A = counts.mask.shape
    C, earned = np.zeros((S * A, S)), np.zeros(S * A)
    into: list[list[float]] = [[] for _ in range(S)]
    for steps in parts:
        for s, a, r, t, ended in zip(
            steps.state, steps.action, steps.reward, steps.next_state, steps.terminated, strict=True
        ):
            after = S - 1 if ended else t
            C[s * A + a, after] += 1
            earned[s * A + a] += r
            into[after].append(r)
    np.testing.assert_array_equal(counts.C.toarray(), C)
    np.testing.assert_allclose(counts.earned, earned)
    np.testing.assert_allclose(counts.arrival_rewards, [np.mean(rewards or [0]) for rewards in into])
    assert counts.terminal.tolist() == [False] * (S - 1) + [True]


def test_they_agree_with_the_counted_process() -> None:
    steps = random_steps(4)
    counts, mdp = TransitionCounts.of(steps), TabularMDP.from_transitions(steps)
    live = (counts.tried > 0) & counts.asked
    np.testing.assert_allclose(counts.shares.toarray()[live], mdp.P.toarray()[live])
    np.testing.assert_allclose(counts.start, mdp.start)


def test_a_process_gives_numbers_mask_and_ends() -> None:
    mdp = TabularMDP.from_gymnasium("FrozenLake-v1")
    counts = TransitionCounts.of(every_pair(mdp), mdp)
    tried = counts.tried > 0
    np.testing.assert_array_equal((counts.C.toarray() > 0)[tried], (mdp.P.toarray() > 0)[tried])
    assert counts.terminal is mdp.terminal
    assert not counts.asked[-4:].any()
    with pytest.raises(InputError, match="state 17"):
        TransitionCounts.of(Transitions.from_arrays([17], [0], [0], [0]), mdp)
    endless = TabularMDP(np.eye(2), [1.0, 1.0], 0.9)
    with pytest.raises(InputError, match="without a terminal state"):
        TransitionCounts.of(Transitions.from_arrays([0], [0], [0], [1], terminated=[True]), endless)


def test_triplets_follow_the_counts() -> None:
    steps = Transitions.from_arrays([0] * 9 + [1] * 5, [0] * 14, [0] * 14, [0] * 6 + [1] * 3 + [2] * 5)
    counts = TransitionCounts.of(steps)
    rows = counts.triplets()
    assert [int((rows == row).all(axis=1).sum()) for row in ([0, 0, 0], [0, 0, 1], [1, 0, 2])] == [6, 3, 1]
    few = counts.triplets(most=4)
    assert len(few) < 8
    assert (few == [1, 0, 2]).all(axis=1).any()


def test_pairs_are_left_out() -> None:
    counts = TransitionCounts.of(random_steps(0))
    out = np.zeros(len(counts.tried), dtype=bool)
    out[np.flatnonzero(counts.tried)[:5]] = True
    rest = counts.without(out)
    assert rest.tried[out].sum() == 0
    np.testing.assert_array_equal(rest.C.toarray()[~out], counts.C.toarray()[~out])
    assert (rest.earned[out] == 0).all()


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "no recorded step"),
        ("log.csv", "Got str"),
        (Transitions.from_arrays([[0.5, 1]], [0], [0], [[1, 1]]), "vectors"),
        (Transitions.from_arrays([-1], [0], [0], [0]), "negative"),
    ],
)
def test_bad_input_has_one_sentence(steps: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        TransitionCounts.of(steps)  # type: ignore[arg-type]
