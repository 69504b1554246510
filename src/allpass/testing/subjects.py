"""What the contracts are held against: a layer or model on small graphs made for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.graph.operator import Operator
from allpass.models.catalog import create
from allpass.models.entry import Model
from allpass.nn.catalog import Layer
from allpass.nn.inputs import Features, Graph
from allpass.nn.traits import TRAITS, Trait

NODES, FEATURES, CLASSES = 13, 5, 3
"""All different, so that a weight for each node is known by its shape."""

Reference = Callable[[nn.Module, Tensor, Tensor], Tensor]
"""``reference(module, X, A)``: the formula on dense matrices, with A[v, u] the weight of the edge u -> v."""


@dataclass(frozen=True)
class Subject:
    """A layer or model under test.

    Args:
        name: What failures are reported for.
        build: A new module from 5 features to 3 classes for graphs of 13 nodes, as torch's seed decides.
        traits: What it is unlike the others in.
        reference: Its formula, written independently.
    """

    name: str
    build: Callable[[], nn.Module]
    traits: frozenset[Trait] = frozenset()
    reference: Reference | None = None

    def __post_init__(self) -> None:
        if isinstance(self.build, nn.Module) or not callable(self.build):
            raise InputError(
                f"Got a {type(self.build).__name__} to build {self.name!r} with.",
                "Expected a function that makes a new module each time: lambda: Mine(FEATURES, CLASSES).",
            )
        for trait in self.traits:
            if trait not in TRAITS:
                raise UnknownNameError(f"There is no trait {trait!r}.", did_you_mean(str(trait), TRAITS))
        object.__setattr__(self, "traits", frozenset(self.traits))

    def __str__(self) -> str:
        return self.name

    def module(self, seed: int = 0, *, training: bool = False) -> nn.Module:
        """A module in float64 with the weights of this seed."""
        torch.manual_seed(seed)
        return self.build().double().train(training)

    def __call__(
        self, module: nn.Module, example: Example, x: Features | None = None, edge_index: Graph | None = None
    ) -> Tensor:
        """``module`` on an example, or on other forms of its features and graph."""
        x = example.x if x is None else x
        edge_index = example.operator if edge_index is None else edge_index
        if "uses-labels" in self.traits:
            return module(x, edge_index, labels=example.y, mask=example.mask)
        return module(x, edge_index)


@dataclass(frozen=True)
class Example:
    """A graph of 13 nodes with features, labels and training nodes.

    Args:
        name: What is special about it.
        edge_index: ``[2, E]``.
        x: Features ``[13, 5]``, some of them zero.
        y: Labels ``[13]``.
        mask: Training nodes ``[13]``.
        edge_weight: ``[E]``, or nothing.
    """

    name: str
    edge_index: Tensor
    x: Tensor
    y: Tensor
    mask: Tensor
    edge_weight: Tensor | None = None
    operator: Operator = field(init=False)

    def __post_init__(self) -> None:
        op = Operator.from_edge_index(self.edge_index, self.edge_weight, NODES, dtype=torch.float64)
        object.__setattr__(self, "operator", op)

    def __str__(self) -> str:
        return self.name

    @property
    def dense(self) -> Tensor:
        """A, entry by entry: an edge u -> v of weight w adds w at row v, column u."""
        A = torch.zeros(NODES, NODES, dtype=torch.float64)
        weights = torch.ones(self.edge_index.shape[1]) if self.edge_weight is None else self.edge_weight
        for (u, v), w in zip(self.edge_index.T.tolist(), weights.tolist(), strict=True):
            A[v, u] += w
        return A


def layer_subject(entry: Layer, reference: Reference | None = None) -> Subject:
    """A layer of the catalogue as a subject."""
    more = {"num_nodes": NODES} if "fixed-nodes" in entry.traits else {}
    return Subject(
        entry.name, lambda: entry.build(FEATURES, CLASSES, **more), entry.traits, reference=reference
    )


def model_subject(entry: Model, reference: Reference | None = None) -> Subject:
    """A model of the catalogue as a subject, narrow so that the contracts are quick."""
    narrow: dict[str, object] = {"hidden_channels": 8, "embedding_channels": 6, "k1": 4, "k2": 2}
    small = {key: value for key, value in narrow.items() if key in entry.settings}
    return Subject(
        entry.name,
        lambda: create(entry.name, in_channels=FEATURES, out_channels=CLASSES, num_nodes=NODES, **small),
        entry.traits,
        reference=reference,
    )


def examples(seed: int = 0) -> tuple[Example, ...]:
    """An undirected graph with an isolated node, a directed one with weights, and one with a self-loop."""
    return (
        _example("undirected", seed, directed=False),
        _example("directed and weighted", seed + 1, directed=True, weighted=True),
        _example("with self-loops", seed + 2, directed=False, loops=True),
    )


def _example(name: str, seed: int, *, directed: bool, weighted: bool = False, loops: bool = False) -> Example:
    generator = torch.Generator().manual_seed(seed)
    A = torch.rand(NODES, NODES, generator=generator).tril(-1) > 0.7
    A[-1] = False  # the last node stays alone
    if directed:
        A = A | (torch.rand(NODES, NODES, generator=generator).triu(1) > 0.8)
        A[:, -1] = False
    else:
        A = A | A.T
    if loops:
        A[0, 0] = A[3, 3] = True
    edge_index = A.nonzero().T.contiguous()
    weight = torch.rand(edge_index.shape[1], generator=generator, dtype=torch.float64) + 0.5
    x = torch.randn(NODES, FEATURES, generator=generator, dtype=torch.float64)
    x = x * (torch.rand(NODES, FEATURES, generator=generator) > 0.4)
    y = torch.arange(NODES) % CLASSES
    mask = torch.arange(NODES) < 8
    return Example(name, edge_index, x, y, mask, weight if weighted else None)
