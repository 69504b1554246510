"""The graph of the states that a recording visited, with labels that say which of them are good and bad."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.rl.potentials.interface import Steps

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class VisitedGraph:
    """The distinct states of a recording and the moves between them.

    Args:
        states: The states, ``[S]`` numbers in ascending order or ``[S, F]`` vectors.
        counts: How often each move was made, sparse ``[S, S]``.
        starts: Nodes in which an episode began.
        labelled: Nodes with a label.
        labels: Their labels, from -1 (worst) to 1 (best); see :func:`arrival_labels`.
    """

    states: NDArray[Any]
    counts: Any
    starts: Index
    labelled: Index
    labels: Array

    @classmethod
    def of(cls, steps: Steps, *, discount: float = 0.99) -> Self:
        """The graph of a recording.

        Args:
            steps: The recording; its states are numbers ``[T]`` or vectors ``[T, F]``.
            discount: What later rewards count, for the worth of an end.
        """
        state, after = np.asarray(steps.state), np.asarray(steps.next_state)
        if not len(state):
            raise InputError(
                "Got a recording without a step.", "Record at least one step of the environment."
            )
        states, node = _distinct(np.concatenate([state, after]))
        u, v = np.split(node, 2)
        counts = sp.csr_array((np.ones(len(u)), (u, v)), shape=(len(states), len(states)))
        counts.sum_duplicates()
        labelled, labels = arrival_labels(v, steps.reward, steps.terminated, discount=discount)
        first = np.unique(np.asarray(steps.episode), return_index=True)[1]
        return cls(states, counts, np.unique(u[first]), labelled, labels)

    @cached_property
    def undirected(self) -> Any:
        """Weight 1 between states that a move joins in either direction, no self-loops, sparse ``[S, S]``."""
        moves = self.counts.tocoo()
        row, column = np.concatenate([moves.row, moves.col]), np.concatenate([moves.col, moves.row])
        apart = row != column
        W = sp.csr_array((np.ones(apart.sum()), (row[apart], column[apart])), shape=moves.shape)
        W.sum_duplicates()
        W.data[:] = 1
        return W

    def find(self, states: Any) -> Index:
        """The node of each state; -1 where it was not visited."""
        wanted = np.asarray(states)
        if self.states.ndim == 1:
            place = np.searchsorted(self.states, wanted).clip(max=len(self.states) - 1)
            return np.where(self.states[place] == wanted, place, -1)
        return np.array([self._numbers.get(row.tobytes(), -1) for row in wanted.astype(self.states.dtype)])

    @cached_property
    def _numbers(self) -> dict[bytes, int]:
        return {row.tobytes(): number for number, row in enumerate(self.states)}


def _distinct(states: NDArray[Any]) -> tuple[NDArray[Any], Index]:
    """The distinct rows, and which of them each row is; rows are compared as bytes, which is fast."""
    if states.ndim == 1:
        return np.unique(states, return_inverse=True)
    rows = np.ascontiguousarray(states + 0)  # -0.0 becomes 0.0
    joined = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, node = np.unique(joined, return_index=True, return_inverse=True)
    return rows[first], node


def arrival_labels(
    node: Index, reward: Any, terminated: Any, *, discount: float = 0.99
) -> tuple[Index, Array]:
    r"""Labels of the nodes whose arrival is better or worse than usual.

    With m the usual reward, an arrival is worth :math:`r - m`, and :math:`-\gamma m / (1 - \gamma)` more where the
    episode ends: ending saves the cost of all further steps. A node is labelled with the mean worth of its arrivals,
    divided by the largest absolute one. So a goal of reward 1 gets 1, and the end of an episode gets 1 where every
    step costs.

    Args:
        node: The node that each step reached, ``[T]``.
        reward: The reward of each step, ``[T]``.
        terminated: Whether the episode ended with it, ``[T]``.
        discount: :math:`\gamma`, from 0 to below 1.

    Returns:
        The labelled nodes, ascending, and their labels from -1 to 1.
    """
    r = np.asarray(reward, dtype=np.float64)
    if not np.isfinite(r).all():
        step = int((~np.isfinite(r)).argmax())
        raise InputError(f"The reward of step {step} is {r[step]}.", "Expected finite numbers.")
    if not 0 <= discount < 1:
        raise InputError(f"Got discount = {discount}.", "Expected a number from 0 to below 1.")
    values, often = np.unique(r, return_counts=True)
    usual = values[often.argmax()]
    worth = r - usual - np.asarray(terminated, dtype=bool) * usual * discount / (1 - discount)
    visited, place = np.unique(node, return_inverse=True)
    mean = np.bincount(place, worth) / np.bincount(place)
    largest = np.abs(mean).max()
    if largest == 0:
        return np.empty(0, dtype=np.int64), np.empty(0)
    special = np.abs(mean) > 1e-9 * largest
    return visited[special], mean[special] / largest
