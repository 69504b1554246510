r"""Values of a policy: the linear system :math:`(I - \gamma P_\pi) V = r_\pi`, sparse."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from numpy.typing import NDArray
from scipy.linalg import solve_banded
from scipy.sparse.csgraph import reverse_cuthill_mckee

from allpass.errors import InputError
from allpass.rl.mdp import TabularMDP
from allpass.rl.solvers.krylov import KrylovSolver
from allpass.rl.solvers.reachability import check_ends
from allpass.rl.solvers.solution import Array, Evaluation

_SMALL = 20_000
_BAND = 8


def values(
    mdp: TabularMDP, policy: Any = "uniform", *, method: Evaluation = "auto", tolerance: float = 1e-10
) -> Array:
    r""":math:`V_\pi = (I - \gamma \Pi P)^{-1} \Pi r`, ``[S]``.

    Args:
        mdp: The process.
        policy: See :func:`~allpass.rl.policy_matrix`.
        method: ``"factorization"`` solves exactly by a sparse LU factorisation; ``"krylov"`` iterates in Krylov
            subspaces (BiCGSTAB), which is faster on large graphs, and factorises where that does not converge;
            ``"sweeps"`` repeats :math:`r + \gamma P V`. ``"auto"`` takes the factorisation up to 20,000 states and for
            chains that are nearly a line, else Krylov subspaces.
        tolerance: Largest residual :math:`|r_\pi + \gamma P_\pi V - V|`, relative to the largest value where
            it is over 1.
    """
    Pi = mdp.policy(policy)
    return chain_values(mdp, mdp.state_chain(Pi), Pi @ mdp.r, method=method, tolerance=tolerance)


def action_values(
    mdp: TabularMDP, policy: Any = "uniform", *, method: Evaluation = "auto", tolerance: float = 1e-10
) -> Array:
    r""":math:`Q_\pi = r + \gamma P V_\pi`, ``[S, A]``; -inf where an action is not allowed."""
    V = values(mdp, policy, method=method, tolerance=tolerance)
    Q = (mdp.r + mdp.discount * (mdp.P @ V)).reshape(mdp.mask.shape)
    return np.where(mdp.mask, Q, -np.inf)


def chain_values(
    mdp: TabularMDP,
    chain: Any,
    reward: Array,
    *,
    method: Evaluation = "auto",
    tolerance: float = 1e-10,
    guess: Array | None = None,
    krylov: KrylovSolver | None = None,
) -> Array:
    r"""Values of a chain :math:`P_\pi` with rewards :math:`r_\pi`; those of terminal states are 0.

    Args:
        mdp: The process, for its discount and terminal states.
        chain: ``[S, S]``.
        reward: ``[S]``.
        method: See :func:`values`.
        tolerance: Of the residual.
        guess: Values to begin with.
        krylov: The solver for ``"krylov"``, where a similar chain was solved before.
    """
    if method not in get_args(Evaluation):
        raise InputError(f"Got method={method!r}.", f"Expected one of {', '.join(get_args(Evaluation))}.")
    if not tolerance > 0:
        raise InputError(f"Got tolerance={tolerance}.", "Expected a number above 0, such as 1e-10.")
    if mdp.discount == 1:
        check_ends(chain, mdp.terminal, mdp)
    P = _without_terminal(chain, mdp.terminal)
    if method == "auto":
        method = "factorization" if P.shape[0] <= _SMALL else "krylov"
        line = reverse_cuthill_mckee(P) if method == "krylov" else None
        width = 0 if line is None else _bandwidth(P, line)
        if line is not None and width <= _BAND:
            return _banded(P, reward, mdp.discount, line, width)
    if method == "factorization":
        return _factorized(P, reward, mdp.discount)
    start = np.zeros_like(reward) if guess is None else guess
    if method == "sweeps":
        return _swept(P, reward, mdp.discount, start, tolerance)
    V = (krylov or KrylovSolver(P, reward, mdp.discount)).solve(P, reward, start, tolerance)
    return _factorized(P, reward, mdp.discount) if V is None else V


def residual(chain: Any, reward: Array, discount: float, V: Array) -> float:
    """The largest residual, relative to the largest value where that is over 1."""
    return float(np.abs(reward + discount * (chain @ V) - V).max() / max(1.0, np.abs(V).max()))


def is_line(chain: Any) -> bool:
    """Whether the states of a chain lie nearly on a line, so that a band holds all its steps."""
    return _bandwidth(chain, reverse_cuthill_mckee(chain)) <= _BAND


def _without_terminal(chain: Any, terminal: NDArray[np.bool_]) -> Any:
    """The chain with empty rows for terminal states: nothing follows them, whatever the discount."""
    P = sp.csr_array(chain)
    if not terminal.any():
        return P
    kept = np.repeat(~terminal, np.diff(P.indptr))
    counts = np.diff(P.indptr) * ~terminal
    indptr = np.concatenate([[0], counts.cumsum()]).astype(P.indptr.dtype)
    return sp.csr_array((P.data[kept], P.indices[kept], indptr), shape=P.shape)


def _system(P: Any, discount: float) -> Any:
    return (sp.eye_array(P.shape[0], format="csr") - discount * P).tocsc()


def _factorized(P: Any, reward: Array, discount: float) -> Array:
    A = _system(P, discount)
    factor = sla.splu(A)
    V = factor.solve(reward)
    return np.asarray(V + factor.solve(reward - A @ V))  # one refinement, for discounts near 1


def _bandwidth(P: Any, order: NDArray[np.int32]) -> int:
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    row = np.repeat(place, np.diff(P.indptr))
    return int(np.abs(row - place[P.indices]).max(initial=0))


def _banded(P: Any, reward: Array, discount: float, order: NDArray[np.int32], width: int) -> Array:
    """A chain whose states lie nearly on a line, in an order in which they do."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    row, column = np.repeat(place, np.diff(P.indptr)), place[P.indices]
    bands = np.zeros((2 * width + 1, len(order)))
    np.add.at(bands, (width + row - column, column), -discount * P.data)
    bands[width] += 1
    b = reward[order]
    x = solve_banded((width, width), bands, b)
    V = np.empty_like(x)
    V[order] = x
    error = reward + discount * (P @ V) - V
    V[order] += solve_banded((width, width), bands, error[order])
    return V


def _swept(P: Any, reward: Array, discount: float, V: Array, tolerance: float) -> Array:
    limit = 10_000_000 if discount == 1 else int(60 / (1 - discount)) + 100
    for _ in range(limit):
        after = reward + discount * (P @ V)
        change, V = np.abs(after - V).max(), after
        if change <= tolerance * max(1.0, np.abs(V).max()):
            return V
    raise InputError(
        f"{limit:,} sweeps did not reach the tolerance {tolerance:g}.", "Use method='factorization'."
    )
