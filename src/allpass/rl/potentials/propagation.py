"""Labels of a few states spread over the graph of all states: harmonic, softly clamped, and by the best path."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, dijkstra

from allpass.errors import InputError

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_NO_LENGTH = 1e-300  # SciPy reads a length of 0 as no edge


def harmonic(graph: Any, states: Index, labels: Array, *, discount: float = 1.0) -> Array:
    r"""The expected label of the first labelled state that a random walk meets (Zhu et al., ICML 2003).

    .. math::
        \phi_L = y, \qquad \phi_U = (I - \gamma P_{UU})^{-1} \gamma P_{UL}\, y, \qquad P = D^{-1} W

    With labels 0 and 1 and no discount it is the probability to be absorbed in a 1. With a discount it falls with the
    length of the walk, which tells far states from near ones where there is one kind of label.

    Args:
        graph: Weights ``[S, S]``, entry (s, s') for the move from s to s'; symmetric or a chain.
        states: The labelled states.
        labels: Their labels.
        discount: :math:`\gamma`, above 0 and at most 1.

    Returns:
        ``[S]``; 0 where no labelled state can be reached.
    """
    W, y = _checked(graph, states, labels)
    if not 0 < discount <= 1:
        raise InputError(f"Got discount = {discount}.", "Expected a number above 0 and at most 1.")
    S = W.shape[0]
    phi = np.zeros(S)
    phi[states] = y
    free = _reaching(W, states)
    free[states] = False
    U = np.flatnonzero(free)
    if U.size:
        rows = W[U]
        # Moves to states from which no label can be reached count: a walk that goes there is lost, and brings 0.
        system = sp.diags_array(np.asarray(rows.sum(axis=1)).ravel()) - discount * rows[:, U]
        phi[U] = sla.spsolve(system.tocsc(), discount * (rows[:, states] @ y))
    return phi


def soft_clamping(graph: Any, states: Index, labels: Array, *, spread: float = 0.9) -> Array:
    r"""Labels that give way to their neighbours (Zhou et al., NeurIPS 2004).

    .. math::
        \phi = (1 - a)(I - a D^{-1/2} W D^{-1/2})^{-1} y

    Args:
        graph: Symmetric weights ``[S, S]``.
        states: The labelled states.
        labels: Their labels; all other states begin with 0.
        spread: a, from 0 (labels stay where they are) to below 1.
    """
    W, y = _checked(graph, states, labels)
    if not 0 <= spread < 1:
        raise InputError(f"Got spread = {spread}.", "Expected a number from 0 to below 1.")
    degree = np.asarray(W.sum(axis=1)).ravel()
    root = sp.diags_array(np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1)), 0))
    start = np.zeros(W.shape[0])
    start[states] = y
    system = sp.eye_array(W.shape[0]) - spread * (root @ W @ root)
    return np.asarray((1 - spread) * sla.spsolve(system.tocsc(), start))


def best_path(graph: Any, states: Index, labels: Array, *, discount: float = 0.99) -> Array:
    r"""The largest discounted label along any path, :math:`\phi(s) = \max_g \gamma^{d(s, g)} y_g` (max-product).

    On a deterministic graph where reaching g earns :math:`y_g` and ends, these are the optimal values times
    :math:`\gamma`.

    Args:
        graph: Entry (s, s') is not 0 where a move leads from s to s'.
        states: The labelled states.
        labels: Their labels, 0 or more.
        discount: Factor of each move, above 0 and at most 1.
    """
    W, y = _checked(graph, states, labels)
    if not 0 < discount <= 1 or (y < 0).any():
        raise InputError(
            f"Got discount = {discount} and a smallest label of {y.min() if y.size else 0:g}.",
            "Expected a discount above 0 and at most 1, and labels of 0 or more.",
        )
    S = W.shape[0]
    sources, y = np.asarray(states)[y > 0], y[y > 0]
    if not sources.size:
        return np.zeros(S)
    # Lengths are negative logarithms. A node more, S, leads to each label at the price of its size.
    step, top = -np.log(discount), y.max()
    back = W.T.tocoo()
    row = np.concatenate([back.row, np.full(sources.size, S)])
    column = np.concatenate([back.col, sources])
    length = np.concatenate([np.full(back.nnz, step), np.log(top / y)])
    lengths = sp.csr_array((np.maximum(length, _NO_LENGTH), (row, column)), shape=(S + 1, S + 1))
    return np.asarray(top * np.exp(-dijkstra(lengths, indices=S)[:S]))


def _checked(graph: Any, states: Index, labels: Array) -> tuple[Any, Array]:
    W, y = sp.csr_array(graph, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    states = np.asarray(states)
    if W.shape[0] != W.shape[1] or states.shape != y.shape or not np.isfinite(y).all():
        raise InputError(
            f"Got a graph of shape {list(W.shape)}, {states.size} labelled states and {y.size} labels.",
            "Expected a square graph and one finite label for each labelled state.",
        )
    if states.size and not (0 <= states.min() and states.max() < W.shape[0]):
        raise InputError(
            f"Got labelled states from {states.min()} to {states.max()}.",
            f"Expected states from 0 to {W.shape[0] - 1}.",
        )
    return W, y


def _reaching(W: Any, states: Index) -> NDArray[np.bool_]:
    """Which states can reach one of ``states``."""
    S = W.shape[0]
    back = W.T.tocoo()
    row = np.concatenate([back.row, np.full(len(states), S)])
    column = np.concatenate([back.col, states])
    joined = sp.csr_array((np.ones(row.size), (row, column)), shape=(S + 1, S + 1))
    found = np.zeros(S + 1, dtype=bool)
    found[breadth_first_order(joined, S, return_predecessors=False)] = True
    return found[:S]
