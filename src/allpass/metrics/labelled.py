r"""A graph with labels and features, seen once and shared by all metrics.

Everything the label metrics need is in the neighbour-class matrix :math:`B = A Z` (:math:`B_{vk}` = weight of the
neighbours of v in class k), so the edges are visited once whatever the number of metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Literal, TypedDict, TypeVar, cast, get_args

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph import Operator

Loops = Literal["drop", "keep", "add"]
Neighbours = Literal["out", "in"]
Graph = Tensor | Operator
KeptT = TypeVar("KeptT")


class GraphOptions(TypedDict, total=False):
    """How ``edge_index`` becomes the graph that is measured.

    An :class:`~allpass.graph.Operator` in its place is taken as it is, row v listing the neighbours of v.

    * ``edge_weight``: ``[E]``, 0 or more; an edge of weight 2 counts as two. Without weights every distinct edge
      counts once, however often it is stored.
    * ``directed``: keep edges one-way. By default u -> v makes u and v each other's neighbours.
    * ``neighbours``: in a directed graph, the neighbours of v are the ends of its outgoing edges (``"out"``, as the
      report and the published tables count) or the starts of its incoming ones (``"in"``, what a layer aggregates).
    * ``num_classes``: the number of classes C, those without a node included. By default the largest label + 1, as in
      PyG; where that is more than there are nodes, labels are ids, and the classes that occur are counted.
    """

    edge_weight: Tensor | None
    directed: bool
    neighbours: Neighbours
    num_classes: int | None


class LabelledGraph:
    """Adjacency, labels and features, with the sums that metrics share.

    Args:
        adjacency: Row v lists the neighbours of v; float64.
        y: Class of every node, ``[N]``; negative where it is unknown.
        x: Features ``[N, F]``, dense or sparse, or nothing.
        reading: How edges were read, in sentences.
        numbers: A number for every node in place of a class, ``[N]``; NaN where it is unknown.
        num_classes: Number of classes, those without a node included; by default as of :class:`GraphOptions`.
    """

    def __init__(
        self,
        adjacency: Operator,
        y: Tensor | None,
        x: Tensor | None = None,
        reading: tuple[str, ...] = (),
        numbers: Tensor | None = None,
        num_classes: int | None = None,
    ) -> None:
        _check_adjacency(adjacency)
        self.adjacency = adjacency.to(torch.float64)
        labels = None if y is None else _check_labels(y, adjacency.shape[0])
        self.y = None if labels is None else _compact(labels)
        self.all_classes = 0 if labels is None else _all_classes(labels, num_classes)
        self.x = None if x is None else _check_features(x, adjacency.shape[0])
        self.numbers = None if numbers is None else _check_numbers(numbers, adjacency.shape[0])
        self.reading = reading
        self._kept: dict[Hashable, object] = {}

    def once(self, key: Hashable, compute: Callable[[], KeptT]) -> KeptT:
        """``compute()``, done the first time this key is asked for: how metrics share their work."""
        if key not in self._kept:
            self._kept[key] = compute()
        return cast(KeptT, self._kept[key])

    @classmethod
    def build(
        cls,
        graph: Graph,
        y: Tensor | None,
        x: Tensor | None = None,
        num_nodes: int | None = None,
        *,
        numbers: Tensor | None = None,
        edge_weight: Tensor | None = None,
        directed: bool = False,
        neighbours: Neighbours = "out",
        num_classes: int | None = None,
    ) -> LabelledGraph:
        """From ``edge_index`` or an Operator, under the conventions of :class:`GraphOptions`."""
        check_choice("neighbours", neighbours, Neighbours)
        if isinstance(graph, Operator):
            if edge_weight is not None or directed or neighbours != "out":
                raise InputError(
                    "Got an Operator together with edge_weight, directed or neighbours.",
                    "Build the Operator as it is to be measured (symmetrized(), T), or pass edge_index.",
                )
            return cls(graph, y, x, numbers=numbers, num_classes=num_classes)
        for given, words in ((graph, "edges"), (y, "labels"), (x, "features"), (numbers, "numbers")):
            if given is not None and not isinstance(given, Tensor):
                raise InputError(
                    f"Got {type(given).__name__} for the {words}.",
                    "Expected a torch tensor (torch.from_numpy makes one); for a whole Data use profile(data).",
                )
        if num_nodes is None:
            num_nodes = next((rows.shape[0] for rows in (y, x, numbers) if rows is not None), None)
        A = Operator.from_edge_index(
            graph,
            edge_weight,
            num_nodes,
            flow="target_to_source" if neighbours == "out" else "source_to_target",
            dtype=torch.float64,
        )
        if edge_weight is None:
            A = Operator(A.pattern, torch.ones_like(A.values))
        else:
            _check_adjacency(A)
        if directed:
            words = f"Edges keep their direction: neighbours are those of {neighbours}going edges."
            return cls(A, y, x, (words,), numbers, num_classes)
        return cls(A.symmetrized(), y, x, ("Edges are taken as undirected.",), numbers, num_classes)

    @property
    def labels(self) -> Tensor:
        """The labels, or an error that says they are missing."""
        if self.y is None:
            raise InputError("Got a graph without labels.", "This metric needs y.")
        return self.y

    @property
    def features(self) -> Tensor:
        """The features, or an error that says they are missing."""
        if self.x is None:
            raise InputError("Got a graph without features.", "This metric needs x.")
        return self.x

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.adjacency.shape[0]

    @cached_property
    def known(self) -> Tensor:
        """Which nodes have a label, ``[N]``."""
        return self.labels >= 0

    @cached_property
    def all_known(self) -> bool:
        """Whether every node has a label."""
        return bool(self.known.all())

    @cached_property
    def num_classes(self) -> int:
        """Number of classes that occur."""
        return int(self.labels.max()) + 1 if len(self.labels) else 0

    @cached_property
    def class_sizes(self) -> Tensor:
        """Labelled nodes of each class, ``[C]``, float64."""
        return torch.bincount(self.labelled(self.labels), minlength=self.num_classes).double()

    @cached_property
    def Z(self) -> Tensor:
        """One-hot labels ``[N, C]``, float64; a zero row where the label is unknown."""
        Z = torch.zeros(self.num_nodes, self.num_classes, dtype=torch.float64, device=self.labels.device)
        if self.num_classes:
            Z.scatter_(1, self.labels.clamp_min(0).unsqueeze(1), self.known.double().unsqueeze(1))
        return Z

    @cached_property
    def degrees(self) -> Tensor:
        """Weight of all neighbours of each node, labelled or not, loops included, ``[N]``."""
        # With all labels known the product that every label metric needs holds them already.
        return self.neighbour_classes("keep").sum(1) if self.all_known else self.adjacency.row_sums

    def neighbour_classes(self, self_loops: Loops = "drop") -> Tensor:
        """B = A Z, ``[N, C]``, with the graph's own loops dropped or kept, or one loop for every node."""
        check_choice("self_loops", self_loops, Loops)
        return self.once(("neighbour classes", self_loops), lambda: self._neighbour_classes(self_loops))

    def _neighbour_classes(self, self_loops: Loops) -> Tensor:
        if self_loops == "keep":
            return self.adjacency @ self.Z
        B, loops = self.neighbour_classes("keep"), self.adjacency.diagonal
        change = -loops if self_loops == "drop" else 1 - loops
        return B + change.unsqueeze(1) * self.Z if bool(change.any()) else B

    def mixing(self, self_loops: Loops = "drop") -> Tensor:
        """Weight of the entries from class k to class l, ``[C, C]``; only entries with both labels known."""
        return self.once(("mixing", self_loops), lambda: self.Z.mT @ self.neighbour_classes(self_loops))

    def labelled(self, by_node: Tensor) -> Tensor:
        """The rows of labelled nodes, from ``[N, ...]`` to ``[L, ...]``."""
        return by_node if self.all_known else by_node[self.known]

    def take_own(self, by_class: Tensor) -> Tensor:
        """The entry of each labelled node's own class, from ``[N, C]`` to ``[L]``."""
        if not self.num_classes:
            return by_class.new_zeros(0)
        return self.labelled(by_class).gather(1, self.labelled(self.labels).unsqueeze(1)).squeeze(1)


def check_choice(option: str, value: object, choices: object) -> None:
    """Complain about a value that is none of a ``Literal``'s."""
    *others, last = get_args(choices)
    if value not in (*others, last):
        raise InputError(f"Got {option}={value!r}.", f"Expected {', '.join(map(repr, others))} or {last!r}.")


def _check_adjacency(A: Operator) -> None:
    if A.shape[0] != A.shape[1]:
        raise InputError(
            f"Got an adjacency of shape {list(A.shape)}.", "Expected one row and column for each node."
        )
    if not A.nnz:
        return
    low, high = (float(end) for end in A.values.aminmax())
    if not (low >= 0 and high < float("inf")):  # a NaN fails every comparison
        wrong = int((~((A.values >= 0) & torch.isfinite(A.values))).sum())
        raise InputError(
            f"{wrong} of the edge weights are negative, infinite or NaN.",
            "Metrics count edges by weight: expected 0 or more. Drop these edges, or leave the weights out.",
        )


def _check_labels(y: Tensor, num_nodes: int) -> Tensor:
    if y.dim() != 1 or y.shape[0] != num_nodes:
        raise InputError(
            f"Got labels of shape {list(y.shape)} for {num_nodes} nodes.", f"Expected [{num_nodes}]."
        )
    if y.is_floating_point() or y.is_complex():
        raise InputError(f"Got labels of type {y.dtype}.", "Expected integers: the class of every node.")
    return y.long()


def _check_numbers(numbers: Tensor, num_nodes: int) -> Tensor:
    if numbers.dim() == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.dim() != 1 or numbers.shape[0] != num_nodes:
        raise InputError(
            f"Got numbers of shape {list(numbers.shape)} for {num_nodes} nodes.", f"Expected [{num_nodes}]."
        )
    if numbers.is_complex() or bool(numbers.isinf().any()):
        raise InputError("Got complex or infinite numbers.", "Expected real numbers, NaN where unknown.")
    return numbers.double()


def _all_classes(y: Tensor, num_classes: int | None) -> int:
    """Number of classes, those without a node included."""
    most = int(y.max()) + 1 if len(y) else 0
    if num_classes is not None:
        if type(num_classes) is not int or num_classes < most:
            raise InputError(
                f"Got num_classes = {num_classes!r} and labels up to {most - 1}.", f"Expected {most} or more."
            )
        return num_classes
    return most if most <= len(y) else len(torch.unique(y[y >= 0]))


def _compact(y: Tensor) -> Tensor:
    """Class numbers without gaps: 0 to C - 1 in their old order, -1 for every unknown."""
    classes = torch.unique(y[y >= 0])
    if len(classes) and int(classes[-1]) == len(classes) - 1:
        return y.clamp_min(-1)
    return torch.where(y >= 0, torch.searchsorted(classes, y), -1)


def _check_features(x: Tensor, num_nodes: int) -> Tensor:
    if x.dim() != 2 or x.shape[0] != num_nodes:
        raise InputError(
            f"Got features of shape {list(x.shape)} for {num_nodes} nodes.", f"Expected [{num_nodes}, F]."
        )
    if x.is_complex():
        raise InputError(f"Got features of type {x.dtype}.", "Expected real numbers.")
    x = x.coalesce() if x.layout == torch.sparse_coo else x
    numbers = x if x.layout == torch.strided else x.values()
    if not bool(torch.isfinite(numbers).all()):
        raise InputError("Got features with NaN or infinite values.", "Fill or drop them before measuring.")
    return x
