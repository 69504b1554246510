"""Edges of a graph of your own: checked, merged, and what they look like, in one pass of sorting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import many
from allpass.data.repairs.labels import merged_by_rounding
from allpass.errors import DataError

Array = NDArray[Any]

_FEW = 0.05  # pairs of nodes that may be joined both ways in a graph that stores each edge once


@dataclass(frozen=True)
class Links:
    """Who is joined to whom, direction ignored: ``keys`` are sorted ``N u + v``, each pair in both orders."""

    keys: NDArray[np.int64]
    num_nodes: int


def checked_edges(edge_index: Array, num_nodes: int, node_ids: list[str] | None) -> NDArray[np.int64]:
    """``[2, E]`` whole numbers within the graph, or an error that names the nodes that are not in it."""
    edges = np.asarray(edge_index)
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise DataError(
            f"edge_index has the shape {list(edges.shape)}.", "Expected [2, E]: sources above targets."
        )
    if edges.dtype.kind == "f" and np.isfinite(edges).all() and (edges == np.floor(edges)).all():
        edges = edges.astype(np.int64)
    if edges.size and edges.dtype.kind not in "iu":
        raise DataError(f"edge_index holds {edges.dtype}.", "Expected whole numbers: positions of nodes.")
    edges = edges.astype(np.int64, copy=False) if edges.size else np.zeros((2, 0), dtype=np.int64)
    wrong = np.unique(edges[(edges < 0) | (edges >= num_nodes)])
    if wrong.size:
        raise DataError(
            f"Edges lead to {many(wrong.size, 'unknown node')}: {', '.join(map(str, wrong[:5].tolist()))}"
            f"{', ...' if wrong.size > 5 else ''}; there are {many(num_nodes, 'node')}.",
            f"Expected numbers from 0 to {num_nodes - 1}.",
        )
    if node_ids is not None and len(node_ids) != num_nodes:
        raise DataError(
            f"Got {len(node_ids):,} node ids for {many(num_nodes, 'node')}.", "Expected one each."
        )
    return edges


def checked_weights(weight: Array | None, num_edges: int, account: Account) -> Array | None:
    """``[E]`` finite numbers as float32, or nothing."""
    if weight is None:
        return None
    weight = np.asarray(weight)
    if weight.shape == (num_edges, 1):
        weight = weight[:, 0]
    if weight.shape != (num_edges,) or weight.dtype.kind not in "biuf":
        raise DataError(
            f"The edge weights have the shape {list(weight.shape)} and the type {weight.dtype}.",
            f"Expected [{num_edges}] numbers: one for each edge.",
        )
    if not np.isfinite(weight).all():
        bad = int(np.count_nonzero(~np.isfinite(weight)))
        raise DataError(
            f"{many(bad, 'edge weight is', 'edge weights are')} missing or infinite; the first is that of edge "
            f"{np.flatnonzero(~np.isfinite(weight))[0] + 1:,}.",
            "Fill them in, or load the graph without weights (for tables weight=False).",
        )
    with np.errstate(over="ignore"):
        single = weight.astype(np.float32)
    lost = np.flatnonzero(np.isinf(single) | ((single == 0) & (weight != 0)))
    if lost.size:
        raise DataError(
            f"{many(lost.size, 'edge weight is', 'edge weights are')} too large or too small for single precision; the "
            f"first is {weight[lost[0]]:g}, that of edge {lost[0] + 1:,}.",
            "Scale the weights, or load the graph without weights (for tables weight=False).",
        )
    merged = merged_by_rounding(weight) if weight.dtype.kind in "iuf" and weight.dtype.itemsize > 4 else 0
    account.add(
        "rounded-weights",
        merged,
        f"{many(merged, 'edge weight')} became equal to another one in single precision.",
        "Subtract a constant when they are dates or ids, or load the graph without weights.",
    )
    negative = np.flatnonzero(weight < 0)
    if negative.size:
        account.add(
            "negative-weights",
            negative.size,
            f"{many(negative.size, 'edge has', 'edges have')} a negative weight; the first is edge "
            f"{negative[0] + 1:,}. Kept.",
            "Metrics and normalisations refuse them: make them 0 or more, or load the graph without weights.",
        )
    return single


def merge_duplicates(
    edge_index: Array, weight: Array | None, num_nodes: int, account: Account
) -> tuple[Array, Array | None]:
    """Edges stored more than once become one: the first of them stays, weights are added."""
    keys = edge_index[0] * num_nodes + edge_index[1]
    in_order = np.sort(keys)
    extra = int(np.count_nonzero(in_order[1:] == in_order[:-1]))
    if not extra:
        return edge_index, weight
    # Repeats are few as a rule: only the edges that have one are sorted with their places.
    repeated = np.unique(in_order[1:][in_order[1:] == in_order[:-1]])
    places = np.flatnonzero(np.isin(keys, repeated))
    order = places[np.argsort(keys[places], kind="stable")]
    fresh = np.concatenate([[True], keys[order][1:] != keys[order][:-1]])
    kept = np.ones(keys.size, dtype=bool)
    kept[order[~fresh]] = False
    account.add(
        "duplicate-edges",
        extra,
        f"{many(extra, 'edge was', 'edges were')} stored more than once and merged; "
        + ("each edge was kept once." if weight is None else "their weights were added."),
        "" if weight is None else "Remove the repeats from the source when their weights must not be added.",
    )
    if weight is not None:
        weight = weight.copy()
        weight[order[fresh]] = np.add.reduceat(weight[order], np.flatnonzero(fresh))
        weight = weight[kept]
    return edge_index[:, kept], weight


def note_weights(weight: Array | None, account: Account) -> None:
    """Note that edges are weighed, and those that weigh nothing; the edges must be free of duplicates."""
    if weight is None:
        return
    account.add(
        "weighted",
        weight.size,
        "Edges carry weights: counts and shares are by weight; where both directions of an edge have one, the "
        "larger counts.",
        "Load the graph without weights when every edge is to count the same.",
    )
    empty = int(np.count_nonzero(weight == 0))
    account.add(
        "zero-weights",
        empty,
        f"{many(empty, 'edge has', 'edges have')} weight 0: kept as stored, but measured as no edge unless the way "
        "back weighs more.",
        "Give them a weight above 0, or load the graph without weights, when they are to count.",
    )


def count_directions(edge_index: Array, num_nodes: int) -> tuple[int, int]:
    """How many pairs of different nodes are joined one way only, and how many both ways."""
    source, target = edge_index
    apart = source != target
    keys = source[apart] * num_nodes + target[apart]
    keys.sort()
    distinct = int(np.count_nonzero(np.diff(keys))) + bool(keys.size)
    low, high = np.minimum(source, target)[apart], np.maximum(source, target)[apart]
    keys = low * num_nodes + high
    keys.sort()
    pairs = int(np.count_nonzero(np.diff(keys))) + bool(keys.size)
    both = distinct - pairs
    return pairs - both, both


def stored_once(one_way: int, both_ways: int) -> bool:
    """Whether so few pairs are joined both ways that an undirected graph may have been stored once an edge."""
    return one_way > 0 and both_ways <= _FEW * (one_way + both_ways)


def note_links(edge_index: Array, weight: Array | None, num_nodes: int, account: Account) -> Links:
    """Note direction, self-loops and isolated nodes; the edges must be free of duplicates."""
    source, target = edge_index
    E = source.size
    forward, backward = np.sort(source * num_nodes + target), np.sort(target * num_nodes + source)
    one_way = 0
    if not np.array_equal(forward, backward):
        both = np.sort(np.concatenate([forward, backward]))
        both = both[np.concatenate([[True], both[1:] != both[:-1]])]
        one_way = both.size - E
        forward = both
    loops = int(np.count_nonzero(source == target))
    if not E:
        account.add("no-edges", num_nodes, "The graph has no edges: every node stands alone.")
    elif stored_once(one_way, (E - loops - one_way) // 2):
        account.add(
            "stored-once",
            one_way,
            f"{'Each edge' if one_way == E - loops else 'Nearly every edge'} is stored in one direction only: either "
            "the graph is directed, or it is undirected and stores each edge once. Metrics and models use edges both "
            "ways.",
            "To train on the stored direction, pass undirected=False.",
        )
    elif one_way:
        account.add(
            "directed",
            one_way,
            f"The graph is directed: {one_way:,} of {many(E, 'edge')} have no edge back. Kept as stored.",
            "Metrics and models symmetrise by default; direction matters only where you ask for it.",
        )
    elif weight is not None and (count := _lopsided(source, target, weight, num_nodes)):
        account.add(
            "directed", count, f"Directed by weight: {many(count, 'edge')} weigh differently on the way back."
        )
    else:
        account.add(
            "undirected", E, f"The graph is undirected: its {many(E, 'edge')} are stored in both directions."
        )
    account.add("self-loops", loops, f"{many(loops, 'self-loop was', 'self-loops were')} kept as stored.")
    apart = source != target
    joined = np.zeros(num_nodes, dtype=bool)
    joined[source[apart]] = joined[target[apart]] = True
    alone = num_nodes - int(joined.sum())
    if E:
        account.add(
            "isolated-nodes",
            alone,
            f"{many(alone, 'node has', 'nodes have')} no edge to another node. Kept.",
            "Structure cannot help there; a model sees the node's own features alone.",
        )
    return Links(forward, num_nodes)


def note_twins(links: Links, y: Array, account: Account) -> None:
    """Note nodes with exactly the neighbours and the label of another node, as in Chameleon and Squirrel.

    Nodes with one neighbour are left out: the leaves of a hub share it without being copies.
    """
    source, target = np.divmod(links.keys, links.num_nodes)
    ends = np.cumsum(np.bincount(source, minlength=links.num_nodes))
    # A neighbourhood is known by the sum of its members' hashes; sums of 64 bits wrap and do not collide.
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(_hash(target), dtype=np.uint64)])
    degree = np.diff(ends, prepend=0)
    print_of = sums[ends] - sums[ends - degree]
    candidates = (degree > 1) & (y >= 0)
    prints = (_hash(print_of) + _hash(y))[candidates]
    _, group, sizes = np.unique(prints, return_inverse=True, return_counts=True)
    twins = int(np.count_nonzero(sizes[group] > 1)) if prints.size else 0
    account.add(
        "duplicate-nodes",
        twins,
        f"{twins:,} of {many(links.num_nodes, 'node')} share label and all neighbours, at least two, with another node "
        f"({twins / links.num_nodes:.0%}).",
        "Twins in the training and the test set make models that look up neighbours seem better than they are.",
    )


def _lopsided(source: Array, target: Array, weight: Array, num_nodes: int) -> int:
    """How many edges of a symmetric pattern have another weight on the way back."""
    there, back = np.argsort(source * num_nodes + target), np.argsort(target * num_nodes + source)
    return int(np.count_nonzero(weight[there] != weight[back]))


def _hash(values: Array) -> NDArray[np.uint64]:
    """A fixed scrambling of whole numbers (the finaliser of splitmix64)."""
    h = values.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x632BE59BD9B4E019)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))
