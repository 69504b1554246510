"""Basis functions of a process by name, and how well values lie in their span."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from allpass.errors import UnknownNameError, did_you_mean
from allpass.rl.bases import (
    deepwalk_basis,
    krylov_basis,
    proto_value_functions,
    random_basis,
    successor_basis,
)
from allpass.rl.laplacians import LaplacianName, visited_graph
from allpass.rl.mdp import TabularMDP
from allpass.rl.projection import least_squares
from allpass.rl.solvers.solution import Array

Maker = Callable[[TabularMDP, Any, int, int], Array]


def _proto(name: LaplacianName) -> Maker:
    """The directed Laplacians read the chain of the policy; the others the graph of all moves that are possible."""

    def make(mdp: TabularMDP, Pi: Any, k: int, _seed: int) -> Array:
        if name.startswith("directed"):
            return proto_value_functions(_walk(mdp, Pi), k, laplacian=name)
        moves = visited_graph(mdp.state_chain("uniform"))
        return proto_value_functions(_live(mdp, moves), k, laplacian=name)

    return make


def _krylov(mdp: TabularMDP, Pi: Any, k: int, _seed: int) -> Array:
    return krylov_basis(mdp.state_chain(Pi), Pi @ mdp.r, k)[~mdp.terminal]


def _successor(mdp: TabularMDP, Pi: Any, k: int, _seed: int) -> Array:
    return successor_basis(_live(mdp, mdp.state_chain(Pi)), k, discount=min(mdp.discount, 0.99))


def _live(mdp: TabularMDP, matrix: Any) -> Any:
    """A matrix ``[S, S]`` between the states that are not terminal."""
    states = np.flatnonzero(~mdp.terminal)
    return sp.csr_array(matrix)[states][:, states]


def _walk(mdp: TabularMDP, Pi: Any) -> Any:
    """The chain of a policy that never ends: steps that would end are left out, or stay where nothing else is left."""
    P = _live(mdp, mdp.state_chain(Pi))
    sums = P.sum(axis=1)
    return sp.diags_array(1 / np.where(sums > 0, sums, 1)) @ P + sp.diags_array((sums == 0).astype(float))


BASES: dict[str, Maker] = {
    "combinatorial": _proto("combinatorial"),
    "normalized": _proto("normalized"),
    "random-walk": _proto("random-walk"),
    "directed": _proto("directed"),
    "directed-combinatorial": _proto("directed-combinatorial"),
    "successor": _successor,
    "krylov": _krylov,
    "deepwalk": lambda mdp, Pi, k, seed: deepwalk_basis(_walk(mdp, Pi), k, seed=seed),
    "random": lambda mdp, _Pi, k, seed: random_basis(int((~mdp.terminal).sum()), k, seed=seed),
}
"""Bases by name; proto-value functions by the name of their Laplacian."""


def create_basis(name: str, mdp: TabularMDP, k: int, *, policy: Any = "uniform", seed: int = 0) -> Array:
    """The k first basis functions of a name, ``[S, k]``; Krylov's may be fewer.

    They are 0 at terminal states, whose value is known to be 0; all other states have a function each at most.

    Args:
        name: One of ``BASES``.
        mdp: The process.
        k: Number of functions.
        policy: Whose chain they are of, and whose rewards, for ``"krylov"``.
        seed: Of ``"deepwalk"`` and ``"random"``.
    """
    if name not in BASES:
        raise UnknownNameError(f"There is no basis {name!r}.", did_you_mean(name, BASES))
    functions = BASES[name](mdp, mdp.policy(policy), k, seed)
    basis = np.zeros((mdp.num_states, functions.shape[1]))
    basis[~mdp.terminal] = functions
    return basis


def fit_errors(mdp: TabularMDP, basis: Array, values: Array, sizes: Sequence[int]) -> list[float]:
    """The error of least squares with the first k functions, relative to that of the mean, for each k of ``sizes``.

    Args:
        mdp: The process; its terminal states do not count.
        basis: ``[S, K]``.
        values: ``[S]``.
        sizes: Numbers of functions, up to K.
    """
    live = ~mdp.terminal
    V, functions = values[live], basis[live]
    spread = np.linalg.norm(V - V.mean())
    return [float(np.linalg.norm(V - least_squares(functions[:, :k], V)) / spread) for k in sizes]
