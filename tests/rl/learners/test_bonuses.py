"""Bonuses against their definitions, on recorded walks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from allpass.errors import InputError
from allpass.rl.learners.bonuses import CountBonus, GraphCountBonus, SuccessorBonus

S, A, T = 6, 2, 400


def walk(seed: int) -> Any:
    generator = np.random.default_rng(seed)
    state = 0
    for _ in range(T):
        action = int(generator.integers(A))
        after = int(
            (state + (1 if action else -1)) % S if generator.random() < 0.9 else generator.integers(S)
        )
        yield state, action, after, bool(generator.random() < 0.05)
        state = after


def bonuses(bonus: Any, seed: int) -> list[float]:
    row = np.array([0])
    return [
        float(bonus.added(row, np.array([s]), np.array([a]), np.array([after]), np.array([ended]))[0])
        for s, a, after, ended in walk(seed)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_counts_of_visits(seed: int) -> None:
    visits = dict.fromkeys(range(S), 0)
    expected = []
    for _, _, after, _ in walk(seed):
        visits[after] += 1
        expected.append(2 / np.sqrt(visits[after]))
    np.testing.assert_allclose(bonuses(CountBonus(1, S, 2.0), seed), expected)


@pytest.mark.parametrize("seed", range(3))
def test_graph_counts_add_the_mean_count_of_neighbours(seed: int) -> None:
    visits, outcome, expected = np.zeros(S), {}, []
    for s, a, after, _ in walk(seed):
        visits[after] += 1
        outcome[s, a] = after
        near = sum(visits[outcome[after, b]] for b in range(A) if (after, b) in outcome) / A
        expected.append(1 / np.sqrt(visits[after] + 0.7 * near))
    np.testing.assert_allclose(bonuses(GraphCountBonus(1, S, A, 1.0, neighbours=0.7), seed), expected)


@pytest.mark.parametrize("seed", range(3))
def test_norms_are_those_of_the_learned_successor_representation(seed: int) -> None:
    rate, discount = 0.2, 0.9
    M, expected = np.zeros((S, S)), []
    for s, _, after, ended in walk(seed):
        M[s] += rate * (np.eye(S)[s] + discount * (0 if ended else M[after]) - M[s])
        expected.append(rate / max(np.abs(M[after]).sum(), rate))
    bonus = SuccessorBonus(1, S, 1.0, rate=rate, discount=discount)
    np.testing.assert_allclose(bonuses(bonus, seed), expected)
    assert max(expected) <= bonus.largest


def test_bad_input_has_one_sentence() -> None:
    with pytest.raises(InputError, match="scale = 0"):
        CountBonus(1, 2, 0)
    with pytest.raises(InputError, match="neighbours = -1"):
        GraphCountBonus(1, 2, 2, 1.0, neighbours=-1)
    with pytest.raises(InputError, match="discount = 1"):
        SuccessorBonus(1, 2, 1.0, discount=1)
