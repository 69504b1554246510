from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.mdp import process
from hypothesis import given
from hypothesis import strategies as st
from tests.rl.processes import random_mdp
from tests.rl.solvers.references import dense_policy_iteration, dense_values

from allpass.errors import InputError
from allpass.rl import TabularMDP

METHODS: list[Any] = ["policy-iteration", "value-iteration", "modified-policy-iteration"]
GRIDS = ["four-rooms", "four-rooms-22", "one-way-doors"]
TOY_TEXT = ["FrozenLake8x8-v1", "Taxi-v4", "CliffWalking-v1"]


def named(name: str, discount: float = 0.99) -> TabularMDP:
    return (
        TabularMDP.from_grid(name, discount) if name in GRIDS else TabularMDP.from_gymnasium(name, discount)
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", GRIDS + TOY_TEXT)
def test_named_processes_agree_with_dense_policy_iteration(name: str, method: Any) -> None:
    mdp = named(name)
    solution = mdp.optimal(method=method, tolerance=1e-11)
    assert solution.converged
    assert solution.residual < 1e-10
    np.testing.assert_allclose(solution.values, dense_policy_iteration(mdp), atol=1e-8)
    np.testing.assert_allclose(mdp.values(solution.policy), solution.values, atol=1e-8)


@given(st.integers(0, 1000), st.booleans(), st.sampled_from(METHODS), st.sampled_from([0.0, 0.5, 0.99]))
def test_random_processes_agree_with_dense_policy_iteration(
    seed: int, masked: bool, method: Any, discount: float
) -> None:
    mdp = random_mdp(seed, masked=masked, discount=discount)
    solution = mdp.optimal(method=method, tolerance=1e-12)
    np.testing.assert_allclose(solution.values, dense_policy_iteration(mdp), atol=1e-8)
    assert mdp.mask[np.arange(7), solution.policy].all()
    np.testing.assert_allclose(solution.action_values.max(axis=1), solution.values, atol=1e-9)


@given(st.integers(0, 1000))
def test_no_policy_is_better(seed: int) -> None:
    mdp = random_mdp(seed)
    best = mdp.optimal().values
    actions = np.random.default_rng(seed).integers(3, size=7)
    assert (dense_values(mdp, np.eye(3)[actions]) <= best + 1e-9).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_discount_of_1_counts_steps(method: Any) -> None:
    mdp = TabularMDP.from_grid("four-rooms", 1.0, step_reward=-1.0, goal_reward=-1.0)
    solution = mdp.optimal(method=method)
    assert solution.values[mdp.index((1, 1))] == pytest.approx(-20)
    assert solution.values[mdp.index("end")] == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["four-rooms", "slippery", "FrozenLake8x8-v1"])
def test_with_a_discount_of_1_the_policy_arrives(name: str, method: Any) -> None:
    """To wait is as good as to go where steps cost nothing, but a policy that waits earns nothing."""
    mdp = TabularMDP.from_grid("four-rooms", 1.0, slip=0.3) if name == "slippery" else named(name, 1.0)
    solution = mdp.optimal(method=method, tolerance=1e-12)
    np.testing.assert_allclose(mdp.values(solution.policy), solution.values, atol=1e-8)


@given(st.integers(0, 1000), st.sampled_from(METHODS))
def test_policies_arrive_on_random_grids(seed: int, method: Any) -> None:
    rng = np.random.default_rng(seed)
    drawing = rng.choice(list("....#H"), size=(8, 8))
    drawing[0, 0], drawing[-1, -1] = "S", "G"
    settings: Any = {"slip": rng.choice([0, 0.2, 0.6]), "step_reward": rng.choice([0, -0.04])}
    try:
        mdp = TabularMDP.from_grid("\n".join(map("".join, drawing)), 1.0, **settings)
        best = mdp.optimal(method="policy-iteration").values
    except InputError:  # the goal, or an end from some cell, cannot be reached
        return
    solution = mdp.optimal(method=method, tolerance=1e-12)
    assert solution.converged
    np.testing.assert_allclose(mdp.values(solution.policy), best, atol=1e-7)


@pytest.mark.parametrize("name", TOY_TEXT)
def test_shortest_paths_of_toy_text_without_a_discount(name: str) -> None:
    mdp = named(name, 1.0)
    solution = mdp.optimal()
    assert solution.converged
    if name == "CliffWalking-v1":
        assert solution.values[36] == pytest.approx(-13)


QUANTECON = json.loads(Path(__file__).with_name("quantecon.json").read_text())
"""Results of QuantEcon's DiscreteDP; ``python -m benchmarks.mdp_fixture`` renews them."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", QUANTECON["processes"])
def test_values_are_those_of_quantecon(name: str, method: Any) -> None:
    mdp = TabularMDP.from_gymnasium(name, 0.9) if name == "Taxi-v4" else process(15, name)
    want = QUANTECON["processes"][name]
    np.testing.assert_allclose(mdp.optimal(method=method, tolerance=1e-12).values, want["optimal"], atol=1e-8)
    np.testing.assert_allclose(mdp.values(mdp.mask.argmax(axis=1)), want["first_action"], atol=1e-8)


@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_policy_iteration_ends_on_ties(slip: float) -> None:
    """With slips rounding decides between equal actions, and QuantEcon's policy iteration never ends."""
    assert QUANTECON["policy_iteration_on_ties"] == {"limit": 2000, "iterations": 2000}
    mdp = TabularMDP.from_grid("\n".join(["." * 30] * 29 + ["." * 29 + "G"]), 0.99, slip=slip)
    seen: list[int] = []
    solution = mdp.optimal(method="policy-iteration", on_progress=lambda count, residual: seen.append(count))
    assert solution.converged
    assert solution.iterations == seen[-1] < 60


def test_large_grids_are_solved_by_every_method() -> None:
    """Over 20,000 states values of policies come from Krylov subspaces."""
    mdp = TabularMDP.from_grid("\n".join(["." * 150] * 149 + ["." * 149 + "G"]), 0.97, slip=0.2)
    found = [mdp.optimal(method=method, tolerance=1e-10).values for method in METHODS]
    np.testing.assert_allclose(found[1], found[0], atol=1e-8)
    np.testing.assert_allclose(found[2], found[0], atol=1e-8)


@pytest.mark.slow
def test_a_grid_of_a_quarter_million_cells_fits_into_8_gigabytes() -> None:
    import resource

    mdp = TabularMDP.from_grid("\n".join(["." * 500] * 499 + ["." * 499 + "G"]), 0.99, slip=0.2)
    assert mdp.optimal(tolerance=1e-10).converged
    assert np.isfinite(mdp.values(method="factorization")).all()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 8 * 2**20


def test_a_solution_names_states_and_actions() -> None:
    frame = TabularMDP.from_grid("S.G").optimal().to_frame()
    assert frame.index.tolist() == [(0, 0), (0, 1), "end"]
    assert frame["action"].tolist()[:2] == ["right", "right"]
    np.testing.assert_allclose(frame["value"], [0.99, 1, 0])


def test_bad_input_is_named() -> None:
    mdp = random_mdp(0)
    with pytest.raises(InputError, match="method='vi'"):
        mdp.optimal(method="vi")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="tolerance=0"):
        mdp.optimal(tolerance=0)
    with pytest.raises(InputError, match="max_iterations=0"):
        mdp.optimal(max_iterations=0)
    lost = TabularMDP([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 1, 1], 1.0)
    for method in METHODS:
        with pytest.raises(InputError, match="No terminal state can be reached from state 1"):
            lost.optimal(method=method)
