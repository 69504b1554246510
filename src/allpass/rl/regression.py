"""The value function as node regression: learned from the values of some states, next to the exact one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch_geometric.data import Data

from allpass.errors import InputError
from allpass.rl.bases import proto_value_functions
from allpass.rl.mdp import TabularMDP
from allpass.rl.solvers.solution import Array
from allpass.train.estimator import NodeRegressor


@dataclass(frozen=True, eq=False)
class ValueRegression:
    r"""Values that a model predicts from the values of some states.

    Args:
        values: The predictions, ``[S]``.
        exact: :math:`V_\pi`, ``[S]``.
        known: States whose values were given, ``[S]``.
        estimator: The fitted :class:`~allpass.NodeRegressor`.
    """

    values: Array
    exact: Array
    known: NDArray[np.bool_]
    estimator: NodeRegressor

    @property
    def error(self) -> float:
        """Error over the states that were not given, relative to that of their mean: 0 is exact, 1 knows nothing."""
        hidden = ~self.known
        truth = self.exact[hidden]
        return float(np.linalg.norm(self.values[hidden] - truth) / np.linalg.norm(truth - truth.mean()))


def value_regression(
    mdp: TabularMDP,
    known: Mapping[Any, float] | Any,
    model: str = "sage",
    *,
    policy: Any = "uniform",
    features: int | Any = 16,
    seed: int = 0,
    **settings: Any,
) -> ValueRegression:
    r"""Predict the values of all states from those of some, with a model on the graph of the chain.

    Nodes are states, features are proto-value functions and the mean reward of a step. Messages go from next state to
    state, against the steps, as values do.

    Args:
        mdp: The process.
        known: Values by state, or an array ``[S]`` with NaN where the value is not known.
        model: A name of ``allpass.models.MODELS``.
        policy: Whose values; see :func:`~allpass.rl.policy_matrix`.
        features: Number of proto-value functions, or features ``[S, F]``.
        seed: Of the training.
        **settings: Of :class:`~allpass.NodeRegressor`.

    Example:
        >>> mdp = TabularMDP.from_grid("four-rooms", 0.95)
        >>> V = mdp.values()
        >>> fit = value_regression(mdp, {state: V[mdp.index(state)] for state in mdp.states[::3]}, "linear")
        >>> fit.error < 0.6
        True
    """
    exact = mdp.values(policy)
    labels = _labels(mdp, known)
    data = regression_graph(mdp, policy, features)
    data.y = torch.from_numpy(labels.astype(np.float32))
    estimator = NodeRegressor(model, random_state=seed, **settings).fit(data)
    predicted: Array = np.asarray(estimator.predict(data), dtype=np.float64)
    return ValueRegression(predicted, exact, ~np.isnan(labels), estimator)


def regression_graph(mdp: TabularMDP, policy: Any = "uniform", features: int | Any = 16) -> Data:
    """The graph of a chain with features: edges from next state to state, weighted by the probability of the step."""
    chain = mdp.state_chain(policy)
    if isinstance(features, int):
        basis = proto_value_functions(chain, min(features, mdp.num_states))
        reward = mdp.state_rewards(policy)
        x = np.column_stack([basis, reward])
    else:
        x = np.asarray(features, dtype=np.float64)
        if x.ndim != 2 or len(x) != mdp.num_states:
            raise InputError(f"Got features of shape {list(x.shape)}.", f"Expected [{mdp.num_states}, F].")
    steps = sp.coo_array(chain)
    return Data(
        x=torch.from_numpy(x.astype(np.float32)),
        edge_index=torch.from_numpy(np.stack([steps.col, steps.row]).astype(np.int64)),
        edge_weight=torch.from_numpy(steps.data.astype(np.float32)),
    )


def _labels(mdp: TabularMDP, known: Any) -> Array:
    labels = np.full(mdp.num_states, np.nan)
    if isinstance(known, Mapping):
        for state, value in known.items():
            labels[mdp.index(state)] = value
    else:
        given = np.asarray(known, dtype=np.float64)
        if given.shape != labels.shape:
            raise InputError(
                f"Got known values of shape {list(given.shape)}.",
                f"Expected a dictionary by state, or [{mdp.num_states}] with NaN where unknown.",
            )
        labels = given.copy()
    if np.isfinite(labels).sum() < 5 or np.isinf(labels).any():
        raise InputError(
            f"Got {int(np.isfinite(labels).sum())} known values.", "Expected at least 5 finite numbers."
        )
    return labels
