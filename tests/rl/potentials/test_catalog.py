"""What every potential keeps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr
from tests.rl.potentials.recordings import Recording, as_vectors, corridor_walk

from allpass.errors import InputError, UnknownNameError
from allpass.rl.potentials import POTENTIALS, MessagePotential, ShuffledPotential, create_potential

LENGTH = 12


@pytest.mark.parametrize("name", POTENTIALS)
def test_rises_towards_the_goal_and_is_0_before_it_is_known(name: str) -> None:
    potential = create_potential(name)
    np.testing.assert_array_equal(potential.potential(np.arange(3)), 0)
    walk = corridor_walk(LENGTH, 6)
    for _ in range(4):
        potential.fit(walk)
    phi = potential.potential(np.arange(LENGTH))
    assert phi.argmax() >= LENGTH - 2  # soft clamping divides by degrees, and the end has one neighbour
    if name != "messages":  # in a corridor every walk passes every cell
        assert spearmanr(phi, np.arange(LENGTH)).statistic > 0.7
    np.testing.assert_array_equal(potential.potential(np.array([10_000])), 0)


@pytest.mark.parametrize("name", POTENTIALS)
def test_every_step_costs_is_the_same_as_a_goal(name: str) -> None:
    free = create_potential(name).fit(corridor_walk(LENGTH, 5)).potential(np.arange(LENGTH))
    paid = create_potential(name).fit(corridor_walk(LENGTH, 5, cost=-1, goal=-1)).potential(np.arange(LENGTH))
    np.testing.assert_allclose(paid, free, atol=1e-12)


@pytest.mark.parametrize("name", POTENTIALS)
def test_without_a_reward_nothing_is_shaped_but_by_messages(name: str) -> None:
    walk = corridor_walk(LENGTH, 2, goal=0.0)
    phi = create_potential(name).fit(walk).potential(np.arange(LENGTH))
    if "messages" not in name:  # without rewards these are about where a walk is
        np.testing.assert_array_equal(phi, 0)


@pytest.mark.parametrize("name", ["gcn", "acm-gcn", "krylov"])
def test_vectors_that_were_never_visited_have_a_potential(name: str) -> None:
    walk = as_vectors(corridor_walk(LENGTH, 6), LENGTH)
    potential = create_potential(name)
    for _ in range(4):
        potential.fit(walk)
    between = np.column_stack([[0.02, 0.97], np.cos([0.2, 11.6])])
    phi = potential.potential(between)
    assert 0 <= phi[0] < phi[1] <= 1


def test_backward_messages_are_the_chance_of_an_optimal_future() -> None:
    walk = corridor_walk(5, 4)
    phi = MessagePotential(horizon=3, backward=True).fit(walk).potential(np.arange(5))
    counts = np.zeros((5, 5))
    np.add.at(counts, (walk.state, walk.next_state), 1)
    counts[4, 4] = 1
    M = counts / counts.sum(axis=1, keepdims=True) * np.exp(np.array([0, 0, 0, 0, 1.0]) - 1)
    beta = [np.ones(5) / 5]
    for _ in range(3):
        beta.append(M @ beta[-1] / (M @ beta[-1]).sum())
    mean = np.mean(beta, axis=0)
    np.testing.assert_allclose(phi, mean / mean.max(), atol=1e-12)


def test_a_shuffled_potential_does_not_know_the_goal() -> None:
    walk = corridor_walk(LENGTH, 8)
    phi = ShuffledPotential(create_potential("harmonic"), seed=2).fit(walk).potential(np.arange(LENGTH))
    assert phi.argmax() != LENGTH - 1
    assert abs(phi).max() > 0


def test_steps_need_no_order_within_arrays() -> None:
    walk = corridor_walk(LENGTH, 5)
    order = np.random.default_rng(0).permutation(len(walk.state))
    fields = (walk.state, walk.reward, walk.next_state, walk.terminated, walk.episode)
    mixed = Recording(*(field[order] for field in fields))
    for name in ("harmonic", "soft", "best-path"):
        np.testing.assert_allclose(
            create_potential(name).fit(mixed).potential(np.arange(LENGTH)),
            create_potential(name).fit(walk).potential(np.arange(LENGTH)),
            atol=1e-12,
        )


def test_an_unknown_setting_is_named() -> None:
    with pytest.raises(InputError, match="'harmonic' does not take heat"):
        create_potential("harmonic", heat=3)


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="harmonic"):
        create_potential("harmonc")
