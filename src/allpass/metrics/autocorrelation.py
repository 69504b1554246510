r"""Autocorrelation of numbers over edges: what homophily is for classes.

With :math:`z_v = x_v - \bar x` over the n nodes whose number is known, weights :math:`w_{vu}` between them and
:math:`S_0 = \sum_{vu} w_{vu}`:

.. math::
    I = \frac{n}{S_0} \frac{\sum_{vu} w_{vu} z_v z_u}{\sum_v z_v^2}, \qquad
    C = \frac{n - 1}{2 S_0} \frac{\sum_{vu} w_{vu} (x_v - x_u)^2}{\sum_v z_v^2}, \qquad
    r = \operatorname{corr}_v \Big( x_v, \frac{\sum_u w_{vu} x_u}{\sum_u w_{vu}} \Big).

If the numbers were dealt out to the nodes at random, I would be -1/(n - 1) and C would be 1 on average. Their
variances under all n! permutations are known in closed form (Cliff and Ord, Spatial Processes, 1981).

Self-loops, and edges to nodes whose number is unknown (NaN), are left out. A node without neighbours counts in n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Unpack

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from torch import Tensor

from allpass.errors import InputError
from allpass.metrics.base import Measurement
from allpass.metrics.labelled import Graph, GraphOptions, LabelledGraph, check_choice

Statistic = Literal["moran", "geary"]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Autocorrelation:
    """A statistic of autocorrelation, with what chance gives.

    Args:
        value: I or C.
        expected: Its mean when the numbers are permuted over the nodes.
        deviation: Its standard deviation when they are; NaN for fewer than four nodes.
        nodes: Nodes whose number is known.
    """

    value: float
    expected: float
    deviation: float
    nodes: int

    @property
    def z(self) -> float:
        """How many standard deviations the value is above what chance gives."""
        return (self.value - self.expected) / self.deviation if self.deviation > 0 else math.nan


def morans_i(
    edge_index: Graph,
    numbers: Tensor,
    num_nodes: int | None = None,
    *,
    row_normalize: bool = False,
    **options: Unpack[GraphOptions],
) -> float:
    """Moran's I: about 1 when neighbours have the same number, 0 by chance, negative when they differ.

    Args:
        edge_index: ``[2, E]``, or an Operator taken as the adjacency.
        numbers: A number for each node, ``[N]``; NaN where unknown.
        num_nodes: Number of nodes; by default the number of numbers.
        row_normalize: Divide the weights of each node's neighbours by their sum first, as is usual in geography; by
            default each edge counts the same.
        **options: How edges are read: :class:`~allpass.metrics.labelled.GraphOptions`.

    Example:
        >>> import torch
        >>> path = torch.tensor([[0, 1, 2], [1, 2, 3]])
        >>> round(morans_i(path, torch.tensor([1.0, 2.0, 3.0, 4.0])), 4)
        0.3333
    """
    return autocorrelation_test(
        edge_index, numbers, num_nodes=num_nodes, row_normalize=row_normalize, **options
    ).value


def gearys_c(
    edge_index: Graph,
    numbers: Tensor,
    num_nodes: int | None = None,
    *,
    row_normalize: bool = False,
    **options: Unpack[GraphOptions],
) -> float:
    """Geary's C: 0 when neighbours have the same number, 1 by chance, more when they differ.

    Arguments of :func:`morans_i`. It looks at differences between neighbours, I at products; C is the more sensitive
    to a few large differences.
    """
    return autocorrelation_test(
        edge_index, numbers, "geary", num_nodes=num_nodes, row_normalize=row_normalize, **options
    ).value


def neighbour_correlation(
    edge_index: Graph, numbers: Tensor, num_nodes: int | None = None, **options: Unpack[GraphOptions]
) -> float:
    """Correlation between a node's number and the mean of its neighbours' numbers, over nodes that have both.

    Its square is the share of the variance that a line through the neighbours' means explains. Arguments of
    :func:`morans_i`.
    """
    graph = LabelledGraph.build(edge_index, None, None, num_nodes, numbers=numbers, **options)
    return measure_neighbour_correlation(graph).value


def autocorrelation_test(
    edge_index: Graph,
    numbers: Tensor,
    statistic: Statistic = "moran",
    *,
    num_nodes: int | None = None,
    row_normalize: bool = False,
    **options: Unpack[GraphOptions],
) -> Autocorrelation:
    """Moran's I or Geary's C with its mean and standard deviation under permutation.

    Args:
        edge_index: ``[2, E]``, or an Operator taken as the adjacency.
        numbers: A number for each node, ``[N]``; NaN where unknown.
        statistic: ``"moran"`` or ``"geary"``.
        num_nodes: Number of nodes; by default the number of numbers.
        row_normalize: As in :func:`morans_i`.
        **options: How edges are read: :class:`~allpass.metrics.labelled.GraphOptions`.
    """
    graph = LabelledGraph.build(edge_index, None, None, num_nodes, numbers=numbers, **options)
    return run_autocorrelation(graph, statistic, row_normalize)


def run_autocorrelation(
    graph: LabelledGraph, statistic: Statistic = "moran", row_normalize: bool = False
) -> Autocorrelation:
    """The same for a prepared graph; all NaN where it is undefined."""
    check_choice("statistic", statistic, Statistic)
    links = _links(graph, row_normalize)
    expected = math.nan if links.n < 2 else -1 / (links.n - 1) if statistic == "moran" else 1.0
    if links.undefined:
        return Autocorrelation(math.nan, expected, math.nan, links.n)
    if statistic == "moran":
        return Autocorrelation(links.moran, expected, _root(links.moran_variance), links.n)
    return Autocorrelation(links.geary, expected, _root(links.geary_variance), links.n)


def neighbour_means(graph: LabelledGraph) -> tuple[Numbers, Numbers]:
    """The numbers of the nodes that have neighbours with a number, and the means of those neighbours."""
    links = _links(graph, row_normalize=False)
    degrees = links.W.sum(axis=1)
    joined = degrees > 0
    return links.x[joined], (links.W @ links.x)[joined] / degrees[joined]


def measure_moran(graph: LabelledGraph) -> Measurement:
    """I of a prepared graph."""
    links = _links(graph, row_normalize=False)
    return Measurement.undefined(links.undefined) if links.undefined else Measurement(links.moran)


def measure_geary(graph: LabelledGraph) -> Measurement:
    """C of a prepared graph."""
    links = _links(graph, row_normalize=False)
    return Measurement.undefined(links.undefined) if links.undefined else Measurement(links.geary)


def measure_neighbour_correlation(graph: LabelledGraph) -> Measurement:
    """r of a prepared graph."""
    links = _links(graph, row_normalize=False)
    if links.undefined:
        return Measurement.undefined(links.undefined)
    own, means = neighbour_means(graph)
    if _constant(own) or _constant(means):
        what = "numbers" if _constant(own) else "means of the neighbours"
        return Measurement.undefined(f"all {what} are the same")
    return Measurement(float(np.corrcoef(own, means)[0, 1].clip(-1, 1)))


@dataclass(frozen=True)
class _Links:
    """The weights W between nodes whose number x is known, and the sums that both statistics need."""

    W: Any
    x: Numbers

    @property
    def n(self) -> int:
        return len(self.x)

    @cached_property
    def z(self) -> Numbers:
        return self.x - self.x.mean()

    @property
    def undefined(self) -> str:
        """Why nothing can be measured, or nothing."""
        if self.n < 2:
            return "fewer than two nodes have a number"
        if _constant(self.x):
            return "all numbers are the same"
        return "" if self.W.sum() > 0 else "no edge joins two nodes that have a number"

    @property
    def moran(self) -> float:
        z = self.z
        return float(self.n / self.W.sum() * (z @ (self.W @ z)) / (z @ z))

    @property
    def geary(self) -> float:
        z = self.z
        squares = (self.W.sum(axis=1) + self.W.sum(axis=0)) @ z**2 - 2 * (z @ (self.W @ z))
        return float((self.n - 1) / (2 * self.W.sum()) * squares / (z @ z))

    @cached_property
    def _sums(self) -> tuple[float, float, float, float]:
        """S_0, S_1 and S_2 of Cliff and Ord, and the kurtosis of the numbers."""
        both, z = self.W + self.W.T, self.z
        ends = self.W.sum(axis=1) + self.W.sum(axis=0)
        kurtosis = self.n * (z**4).sum() / (z @ z) ** 2
        return float(self.W.sum()), float((both.data**2).sum() / 2), float(ends @ ends), float(kurtosis)

    @property
    def moran_variance(self) -> float:
        n = float(self.n)
        if n < 4:
            return math.nan
        S0, S1, S2, k = self._sums
        plain = n * ((n**2 - 3 * n + 3) * S1 - n * S2 + 3 * S0**2)
        tails = k * ((n**2 - n) * S1 - 2 * n * S2 + 6 * S0**2)
        return (plain - tails) / ((n - 1) * (n - 2) * (n - 3) * S0**2) - 1 / (n - 1) ** 2

    @property
    def geary_variance(self) -> float:
        n = float(self.n)
        if n < 4:
            return math.nan
        S0, S1, S2, k = self._sums
        first = (n - 1) * S1 * (n**2 - 3 * n + 3 - (n - 1) * k)
        second = (n - 1) * S2 * (n**2 + 3 * n - 6 - (n**2 - n + 2) * k) / 4
        third = S0**2 * (n**2 - 3 - (n - 1) ** 2 * k)
        return (first - second + third) / (n * (n - 2) * (n - 3) * S0**2)


def _links(graph: LabelledGraph, row_normalize: bool) -> _Links:
    return graph.once(("links of numbers", row_normalize), lambda: _joined(graph, row_normalize))


def _joined(graph: LabelledGraph, row_normalize: bool) -> _Links:
    if graph.numbers is None:
        raise InputError("Got a graph without numbers.", "This metric needs a number for each node.")
    x = graph.numbers.cpu().numpy()
    known = np.flatnonzero(~np.isnan(x))
    W = graph.adjacency.to_scipy()
    if len(known) < len(x):
        W = sp.csr_array(W[known][:, known])
    if (loops := W.diagonal()).any():
        W = sp.csr_array(W - sp.diags_array(loops))
        W.eliminate_zeros()
    if row_normalize:
        degrees = W.sum(axis=1)
        W = sp.csr_array(sp.diags_array(1 / np.where(degrees > 0, degrees, 1)) @ W)
    return _Links(W, x[known])


def _constant(x: Numbers) -> bool:
    """Whether all numbers are the same, rounding aside."""
    return len(x) == 0 or float(np.ptp(x)) <= 1e-12 * float(np.abs(x).max())


def _root(variance: float) -> float:
    return math.sqrt(max(variance, 0.0)) if variance == variance else variance
