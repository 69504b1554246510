"""Pairs of states that belong together although no single step joins them, as triplets of further relations."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.graph.embeddings.rings import degree_rings
from allpass.graph.embeddings.struc2vec import similarity_layers
from allpass.rl.dynamics.counts import TransitionCounts
from allpass.rl.dynamics.walks import biased_walks

Triplets = NDArray[np.int64]

_NONE: Triplets = np.zeros((0, 3), dtype=np.int64)


def no_contexts(counts: TransitionCounts, generator: np.random.Generator) -> Triplets:  # noqa: ARG001
    """Steps alone, as LINE reads a graph."""
    return _NONE


def walk_contexts(
    counts: TransitionCounts,
    generator: np.random.Generator,
    *,
    p: float = 1.0,
    q: float = 1.0,
    walks: int = 4,
    length: int = 20,
    window: int = 4,
) -> Triplets:
    """States met 2 to ``window`` steps apart on walks over the recorded moves: DeepWalk, or node2vec by p and q.

    The relation of a distance g is A + g - 2. A step itself is known with its action, so it needs no context.

    Args:
        counts: The recorded steps.
        generator: Source of the draws.
        p: Of node2vec; 1 is DeepWalk.
        q: Of node2vec.
        walks: Walks from each state.
        length: States of a walk.
        window: Largest distance in a walk.
    """
    chain = visited_chain(counts)
    starts = np.tile(np.flatnonzero(np.diff(chain.indptr)), walks)
    seen = biased_walks(chain, starts, length, generator, p=p, q=q)
    found = []
    for gap in range(2, min(window, length - 1) + 1):
        first, last = seen[:, :-gap].ravel(), seen[:, gap:].ravel()
        relation = np.full(len(first), counts.num_actions + gap - 2)
        found.append(_some(np.column_stack([first, relation, last]), counts, generator))
    return np.concatenate(found) if found else _NONE


def role_contexts(counts: TransitionCounts, generator: np.random.Generator, *, depth: int = 3) -> Triplets:
    """States with the same role in the graph of moves, by the similarity layers of struc2vec, one relation a layer."""
    chain = visited_chain(counts)
    graph = ((chain + chain.T) > 0).astype(np.float64).tolil()
    graph.setdiag(0)
    simple = graph.tocsr()
    simple.eliminate_zeros()
    found = []
    for k, layer in enumerate(similarity_layers(degree_rings(simple, depth), generator)):
        edges = layer.tocoo()
        weight = np.exp(-edges.data)
        often = min(len(weight), 4 * counts.num_states)
        rows = generator.choice(len(weight), often, p=weight / weight.sum())
        relation = np.full(often, counts.num_actions + k)
        found.append(np.column_stack([edges.row[rows], relation, edges.col[rows]]).astype(np.int64))
    return np.concatenate(found) if found else _NONE


def visited_chain(counts: TransitionCounts) -> Any:
    """The chain of recorded moves, sparse ``[S, S]``: all actions together, and ends that stay."""
    S, A = counts.num_states, counts.num_actions
    pool = sp.csr_array((np.ones(S * A), (np.arange(S * A) // A, np.arange(S * A))), shape=(S, S * A))
    moves = pool @ counts.C
    sums = np.asarray(moves.sum(axis=1)).ravel()
    stay = sp.diags_array((sums == 0).astype(np.float64))
    chain = sp.csr_array(sp.diags_array(1 / np.where(sums > 0, sums, 1)) @ moves + stay)
    chain.eliminate_zeros()
    return chain


def _some(rows: Triplets, counts: TransitionCounts, generator: np.random.Generator) -> Triplets:
    """As many contexts of a distance as there are different steps, so that they do not drown these."""
    most = max(counts.C.nnz, 1)
    return rows if len(rows) <= most else rows[generator.choice(len(rows), most, replace=False)]
