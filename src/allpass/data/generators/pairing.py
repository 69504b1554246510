"""Simple undirected graphs in which every node has the same degree: random pairing, then edge switches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from allpass.data.generators.sampling import Bools, Ints, unpack
from allpass.errors import InputError

_PATIENCE = 100  # rounds of switches before a fresh pairing
_ATTEMPTS = 50  # fresh pairings before giving up


def regular_within(num_classes: int, size: int, degree: int, rng: np.random.Generator) -> Ints:
    """A random simple ``degree``-regular graph inside each of ``num_classes`` classes of ``size`` nodes.

    Returns:
        Pairs ``[2, E]`` of nodes, numbered class after class.
    """
    _check_degree(degree, size, size - 1, "in its own class")
    if 2 * degree > size - 1:  # draw what is missing from the complete graph: there is more room to switch
        absent = np.zeros((num_classes, size, size), dtype=bool)
        first, second = regular_within(num_classes, size, size - 1 - degree, rng)
        absent[first // size, first % size, second % size] = True
        absent[first // size, second % size, first % size] = True
        block, row, col = np.nonzero(np.triu(~absent, k=1))
        return np.stack([block * size + row, block * size + col])
    nodes = np.repeat(np.arange(num_classes * size), degree)
    return _Pairing(nodes.reshape(num_classes, -1), num_classes * size, size, False).draw(rng)


def regular_between(num_classes: int, size: int, degree: int, rng: np.random.Generator) -> Ints:
    """A random simple graph that gives every node ``degree`` neighbours, all of them in other classes.

    Returns:
        Pairs ``[2, E]`` of nodes, numbered class after class.
    """
    N = num_classes * size
    _check_degree(degree, N, N - size, "in other classes")
    if 2 * degree > N - size:
        present = np.arange(N)[:, None] // size != np.arange(N) // size
        first, second = regular_between(num_classes, size, N - size - degree, rng)
        present[first, second] = present[second, first] = False
        return np.stack(np.nonzero(np.triu(present)))
    nodes = np.repeat(np.arange(N), degree)
    return _Pairing(nodes.reshape(1, -1), N, size, True).draw(rng)


def _check_degree(degree: int, num_nodes: int, most: int, where: str) -> None:
    if degree > most:
        raise InputError(
            f"Every node should have {degree} neighbours {where}, where there are {most} others.",
            "Take a smaller degree, a homophily nearer to 1, or larger classes.",
        )
    if degree * num_nodes % 2:
        raise InputError(
            f"{num_nodes} nodes of {degree} undirected edges each have {degree * num_nodes} edge ends, an odd number.",
            "Take an even number of nodes or an even degree.",
        )


@dataclass(frozen=True)
class _Pairing:
    """Edge ends to be joined in pairs, block by block.

    Args:
        ends: The node of every edge end, ``[B, S]``; only ends of one block are joined.
        num_nodes: Number of nodes.
        size: Nodes in a class.
        apart: Whether only nodes of different classes may be joined.
    """

    ends: Ints
    num_nodes: int
    size: int
    apart: bool

    def draw(self, rng: np.random.Generator) -> Ints:
        """Pairs ``[2, E]`` without self-loops, duplicates or joined classes that should be apart.

        A faulty edge and a random sound one of its block exchange an end wherever that makes two sound edges.
        Blocks that do not come to rest are paired afresh.
        """
        keys = self._pair(np.arange(len(self.ends)), rng)  # [B, M]
        for _ in range(_ATTEMPTS):
            for _ in range(_PATIENCE):
                faulty = self._faulty(keys)
                if not faulty.any():
                    return unpack(keys.reshape(-1), self.num_nodes)
                self._switch(keys, faulty, rng)
            blocks = np.flatnonzero(self._faulty(keys).any(axis=1))
            keys[blocks] = self._pair(blocks, rng)
        raise InputError(
            f"No simple graph with these degrees was found for classes of {self.size} nodes.",
            "Take larger classes, a smaller degree, or directed=True.",
        )

    def _pair(self, blocks: Ints, rng: np.random.Generator) -> Ints:
        """Join the ends of these blocks at random; edges as ascending keys ``[len(blocks), M]``."""
        ends = self.ends[blocks]
        half = ends.shape[1] // 2
        if self.apart and self.num_nodes == 2 * self.size:  # two classes: the halves are the classes
            first, second = rng.permuted(ends[:, :half], axis=1), rng.permuted(ends[:, half:], axis=1)
        else:
            ends = rng.permuted(ends, axis=1)
            first, second = ends[:, :half], ends[:, half:]
            if self.apart:
                self._part(first[0], second[0], rng)
        return np.sort(self._keys(first, second), axis=1)

    def _part(self, first: Ints, second: Ints, rng: np.random.Generator) -> None:
        """Exchange second ends, in place, until few edges join nodes of one class; the switches do the rest."""
        inside = np.flatnonzero(first // self.size == second // self.size)
        for _ in range(_PATIENCE):
            if len(inside) == 0:
                break
            partner = rng.integers(0, len(first), size=len(inside))
            own = first[inside] // self.size
            one, other = first[partner] // self.size, second[partner] // self.size
            fits = (one != own) & (other != own) & (one != other) & _first_of_its_kind(partner)
            here, there = inside[fits], partner[fits]
            second[here], second[there] = second[there], second[here]
            inside = inside[~fits]

    def _keys(self, first: Ints, second: Ints) -> Ints:
        return np.minimum(first, second) * self.num_nodes + np.maximum(first, second)

    def _unsound(self, first: Ints, second: Ints) -> Bools:
        return first // self.size == second // self.size if self.apart else first == second

    def _faulty(self, keys: Ints) -> Bools:
        """Which edges are faulty, ``[B, M]``; of equal ones all but the first."""
        faulty = self._unsound(*np.divmod(keys, self.num_nodes))
        faulty[:, 1:] |= keys[:, 1:] == keys[:, :-1]
        return faulty

    def _switch(self, keys: Ints, faulty: Bools, rng: np.random.Generator) -> None:
        """One round of switches, in place; every row stays ascending."""
        flat, width = keys.reshape(-1), keys.shape[1]
        bad = rng.permutation(np.flatnonzero(faulty))
        partner = bad // width * width + rng.integers(0, width, size=len(bad))
        usable = ~faulty.reshape(-1)[partner] & _first_of_its_kind(partner)
        bad, partner = bad[usable], partner[usable]
        u, v = np.divmod(flat[bad], self.num_nodes)
        ends = np.stack(np.divmod(flat[partner], self.num_nodes))
        x, y = rng.permuted(ends, axis=0)
        one, other = self._keys(u, x), self._keys(v, y)
        known = np.sort(flat)
        sound = ~self._unsound(u, x) & ~self._unsound(v, y) & ~_holds(known, one) & ~_holds(known, other)
        fresh = _first_of_its_kind(np.concatenate([one, other])).reshape(2, -1)
        sound &= fresh[0] & fresh[1]
        flat[bad[sound]], flat[partner[sound]] = one[sound], other[sound]
        keys.sort(axis=1)


def _first_of_its_kind(values: Ints) -> Bools:
    first = np.zeros(len(values), dtype=bool)
    first[np.unique(values, return_index=True)[1]] = True
    return first


def _holds(ascending: Ints, values: Ints) -> Bools:
    place = np.searchsorted(ascending, values)
    return ascending[np.minimum(place, len(ascending) - 1)] == values
