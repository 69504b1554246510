"""The graph that a model with an adjacency learner has learned: what it added and dropped, and where it helped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from allpass.errors import InputError
from allpass.files import write_whole
from allpass.graph.operator import Operator
from allpass.metrics.labelled import LabelledGraph
from allpass.metrics.similarity import label_similarity
from allpass.models.adjacency import AdjacencyNetwork
from allpass.nn.adjacency.channel import ACMAdjacencyConv
from allpass.train.places import ids_of
from allpass.train.trained import SETS, Trained

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


@dataclass(frozen=True, eq=False)
class LearnedGraph:
    """Kept edges next to those of the given graph; every edge is undirected and stands once, its smaller node first.

    An edge between two training nodes may only repeat their labels, so homophily is measured on edges that have a test
    node at one end, next to that of edges between training nodes.

    Args:
        edges: Kept edges ``[2, E]``.
        weight: Their weights ``[E]``, the mean of both directions.
        given: Edges of the given graph ``[2, G]``, without self-loops.
        num_nodes: Number of nodes.
        y: Classes ``[N]``, -1 where unknown; None for numbers.
        sets: Which set of the split each node is in, a number of ``SETS``; None where it is not known.
        channel: The mixing weight of the learned graph at each node ``[N]``, the mean over the layers; None in models
            that have no such channel.
        ids: The ids of the nodes.
    """

    edges: Tensor
    weight: Tensor
    given: Tensor
    num_nodes: int
    y: Tensor | None = None
    sets: Tensor | None = None
    channel: Tensor | None = None
    ids: tuple[Any, ...] | None = None

    @cached_property
    def is_given(self) -> Tensor:
        """Which of the kept edges the given graph has, bool ``[E]``; the others were added."""
        return torch.isin(self._numbers(self.edges), self._numbers(self.given))

    @property
    def added(self) -> Tensor:
        """Kept edges that the given graph lacks, ``[2, A]``."""
        return self.edges[:, ~self.is_given]

    @cached_property
    def dropped(self) -> Tensor:
        """Edges of the given graph that were not kept, ``[2, D]``."""
        return self.given[:, ~torch.isin(self._numbers(self.given), self._numbers(self.edges))]

    def same_class(self, edges: Tensor, part: str = "test") -> float | None:
        """The share of edges within a class: of those at test nodes, or of those between two training nodes.

        Args:
            edges: Edges ``[2, E]``, such as ``given`` or ``added``.
            part: ``"test"``: at least one end is a test node; ``"train"``: both are training nodes.
        """
        if self.y is None or self.sets is None:
            return None
        ends = self.sets.long()[edges] == SETS[part]
        counted = (ends.any(0) if part == "test" else ends.all(0)) & (self.y[edges] >= 0).all(0)
        same = (self.y[edges[0]] == self.y[edges[1]])[counted]
        return float(same.double().mean()) if len(same) else None

    def aggregation(self, part: str = "test", *, learned: bool = True) -> float | None:
        """H_agg over the nodes of one set: how many of them resemble their own class most after averaging.

        Args:
            part: A name of ``SETS``.
            learned: Of the learned graph; else of the given one.
        """
        if self.y is None or self.sets is None or int(self.y.max()) < 1:
            return None
        edges = self.edges if learned else self.given
        weight = self.weight if learned else torch.ones(edges.shape[1])
        both = torch.cat([edges, edges.flip(0)], dim=1)
        A = Operator.from_edge_index(both, weight.double().repeat(2), self.num_nodes, dtype=torch.float64)
        known = self.y >= 0
        passed = label_similarity(LabelledGraph(A, self.y)).aggregates()
        mine = passed[self.sets[known].long() == SETS[part]]
        return float(mine.double().mean()) if len(mine) else None

    def summary(self) -> dict[str, Any]:
        """The numbers of interest by name; None where labels or the split are not known."""
        there = self.channel is not None and self.sets is not None
        on_test = self.channel[self.sets == SETS["test"]] if there else None  # type: ignore[index]
        return {
            "kept": self.edges.shape[1],
            "added": self.added.shape[1],
            "dropped": self.dropped.shape[1],
            "given": self.given.shape[1],
            "homophily_test": self.same_class(self.edges),
            "homophily_test_given": self.same_class(self.given),
            "homophily_train": self.same_class(self.edges, "train"),
            "homophily_train_given": self.same_class(self.given, "train"),
            "h_agg_test": self.aggregation(),
            "h_agg_test_given": self.aggregation(learned=False),
            "channel_test": None if on_test is None or not len(on_test) else float(on_test.mean()),
        }

    def to_pandas(self) -> pd.DataFrame:
        """A row for each edge that is kept, added or dropped: ``source``, ``target``, ``weight``, ``change``."""
        import pandas as pd

        ends = torch.cat([self.edges, self.dropped], dim=1).tolist()
        names = ends if self.ids is None else [[self.ids[node] for node in side] for side in ends]
        change = ["kept" if given else "added" for given in self.is_given.tolist()]
        gone = self.dropped.shape[1]
        return pd.DataFrame(
            {
                "source": names[0],
                "target": names[1],
                "weight": self.weight.tolist() + [0.0] * gone,
                "change": change + ["dropped"] * gone,
            }
        )

    def to_csv(self, path: str | Path) -> None:
        """Write :meth:`to_pandas` as a CSV file, whole or not at all."""
        write_whole(Path(path), self.to_pandas().to_csv(index=False, lineterminator="\n").encode())

    def to_networkx(self) -> nx.Graph:
        """The learned graph with ``weight`` and ``added`` at its edges; nodes are named by their ids."""
        import networkx as nx

        names = list(range(self.num_nodes)) if self.ids is None else list(self.ids)
        graph = nx.Graph()
        graph.add_nodes_from(names)
        lines = zip(*self.edges.tolist(), self.weight.tolist(), self.is_given.tolist(), strict=True)
        graph.add_edges_from((names[u], names[v], {"weight": w, "added": not g}) for u, v, w, g in lines)
        return graph

    def to_pyg(self) -> Data:
        """The learned graph as ``Data``: ``edge_index`` in both directions, ``edge_weight``, and ``y`` where known."""
        both = torch.cat([self.edges, self.edges.flip(0)], dim=1)
        found = Data(edge_index=both, edge_weight=self.weight.repeat(2), num_nodes=self.num_nodes)
        if self.y is not None:
            found.y = self.y
        return found

    def _numbers(self, edges: Tensor) -> Tensor:
        return edges[0] * self.num_nodes + edges[1]


def learned_graph(trained: Trained, data: Data) -> LearnedGraph:
    """The graph that a trained model has learned.

    Args:
        trained: A training of ``adjacency-gcn`` or a relative.
        data: The graph it was trained on; on others there is no split.

    Example:
        >>> from allpass.data import contextual_sbm, splits
        >>> from allpass.train import Trained, fit
        >>> data = contextual_sbm([20, 20], [[0.1, 0.9], [0.9, 0.1]], num_features=8)
        >>> (run,) = fit("adjacency-gcn", data, splits(data, "stratified", count=1), {"k1": 4, "k2": 2}, epochs=20)
        >>> graph = learned_graph(Trained.of(run, data), data)
        >>> summary = graph.summary()
        >>> summary["kept"] - summary["added"] + summary["dropped"] == summary["given"]
        True
    """
    network = trained.network
    if not isinstance(network, AdjacencyNetwork):
        raise InputError(
            f"The model {trained.model!r} learns no graph.",
            "Train 'adjacency-gcn', 'adjacency-acm-gcn' or 'acm-gcn-adjacency'.",
        )
    x, A, _ = trained.inputs(data)
    edges, weight = _once(network.learned_graph(x, A))
    y = data.get("y")
    return LearnedGraph(
        edges=edges,
        weight=weight,
        given=_once(A)[0],
        num_nodes=int(data.num_nodes or 0),
        y=y.long() if isinstance(y, Tensor) and y.dim() == 1 and not y.is_floating_point() else None,
        sets=_sets(trained, data),
        channel=_channel(trained, network, data),
        ids=tuple(ids_of(data)) if data.get("node_ids") is not None else None,
    )


def changed(summary: Mapping[str, Any]) -> list[str]:
    """A summary in sentences.

    Args:
        summary: Of :meth:`LearnedGraph.summary`.
    """

    def share(name: str) -> str:
        return f"{100 * summary[name]:.0f}%"

    lines = [
        f"Learned graph: {summary['kept']:,} edges, {summary['added']:,} of them added; {summary['dropped']:,} of "
        f"{summary['given']:,} given edges dropped."
    ]
    if summary["homophily_test"] is not None and summary["homophily_test_given"] is not None:
        text = f"Edges within a class: {share('homophily_test')} at test nodes"
        text += f" (given graph {share('homophily_test_given')})"
        if summary["homophily_train"] is not None:
            text += f"; {share('homophily_train')} between training nodes, whose labels it has seen"
        lines.append(text + ".")
    if summary["h_agg_test"] is not None:
        lines.append(
            f"H_agg of test nodes: {summary['h_agg_test']:.2f} (given {summary['h_agg_test_given']:.2f})."
        )
    if summary["channel_test"] is not None:
        lines.append(f"Mean weight of the learned channel at test nodes: {summary['channel_test']:.2f} of 1.")
    return lines


def _once(A: Operator) -> tuple[Tensor, Tensor]:
    """Undirected edges once, smaller node first, and the mean weight of both directions; no self-loops."""
    row, col = A.pattern.row, A.pattern.col
    apart = row != col
    low, high = torch.minimum(row, col)[apart].long(), torch.maximum(row, col)[apart].long()
    numbers, place = torch.unique(low * A.shape[1] + high, return_inverse=True)
    weight = torch.zeros(len(numbers), dtype=A.values.dtype)
    weight.index_add_(0, place, A.values.detach()[apart] / 2)
    return torch.stack([numbers // A.shape[1], numbers % A.shape[1]]), weight


def _sets(trained: Trained, data: Data) -> Tensor | None:
    """Which set of the split each node was in; None where these are not the nodes of the training."""
    places = trained.places(data)
    if places is None and data.get("fingerprint") is None and not trained.nodes:
        places = torch.arange(int(data.num_nodes or 0))
    if trained.sets is None or places is None or len(places) != trained.num_nodes or bool((places < 0).any()):
        return None
    return trained.sets[places]


def _channel(trained: Trained, network: nn.Module, data: Data) -> Tensor | None:
    layers = [part for part in network.modules() if isinstance(part, ACMAdjacencyConv)]
    if not layers:
        return None
    trained.outputs(data)
    place = ACMAdjacencyConv.channels.index("learned")
    found = [layer.mixing_weights[:, place] for layer in layers if layer.mixing_weights is not None]
    return torch.stack(found).mean(0).detach() if found else None
