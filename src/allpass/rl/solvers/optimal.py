"""Optimal values and policies: policy iteration, value iteration, modified policy iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.mdp import TabularMDP
from allpass.rl.solvers.backup import TIE, Backup
from allpass.rl.solvers.evaluation import chain_values, is_line
from allpass.rl.solvers.krylov import KrylovSolver
from allpass.rl.solvers.reachability import ending_policy, heading_policy
from allpass.rl.solvers.solution import Array, Evaluation, Method, Solution
from allpass.rl.solvers.sweeps import sweep_values

_SMALL = 20_000
_LOOK_AHEAD = 10
_SWEEPS = 9
_PATIENCE = 10
Actions = NDArray[np.int64]
Progress = Callable[[int, float], None]


def optimal(
    mdp: TabularMDP,
    *,
    method: Method = "auto",
    tolerance: float = 1e-10,
    max_iterations: int | None = None,
    on_progress: Progress | None = None,
) -> Solution:
    r"""Optimal values :math:`V^*` and a policy that reaches them.

    Args:
        mdp: The process.
        method: ``"policy-iteration"`` evaluates each policy exactly; it ends when no state has a better action, so ties
            do not make it go round. ``"modified-policy-iteration"``
            (`Puterman and Shin, 1978 <https://doi.org/10.1287/mnsc.24.11.1127>`_) evaluates each policy only about
            as far as the residual is worth, or exactly where the discount is 1. ``"value-iteration"`` repeats
            :math:`V \leftarrow T V` for states that have not settled.
            ``"auto"`` is policy iteration up to 20,000 states, else modified policy iteration.
        tolerance: Largest residual :math:`|V - T V|`, relative to the largest value where it is over 1; the distance to
            :math:`V^*` is at most :math:`1 / (1 - \gamma)` times as large.
        max_iterations: Most policies or sweeps. By default 1,000 policies, or as many sweeps as the discount may need.
        on_progress: Gets the number of iterations done and the residual.
    """
    if method not in get_args(Method):
        raise InputError(f"Got method={method!r}.", f"Expected one of {', '.join(get_args(Method))}.")
    if not tolerance > 0:
        raise InputError(f"Got tolerance={tolerance}.", "Expected a number above 0, such as 1e-10.")
    if max_iterations is not None and max_iterations < 1:
        raise InputError(f"Got max_iterations={max_iterations}.", "Expected a whole number of 1 or more.")
    look = on_progress or _nobody
    if method == "auto":
        method = "policy-iteration" if mdp.num_states <= _SMALL else "modified-policy-iteration"
    backup = Backup(mdp)
    exact = (
        mdp.discount == 1
    )  # rough values may prefer waiting, and a policy that waits for ever has no values
    if method == "policy-iteration" or (method == "modified-policy-iteration" and exact):
        V, Q, count = _policies(mdp, backup, tolerance, max_iterations or 1000, look)
        return _solution(mdp, backup, V, Q, count, method, tolerance)
    if method == "modified-policy-iteration":
        V, Q, count = _rough_policies(mdp, backup, tolerance, max_iterations or 1000, look)
        return _solution(mdp, backup, V, Q, count, method, tolerance)
    if mdp.discount == 1:
        ending_policy(mdp)  # each state must have a way to an end
    V, count = sweep_values(backup, mdp, tolerance=tolerance, limit=max_iterations, look=look)
    return _solution(mdp, backup, V, backup.action_values(V), count, method, tolerance)


def _policies(
    mdp: TabularMDP, backup: Backup, tolerance: float, limit: int, look: Progress
) -> tuple[Array, Array, int]:
    """Evaluate and improve until no action is better by more than the error of the evaluation."""
    actions, V = _first_policy(mdp, backup), np.zeros(mdp.num_states)
    method: Evaluation = "factorization" if mdp.discount == 1 else "auto"
    for count in range(1, limit + 1):
        chain, reward = mdp.state_chain(actions), mdp.state_rewards(actions)
        V = chain_values(mdp, chain, reward, method=method, tolerance=tolerance / 10, guess=V)
        Q = backup.action_values(V)
        look(count, _residual(V, Q))
        better = backup.greedy(Q, actions)
        if (better == actions).all():
            break
        actions = better
    return V, Q, count


def _rough_policies(
    mdp: TabularMDP, backup: Backup, tolerance: float, limit: int, look: Progress
) -> tuple[Array, Array, int]:
    """Evaluate about as far as the residual is worth, sweep with all actions, and improve, until it is small enough."""
    actions, V, residual = _first_policy(mdp, backup), np.zeros(mdp.num_states), 1.0
    method: Evaluation = "factorization" if mdp.num_states <= _SMALL else "auto"
    krylov, lowest, since = None, np.inf, 0
    for count in range(1, limit + 1):
        chain, reward = mdp.state_chain(actions), mdp.state_rewards(actions)
        if method == "auto" and not is_line(chain):
            method, krylov = "krylov", KrylovSolver(chain, reward, mdp.discount)
        wanted = max(tolerance / 3, min(1e-4, residual / 100))
        V = chain_values(mdp, chain, reward, method=method, tolerance=wanted, guess=V, krylov=krylov)
        for _ in range(_SWEEPS):
            V = backup(V)
        Q = backup.action_values(V)
        residual = _residual(V, Q)
        look(count, residual)
        if residual < lowest:
            lowest, since = residual, count
        if residual <= tolerance or count - since > _PATIENCE:  # rounding allows no less
            break
        actions = backup.greedy(Q, actions, slack=0)
    return V, Q, count


def _first_policy(mdp: TabularMDP, backup: Backup) -> Actions:
    """The best policy for some steps ahead; states from which all actions look the same head for the others."""
    if mdp.discount == 1:
        return ending_policy(mdp)
    V = np.zeros(mdp.num_states)
    for _ in range(_LOOK_AHEAD):
        V = backup(V)
    Q = backup.action_values(V)
    lowest = np.where(np.isfinite(Q), Q, np.inf).min(axis=0)
    differ = Q.max(axis=0) - lowest > 1e-9 * (1 + np.abs(lowest))
    heading, steps = heading_policy(mdp, differ | mdp.terminal)
    return np.where(differ | (steps < 0), Q.argmax(axis=0), heading)


def _arriving(mdp: TabularMDP, Q: Array) -> Actions:
    """The best actions that come nearer to an end: without a discount waiting looks as good, but never ends."""
    best = Q.max(axis=0)
    good = (Q >= best - TIE * (1 + np.abs(best))).T
    heading, steps = heading_policy(mdp, mdp.terminal, good)
    return np.where(steps < 0, Q.argmax(axis=0), heading)


def _nobody(_count: int, _residual: float) -> None:
    """Look at nothing."""


def _residual(V: Array, Q: Array) -> float:
    return float(np.abs(Q.max(axis=0) - V).max() / max(1.0, np.abs(V).max()))


def _solution(
    mdp: TabularMDP, backup: Backup, V: Any, Q: Array, count: int, method: str, tolerance: float
) -> Solution:
    residual = float(np.abs(Q.max(axis=0) - V).max())
    return Solution(
        values=V,
        policy=_arriving(mdp, Q) if mdp.discount == 1 else backup.greedy(Q),
        action_values=np.ascontiguousarray(Q.T),
        residual=residual,
        iterations=count,
        converged=residual <= tolerance * max(1.0, float(np.abs(V).max())),
        method=method,
        states=None if mdp.states is None else tuple(mdp.states),
        actions=None if mdp.actions is None else tuple(mdp.actions),
    )
