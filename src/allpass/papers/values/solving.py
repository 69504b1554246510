"""The solver against a second one that shares no code with it: plain policy iteration on dense matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from allpass.rl import load_process
from allpass.rl.environments.grids import GRIDS
from allpass.rl.environments.toy_text import unwrapped

Array = NDArray[np.float64]
Table: TypeAlias = Mapping[int, Mapping[int, Sequence[tuple[float, int, float, bool]]]]
"""For each state and action the outcomes: probability, next state, reward, whether the episode ends."""

DISCOUNT = 0.99


@dataclass(frozen=True)
class Solved:
    """How exactly a process was solved.

    Args:
        states: Number of states, without the end.
        residual: The largest Bellman residual of V* and of V and Q of the uniform policy.
        difference: The largest difference of V* from that of :func:`policy_iteration`.
    """

    states: int
    residual: float
    difference: float


def solve(name: str) -> Solved:
    """Solve a process and compare.

    Args:
        name: Of a grid or an environment.
    """
    mdp = load_process(name, DISCOUNT)
    best, table = mdp.optimal(), outcomes(name)
    V, Q = mdp.values("uniform"), np.where(mdp.mask, mdp.action_values("uniform"), 0)
    Pi = mdp.policy("uniform")
    expected = mdp.r + DISCOUNT * (mdp.P @ V)
    greedy = np.where(mdp.mask, (mdp.r + DISCOUNT * (mdp.P @ best.values)).reshape(mdp.mask.shape), -np.inf)
    residuals = (
        best.values - greedy.max(axis=1),
        V - Pi @ expected,
        (Q.ravel() - expected) * mdp.mask.ravel(),
        V - Pi @ Q.ravel(),
    )
    known = policy_iteration(table, DISCOUNT)
    return Solved(
        states=len(table),
        residual=max(float(np.abs(part).max()) for part in residuals),
        difference=float(np.abs(best.values[: len(known)] - known).max()),
    )


def policy_iteration(table: Table, discount: float) -> Array:
    """Optimal values by Howard's policy iteration (1960) on dense matrices."""
    S, A = len(table), max(map(len, table.values()))
    P, r = np.zeros((A, S, S)), np.zeros((A, S))
    for state, actions in table.items():
        for action, entries in actions.items():
            for chance, after, reward, ended in entries:
                r[action, state] += chance * reward
                P[action, state, after] += chance * (not ended)
    policy, states = np.zeros(S, dtype=int), np.arange(S)
    while True:
        V = np.linalg.solve(np.eye(S) - discount * P[policy, states], r[policy, states])
        Q = r + discount * P @ V
        better = Q.max(axis=0) > Q[policy, states] + 1e-10
        if not better.any():
            return np.asarray(V)
        policy = np.where(better, Q.argmax(axis=0), policy)


def outcomes(name: str) -> Table:
    """The outcomes of a grid, read from its drawing, or of an environment, as Gymnasium lists them."""
    if name not in GRIDS:
        table: Table = unwrapped(name).P
        return table
    cells: dict[tuple[int, int], str] = {
        (row, column): symbol
        for row, line in enumerate(GRIDS[name].strip().splitlines())
        for column, symbol in enumerate(line)
        if symbol != "#"
    }
    numbers = {cell: number for number, cell in enumerate(c for c, symbol in cells.items() if symbol != "G")}
    found: dict[int, dict[int, Any]] = {}
    for (row, column), number in numbers.items():
        found[number] = {}
        for action, (down, right) in enumerate(((-1, 0), (0, 1), (1, 0), (0, -1))):
            there = (row + down, column + right)
            goal = cells.get(there) == "G"
            found[number][action] = [(1.0, number if goal else numbers.get(there, number), float(goal), goal)]
    return found
