"""Values predicted from those of some states: by models of allpass, and by rules without training."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from allpass.rl import (
    TabularMDP,
    least_squares,
    load_process,
    proto_value_functions,
    value_regression,
    visited_graph,
)
from allpass.rl.potentials.propagation import harmonic

Array = NDArray[np.float64]
Index = NDArray[np.int64]

DISCOUNT = 0.95
SHARES = (5, 10, 20, 50)
"""Percentages of the states whose values are known."""


@dataclass(frozen=True)
class Given:
    """What a prediction may read.

    Args:
        mdp: The process.
        W: The undirected graph of all moves between states that are not terminal.
        live: Those states.
        known: Which of them are known, as places in ``live``.
        values: Their values.
        seed: Of the training.
    """

    mdp: TabularMDP
    W: Any
    live: Index
    known: Index
    values: Array
    seed: int


def _mean(given: Given) -> Array:
    return np.full(len(given.live), given.values.mean())


def _nearest(given: Given) -> Array:
    """The mean of the three known states that are the fewest moves away, weighted by the inverse of that number."""
    hops = dijkstra(given.W, indices=given.known, unweighted=True)
    nearest = np.argsort(hops, axis=0, kind="stable")[:3]
    weight = 1 / np.maximum(np.take_along_axis(hops, nearest, axis=0), 1e-9)
    weight[:, ~np.isfinite(weight).all(axis=0) | (weight.sum(axis=0) == 0)] = 1
    return np.asarray((weight * given.values[nearest]).sum(axis=0) / weight.sum(axis=0))


def _harmonic(given: Given) -> Array:
    found = harmonic(given.W, given.known, given.values - given.values.mean())
    return found + given.values.mean()


def _proto_values(given: Given) -> Array:
    """Least squares with a proto-value function for every three known values."""
    k = max(2, len(given.known) // 3)
    return least_squares(proto_value_functions(given.W, k), given.values, states=given.known)


def _model(name: str, **settings: Any) -> Callable[[Given], Array]:
    def predict(given: Given) -> Array:
        known = np.full(given.mdp.num_states, np.nan)
        known[given.live[given.known]] = given.values
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a training stopped early is a result, not a fault
            fit = value_regression(given.mdp, known, name, seed=given.seed, **settings)
        return fit.values[given.live]

    return predict


METHODS: Mapping[str, Callable[[Given], Array]] = {
    "mean": _mean,
    "nearest": _nearest,
    "harmonic": _harmonic,
    "proto-values": _proto_values,
    "label-propagation": _model("label-propagation"),
    "linear": _model("linear"),
    "trees": _model("trees"),
    "mlp-2": _model("mlp-2"),
    "gcn": _model("gcn"),
    "acm-gcn": _model("acm-gcn", activation="elu"),
    "krylov": _model("krylov"),
}
"""The predictions by name: rules, classical models, networks."""

NETWORKS = ("mlp-2", "gcn", "acm-gcn", "krylov")


@lru_cache(maxsize=8)
def problem(process: str, values: str) -> tuple[TabularMDP, Any, Index, Array]:
    """A process, its graph of moves, its states and their values.

    Args:
        process: The name of a grid or an environment.
        values: ``"uniform"`` or ``"optimal"``: of which policy.
    """
    mdp = load_process(process, DISCOUNT)
    live = np.flatnonzero(~mdp.terminal)
    W = visited_graph(mdp.state_chain("uniform"))[live][:, live]
    V = mdp.values("uniform") if values == "uniform" else mdp.optimal().values
    return mdp, W, live, V[live]


def errors(process: str, values: str, method: str, seed: int) -> dict[int, float]:
    """The error over the states that are not known, relative to that of their mean, by the share that is known.

    Args:
        process: As of :func:`problem`.
        values: As of :func:`problem`.
        method: A name of ``METHODS``.
        seed: Which states are known, and of the training; more known states include the fewer.
    """
    mdp, W, live, V = problem(process, values)
    order = np.random.default_rng(seed).permutation(len(live))
    found = {}
    for share in SHARES:
        count = max(5, round(share * len(live) / 100))
        known, hidden = np.sort(order[:count]), order[count:]
        predicted = METHODS[method](Given(mdp, W, live, known, V[known], seed))
        truth = V[hidden]
        found[share] = float(np.linalg.norm(predicted[hidden] - truth) / np.linalg.norm(truth - truth.mean()))
    return found
