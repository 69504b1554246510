"""How many operations the runs of a cell of few labels take at most, and from where on a cell gets fewer runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch

from allpass.errors import InputError
from allpass.papers.at_hand import graph_of
from allpass.papers.costs import Size, convolution_as_printed, krylov, linear
from allpass.papers.tables.spec import Cell
from allpass.train.adjacency import adjacency

LIMIT = 20 * 10**15
"""Operations of all runs of a cell above which there are ``FEWER`` runs of it."""

FEWER = 3
"""Runs of a cell above the limit."""

PASSES = 4
"""What an epoch costs, in passes forward: a step is three of them, an evaluation one."""


@dataclass(frozen=True)
class Extent:
    """What of a dataset costs.

    Args:
        graph: The size of its graph.
        stored: Features that are not 0: they are multiplied as a sparse matrix.
        classes: Number of classes.
    """

    graph: Size
    stored: int
    classes: int

    def features(self, columns: int) -> int:
        """The operations of X W, for a W of so many columns."""
        return 2 * self.stored * columns


def operations(cell: Cell) -> int:
    """The most floating-point operations that the runs of a cell take, were it run as often as its column.

    How many epochs a run takes is known only afterwards. So every run counts with the most that its protocol allows.

    Args:
        cell: A cell with published settings, of a model of ``FORWARD``.
    """
    if cell.model not in FORWARD or cell.settings is None:
        raise InputError(
            f"The operations of {cell.row!r} on {cell.column.name!r} are not known.",
            f"They are counted for cells with published settings of the models {', '.join(FORWARD)}.",
        )
    forward = FORWARD[cell.model](
        extent(cell.column.dataset, cell.protocols["same"].unlabelled), cell.settings
    )
    runs, epochs = (
        cell.column.protocol.splits["count"],
        cell.protocols["same"].training("cpu").stop.max_epochs,
    )
    return int(runs) * epochs * PASSES * forward


@lru_cache
def extent(dataset: str, unlabelled: str) -> Extent:
    """The extent of a named dataset.

    Args:
        dataset: A name of ``allpass.data.DATASETS``.
        unlabelled: What becomes of nodes without a label, as :func:`allpass.load` has it.
    """
    data = graph_of(dataset, unlabelled)
    size = Size.of(adjacency(data, torch.float32))
    return Extent(size, int(data.x.to_dense().count_nonzero()), int(data.y.max()) + 1)


def snowball(data: Extent, settings: Mapping[str, Any]) -> int:
    """The operations of one pass forward of a snowball: each layer reads the features and all layers before it.

    Args:
        data: Where.
        settings: Its ``hidden_channels`` and ``num_layers``, the output layer counted.
    """
    hidden, layers = settings["hidden_channels"], settings["num_layers"]
    widths = [*[hidden] * (layers - 1), data.classes]
    return sum(
        data.features(width) + convolution_as_printed(data.graph, place * hidden, width).flops
        for place, width in enumerate(widths)
    )


def truncated_krylov(data: Extent, settings: Mapping[str, Any]) -> int:
    """The operations of one pass forward of a truncated Krylov network with one hidden layer, weights first.

    Args:
        data: Where.
        settings: Its ``hidden_channels`` and ``blocks``.
    """
    hidden, blocks = settings["hidden_channels"], settings["blocks"]
    filters = krylov(data.graph, 0, hidden, blocks)  # the products with features are not dense
    return data.features(blocks * hidden) + filters.flops + linear(data.graph, hidden, data.classes).flops


FORWARD: Mapping[str, Callable[[Extent, Mapping[str, Any]], int]] = {
    "linear-snowball": snowball,
    "snowball": snowball,
    "krylov": truncated_krylov,
}
"""The operations of one pass forward, by model."""
