from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from allpass.errors import InputError, UnknownNameError
from allpass.rl import TabularMDP, value_regression
from allpass.rl.regression import regression_graph


def some(mdp: TabularMDP, share: float, seed: int = 0) -> Any:
    V = mdp.values()
    hidden = np.random.default_rng(seed).random(len(V)) > share
    return np.where(hidden, np.nan, V)


@pytest.mark.parametrize(("model", "settings"), [("gcn", {}), ("linear", {}), ("trees", {})])
def test_models_learn_values_from_some_states(model: str, settings: Any) -> None:
    mdp = TabularMDP.from_grid("four-rooms", 0.95)
    fit = value_regression(mdp, some(mdp, 0.5), model, **settings)
    np.testing.assert_allclose(fit.exact, mdp.values())
    assert fit.values.shape == fit.exact.shape
    assert 0.4 < fit.known.mean() < 0.6
    assert fit.error < 0.8  # the mean of the hidden states has 1


def test_edges_carry_values_from_next_state_to_state() -> None:
    mdp = TabularMDP.from_grid("S..G")
    data = regression_graph(mdp, np.array([1, 1, 1, 1]), features=np.eye(4))
    assert sorted(data.edge_index.T.tolist()) == [[1, 0], [2, 1], [3, 2], [3, 3]]
    assert data.edge_weight.tolist() == [1, 1, 1, 1]


def test_values_may_come_by_state() -> None:
    mdp = TabularMDP.from_grid("four-rooms", 0.9)
    V = mdp.values()
    assert mdp.states is not None
    known = {state: V[mdp.index(state)] for state in mdp.states[::4]}
    fit = value_regression(mdp, known, "linear")
    assert fit.known.sum() == len(known)


def test_bad_input_is_named() -> None:
    mdp = TabularMDP.from_grid("four-rooms", 0.9)
    with pytest.raises(InputError, match="Got 2 known values"):
        value_regression(mdp, {(1, 1): 0.0, (1, 2): 1.0})
    with pytest.raises(InputError, match="known values of shape \\[3\\]"):
        value_regression(mdp, [0.0, 1.0, 2.0])
    with pytest.raises(UnknownNameError, match="no state"):
        value_regression(mdp, {(0, 0): 0.0})
    with pytest.raises(InputError, match="features of shape"):
        value_regression(mdp, mdp.values(), features=np.eye(3))
