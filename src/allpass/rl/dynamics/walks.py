"""Walks with a memory of one step, as node2vec takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.errors import InputError

Index = NDArray[np.int64]


def biased_walks(
    chain: Any, starts: Any, length: int, generator: np.random.Generator, *, p: float = 1.0, q: float = 1.0
) -> Index:
    r"""States visited by walks that prefer to return or to move on, ``[W, length]`` (Grover and Leskovec, 2016).

    From v, after t, the step to x has the weight of the chain P(x|v), times 1/p where x = t, 1 where x is a neighbour
    of t, and 1/q elsewhere.

    Args:
        chain: P, sparse ``[S, S]``, no row of which is empty.
        starts: The first state of each walk.
        length: States of a walk.
        generator: Source of the draws.
        p: Large values keep walks from going back.
        q: Large values keep walks near where they came from.
    """
    if not (p > 0 and q > 0):
        raise InputError(f"Got p = {p} and q = {q}.", "Expected numbers above 0.")
    P = sp.csr_array(chain)
    near = ((P + P.T) > 0).tocsr()
    width = int(np.diff(P.indptr).max())
    seen = np.empty((len(starts), length), dtype=np.int64)
    seen[:, 0] = starts
    for step in range(1, length):
        here = seen[:, step - 1]
        place = P.indptr[here][:, None] + np.arange(width)
        there = place < P.indptr[here + 1][:, None]
        place = np.where(there, place, 0)
        to, weight = P.indices[place], np.where(there, P.data[place], 0.0)
        if step > 1:
            before = seen[:, step - 2]
            close = np.asarray(near[np.repeat(before, width), to.ravel()]).reshape(to.shape)
            weight *= np.where(to == before[:, None], 1 / p, np.where(close, 1.0, 1 / q))
        chance = weight.cumsum(axis=1)
        draw = generator.random(len(here)) * chance[:, -1]
        picked = np.minimum((chance <= draw[:, None]).sum(axis=1), width - 1)
        seen[:, step] = to[np.arange(len(here)), picked]
    return seen
