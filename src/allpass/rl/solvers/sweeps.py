r"""Value iteration that sweeps over the states whose values still change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.rl.mdp import TabularMDP
from allpass.rl.rows import take_rows
from allpass.rl.solvers.backup import Backup
from allpass.rl.solvers.reachability import distance_to
from allpass.rl.solvers.solution import Array

_ROUND = 24
_WORTH = 0.6


def sweep_values(
    backup: Backup,
    mdp: TabularMDP,
    *,
    tolerance: float,
    limit: int | None,
    look: Callable[[int, float], None],
) -> tuple[Array, int]:
    r"""Repeat :math:`V \leftarrow T V` from 0 until :math:`|T V - V|` is at most the tolerance in every state.

    Every 24th sweep goes over all states and says which of them still change. The sweeps between go over these, and
    over the states from which they can be reached in 24 steps, where values may begin to change; where that is most
    states, over all.

    Args:
        backup: The Bellman operator.
        mdp: The process.
        tolerance: Relative to the largest value where it is over 1.
        limit: Most sweeps; by default as many as the discount may need.
        look: Gets the number of sweeps and the residual after each sweep over all states.
    """
    S, A = mdp.mask.shape
    most = limit or (1_000_000 if mdp.discount == 1 else int(60 / (1 - mdp.discount)) + 1000)
    row = np.repeat(np.arange(S * A) // A, np.diff(mdp.P.indptr))
    joined = sp.csc_array((np.ones(len(row), dtype=np.int8), (row, mdp.P.indices)), shape=(S, S))
    V, count = np.zeros(S), 0
    while True:
        after = backup(V)
        change, V, count = np.abs(after - V), after, count + 1
        scale = max(1.0, np.abs(V).max())
        residual = float(change.max() / scale)
        look(count, residual)
        if residual <= tolerance or count >= most:
            return V, count
        rest = min(_ROUND - 1, most - count)
        moving = change > tolerance * scale / 4
        if moving.mean() <= _WORTH:
            moving = distance_to(joined, moving, rest) >= 0
        if moving.mean() <= _WORTH:
            _sweep_some(backup, V, np.flatnonzero(moving), rest)
        else:
            for _ in range(rest):
                V = backup(V)
        count += rest


def _sweep_some(backup: Backup, V: Array, states: NDArray[np.int64], sweeps: int) -> None:
    """Sweeps over some states, in place."""
    num_actions, num_states = backup.shape
    rows = (np.arange(num_actions)[:, None] * num_states + states).ravel()
    P, r = take_rows(backup.P, rows), backup.r[rows]
    for _ in range(sweeps):
        Q = P @ V
        Q += r
        V[states] = Q.reshape(num_actions, -1).max(axis=0)
