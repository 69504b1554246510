"""Which states reach an end: what a discount of 1 needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.mdp import TabularMDP


def distance_to(chain: Any, targets: NDArray[np.bool_], limit: int | None = None) -> NDArray[np.int64]:
    """Fewest steps from each state to one of ``targets``, ``[S]``; -1 where there is no way of up to ``limit``."""
    incoming = sp.csc_array(chain)
    lengths = np.diff(incoming.indptr)
    distance = np.where(targets, 0, -1)
    frontier = np.flatnonzero(targets)
    steps = 0
    while len(frontier) and (limit is None or steps < limit):
        steps += 1
        counts = lengths[frontier]
        offsets = np.repeat(incoming.indptr[frontier] - np.concatenate([[0], counts.cumsum()[:-1]]), counts)
        before = incoming.indices[np.arange(counts.sum()) + offsets]
        before = before[distance[before] < 0]
        distance[before] = np.arange(len(before))
        frontier = before[distance[before] == np.arange(len(before))]  # each state once
        distance[frontier] = steps
    return distance


def check_ends(chain: Any, terminal: NDArray[np.bool_], mdp: TabularMDP) -> None:
    """Refuse a chain in which some state never ends, for a discount of 1."""
    lost = distance_to(chain, terminal) < 0
    if lost.any():
        state = int(lost.argmax())
        name = state if mdp.states is None else repr(mdp.states[state])
        raise InputError(
            f"From state {name} no terminal state is reached under this policy, so with discount=1 it has no value.",
            "Use a discount below 1.",
        )


def heading_policy(
    mdp: TabularMDP, targets: NDArray[np.bool_], good: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A policy that heads for some states, and the fewest steps to them, both ``[S]``.

    Of the actions that may come nearer it takes the one with the smallest expected distance, so from every state with
    a way (steps of 0 or more) it arrives with probability 1. States without a way take their first action.

    Args:
        mdp: The process.
        targets: ``[S]``.
        good: ``[S, A]``, the actions to choose from; by default all that are allowed.
    """
    S, A = mdp.mask.shape
    allowed = mdp.mask if good is None else mdp.mask & good
    counts = np.diff(mdp.P.indptr)
    used = allowed.ravel().repeat(counts)
    first = np.concatenate([[0], used.cumsum()])[mdp.P.indptr[::A]]  # rows of a state follow each other
    joined = sp.csr_array((np.ones(first[-1], dtype=np.int8), mdp.P.indices[used], first), shape=(S, S))
    steps = distance_to(joined, targets)
    cost = np.where(steps < 0, S, steps)
    nearest, full = np.full(S * A, S + 1), counts > 0
    nearest[full] = np.minimum.reduceat(cost[mdp.P.indices], mdp.P.indptr[:-1][full])
    nearer = allowed & (nearest.reshape(S, A) < cost[:, None])
    expected = np.where(nearer, (mdp.P @ cost.astype(np.float64)).reshape(S, A), np.inf)
    lost = ~nearer.any(axis=1)
    expected[lost] = np.where(mdp.mask[lost], 0, np.inf)
    return expected.argmin(axis=1), steps


def ending_policy(mdp: TabularMDP) -> NDArray[np.int64]:
    """A policy that reaches a terminal state from every state with probability 1, which a discount of 1 needs."""
    policy, steps = heading_policy(mdp, mdp.terminal)
    if (steps < 0).any():
        state = int((steps < 0).argmax())
        name = state if mdp.states is None else repr(mdp.states[state])
        raise InputError(
            f"No terminal state can be reached from state {name}, so with discount=1 it has no value.",
            "Use a discount below 1.",
        )
    return policy
