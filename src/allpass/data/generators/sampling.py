"""Drawing without replacement, for many pools at once, in time and memory of what is drawn."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


def draw_distinct(counts: Ints, pools: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Draw ``counts[r]`` distinct numbers below ``pools[r]``, uniformly, for every r.

    Numbers that came twice are drawn again until none does, which leaves every subset equally likely. Where
    more than half of a pool is wanted, the numbers to leave out are drawn instead.

    Args:
        counts: How many numbers to draw from each pool, ``[R]``, at most the pool's size.
        pools: The size of each pool, ``[R]``.
        rng: Where the randomness comes from.

    Returns:
        The pool and the number of everything drawn, both ``[sum(counts)]``, ascending.
    """
    inverted = 2 * counts > pools
    if not inverted.any():
        return _reject(counts, pools, rng)
    row, value = _reject(np.where(inverted, pools - counts, counts), pools, rng)
    left_out = inverted[row]
    start = np.cumsum(np.where(inverted, pools, 0)) - pools  # of each inverted pool in one long mask
    kept = np.ones(int(pools[inverted].sum()), dtype=bool)
    kept[start[row[left_out]] + value[left_out]] = False
    place = np.flatnonzero(kept)
    which = np.flatnonzero(inverted)
    owner = which[np.repeat(np.arange(len(which)), pools[which])[place]]
    row = np.concatenate([row[~left_out], owner])
    value = np.concatenate([value[~left_out], place - start[owner]])
    order = np.argsort(row, kind="stable")
    return row[order], value[order]


def _reject(counts: Ints, pools: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Draw, sort, redraw what came twice. Pools lie one after the other, so that one sort serves them all."""
    row = np.repeat(np.arange(len(counts)), counts)
    start = np.cumsum(pools) - pools
    keys = start[row] + rng.integers(0, pools[row])
    while True:
        keys.sort()  # the k-th place keeps belonging to row[k], for every pool keeps its count
        twice = np.flatnonzero(keys[1:] == keys[:-1]) + 1
        if len(twice) == 0:
            return row, keys - start[row]
        keys[twice] = start[row[twice]] + rng.integers(0, pools[row[twice]])


def pair_of(index: Ints, size: Ints) -> tuple[Ints, Ints]:
    """The unordered pair of different items below ``size`` that has this number below size (size - 1) / 2.

    The items stand in a circle: pair number a + b size joins item a with the one b + 1 steps on.
    """
    steps, first = index // size, index % size
    return first, (first + steps + 1) % size


def both_ways(first: Ints, second: Ints, num_nodes: int) -> Ints:
    """Every pair as two directed edges ``[2, 2 E]``, in ascending order."""
    keys = np.concatenate([first * num_nodes + second, second * num_nodes + first])
    keys.sort()
    return unpack(keys, num_nodes)


def unpack(keys: Ints, num_nodes: int) -> Ints:
    """Edges ``[2, E]`` of the keys ``first * num_nodes + second``."""
    edges = np.empty((2, len(keys)), dtype=np.int64)
    np.divmod(keys, num_nodes, out=(edges[0], edges[1]))
    return edges
