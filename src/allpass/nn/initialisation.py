r"""Initialisations by name: the rules for multilayer perceptrons, and rules that use the degrees of the graph.

For a layer :math:`H_{l+1} = \hat A_{rw} Y_l W_l` with :math:`W_l \in \mathbb{R}^{F_l \times F_{l+1}}` of independent
entries, averaging over :math:`d_i + 1` nodes divides the variance by that number (report 2.2 and its appendix), so a
variance that is right for a perceptron is too small here. Each scheme below is a variance :math:`\mathrm{Var}(W_l)`:

=====================  =====================================================================  ====================
name                   variance                                                               keeps constant
=====================  =====================================================================  ====================
``glorot``             :math:`2 / (F_l + F_{l+1})`                                            perceptron, both ways
``he``                 :math:`2 / F_l`                                                        perceptron with ReLU
``fan-in-uniform``     :math:`1 / (3 F_l)`                                                    (torch's Linear)
``fan-out-uniform``    :math:`1 / (3 F_{l+1})`                                                (the authors' code)
``forward``            :math:`(1 + \bar d) / F_l`                                             forward variance
``degree-weighted``    :math:`\sum_i (d_i + 1)^2 / (F_l \sum_i (d_i + 1))`                     the same, at hubs
``backward``           :math:`(1 + \bar d) / F_{l+1}`                                         gradient variance
``combined``           :math:`2 (1 + \bar d) / (F_l + F_{l+1})`                               a compromise of both
``forward-relu``       :math:`2 (1 + \bar d) / F_l`                                           forward, with ReLU
``effective-degree``   :math:`2 \, \mathrm{mean}_i ((d_i + 1)/(\alpha d_i + 1)) / F_l`        ReLU, correlated nodes
``energy``             orthogonal, :math:`a = N / \|\hat A\|_F^2`                              energy if it widens
``energy-relu``        the same with 2 a                                                      the same, with ReLU
``energy-exact``       orthogonal, a times :math:`\max(1, F_l / F_{l+1})`                      energy
``energy-exact-relu``  the same with 2 a                                                      energy, with ReLU
=====================  =====================================================================  ====================

Orthogonal means :math:`W W^\top = a I` for :math:`F_l \le F_{l+1}` and :math:`W^\top W = a I` for
:math:`F_l \ge F_{l+1}`; both hold for a square W alone. The energy is :math:`\|H\|_F^2`. The report's a keeps it for
:math:`F_l \le F_{l+1}`; a layer that narrows its input projects it, and keeps the share :math:`F_{l+1} / F_l` of it on
average. The ``exact`` schemes make up for that.

The report equates :math:`\|\hat A\|_F^2` with :math:`\sum_i \lambda_i^2` and with :math:`\sum_i 1/(d_i + 1)`. The first
holds for :math:`\hat A_{sym}`, the second for :math:`\hat A_{rw}`, and they differ: 619 and 746 on Cora. The energy
schemes take the one of the filter they are given, :math:`\hat A_{rw}` by default.

The derivations take the entries of Y_l for independent, which is exact at the first layer for random features and
fails deeper down: averaged neighbours are alike, so degree-aware variances grow by up to :math:`1 + \bar d` a layer.
``effective-degree`` interpolates: :math:`\alpha = 0` is ``forward-relu`` and :math:`\alpha = 1` is ``he``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, TypeAlias

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.matrices import MATRICES
from allpass.graph.operator import Operator
from allpass.nn.inputs import Filter
from allpass.registry import Registry

GLOROT = "Glorot and Bengio: Understanding the difficulty of training deep feedforward networks, AISTATS 2010"
KIPF = "Kipf and Welling: Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017"
HE = "He et al.: Delving Deep into Rectifiers, ICCV 2015"
TRAINING = "Luan et al.: Training Matters, 2020"
DEGREES = "Luan: On Addressing the Limitations of Graph Neural Networks, section 2.2 and appendix"


@dataclass(frozen=True)
class Degrees:
    """What the schemes need to know of a graph.

    Args:
        values: The number of neighbours d_i of every node, ``[N]`` (the sum of the weights of its edges), self-loops
            not counted.
        squares: The sum of squares of every row of the averaging matrix, ``[N]``: 1 / (d_i + 1) in a graph without
            weights and self-loops.
        symmetric: The same of the symmetric matrix Â_sym, ``[N]``: their sum is that of the squares of its
            eigenvalues. Nothing where only degrees are known.
    """

    values: Tensor
    squares: Tensor
    symmetric: Tensor | None = None

    @classmethod
    def of(cls, graph: Known) -> Degrees:
        """From a graph in any form of :data:`Known`.

        Example:
            >>> Degrees.of(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])).values
            tensor([1., 2., 1.], dtype=torch.float64)
        """
        if isinstance(graph, Degrees):
            return graph
        if isinstance(graph, Tensor) and graph.layout == torch.strided and graph.dim() == 1:
            degrees = _checked_degrees(graph)
            return cls(degrees, 1 / (degrees + 1))
        A = _adjacency(graph).detached().to(torch.float64)
        loops, sums = A.diagonal, A.row_sums + 1  # I is added to the loops the graph has
        row, col = A.pattern.row, A.pattern.col
        own = (loops + 1) ** 2 - loops**2
        squares = (A.values.new_zeros(A.shape[0]).index_add(0, row, A.values**2) + own) / sums**2
        scaled = A.values**2 / (sums[row] * sums[col])
        symmetric = A.values.new_zeros(A.shape[0]).index_add(0, row, scaled) + own / sums**2
        return cls(A.row_sums - loops, squares, symmetric)

    @property
    def mean(self) -> float:
        """The mean degree."""
        return float(self.values.mean())

    @property
    def weighted(self) -> float:
        """The mean of d + 1 in which every node counts d + 1 times."""
        d = self.values + 1
        return float((d * d).sum() / d.sum())

    @property
    def inverse(self) -> float:
        """The mean of 1 / (d + 1), or with weights what it stands for: the averaging matrix's ||Â||_F^2 / N."""
        return float(self.squares.mean())

    @property
    def spectral(self) -> float:
        """||Â_sym||_F^2 / N, the mean square of the eigenvalues of Â_sym and of Â_rw."""
        if self.symmetric is None:
            raise InputError(
                "Got the degrees alone for an energy initialisation with A_hat_sym.",
                "Pass the graph itself: which nodes are joined decides the eigenvalues of A_hat_sym.",
            )
        return float(self.symmetric.mean())

    def effective(self, alpha: float) -> float:
        """The mean of (d + 1) / (alpha d + 1)."""
        return float(((self.values + 1) / (alpha * self.values + 1)).mean())


class HasEdges(Protocol):
    """A graph as PyG holds it: ``torch_geometric.data.Data``."""

    @property
    def edge_index(self) -> Tensor | None: ...

    @property
    def num_nodes(self) -> int | None: ...


Known: TypeAlias = Operator | Tensor | HasEdges | Degrees
"""A graph: an Operator, ``edge_index`` ``[2, E]``, a sparse ``[N, N]``, PyG's Data, or its degrees ``[N]``."""


def _checked_degrees(degrees: Tensor) -> Tensor:
    if degrees.numel() == 0 or bool((degrees < 0).any()):
        raise InputError(
            f"Got degrees of shape {list(degrees.shape)} for an initialisation.",
            "Expected [N], each 0 or more.",
        )
    return degrees.to(torch.float64)


def _adjacency(graph: Operator | Tensor | HasEdges) -> Operator:
    if isinstance(graph, Operator):
        return graph
    what, edge_index = f"type {type(graph).__name__}", getattr(graph, "edge_index", None)
    if isinstance(graph, Tensor):
        if graph.layout != torch.strided:
            return Operator.from_sparse(graph)
        what = f"shape {list(graph.shape)} and {graph.dtype}"
        if graph.dim() == 2 and not graph.is_floating_point():
            return Operator.from_edge_index(graph)
    elif edge_index is not None:
        return Operator.from_edge_index(edge_index, getattr(graph, "edge_weight", None), graph.num_nodes)
    raise InputError(
        f"Got a graph of {what} for an initialisation.",
        "Expected an Operator, edge_index [2, E], PyG's Data, or the degrees [N].",
    )


@dataclass(frozen=True)
class Situation:
    """What a variance may depend on: the widths F_l and F_(l+1), the graph, the assumed correlation, the filter."""

    fan_in: int
    fan_out: int
    degrees: Degrees
    alpha: float
    filter: str = "A_hat_rw"

    @property
    def kept(self) -> float:
        """||Â||_F^2 / N of the filter."""
        return self.degrees.spectral if self.filter == "A_hat_sym" else self.degrees.inverse

    @property
    def narrowing(self) -> float:
        """F_l / F_(l+1), or 1 for a layer that does not narrow its input."""
        return max(1.0, self.fan_in / self.fan_out)


Shape: TypeAlias = Literal["normal", "uniform", "orthogonal"]


@dataclass(frozen=True)
class Scheme:
    """An initialisation by name.

    Args:
        name: Its name.
        variance: Var(W) in a situation (for ``orthogonal`` the a of W W^T or W^T W = a I).
        shape: The distribution that has this variance.
        needs_graph: Whether the degrees are used.
        summary: What it keeps constant.
        citation: Where it comes from.
        aliases: Other names.
    """

    name: str
    variance: Callable[[Situation], float]
    shape: Shape
    summary: str
    needs_graph: bool = False
    citation: str = DEGREES
    aliases: tuple[str, ...] = ()


Init: TypeAlias = str | Callable[[Tensor], object]
"""The name of a scheme, or a function that fills a tensor in place (``torch.nn.init.kaiming_normal_``)."""

SCHEMES: Registry[Scheme] = Registry("initialisation")
for _scheme in (
    Scheme(
        "glorot",
        lambda s: 2 / (s.fan_in + s.fan_out),
        "uniform",
        "variance of a perceptron, both ways",
        citation=GLOROT,
        aliases=("xavier",),
    ),
    Scheme(
        "he",
        lambda s: 2 / s.fan_in,
        "normal",
        "variance of a perceptron with ReLU",
        citation=HE,
        aliases=("kaiming",),
    ),
    Scheme("fan-in-uniform", lambda s: 1 / (3 * s.fan_in), "uniform", "torch's Linear", citation="PyTorch"),
    Scheme(
        "fan-out-uniform",
        lambda s: 1 / (3 * s.fan_out),
        "uniform",
        "uniform in ±1/sqrt(F_out), as the code of GCN and ACM",
        citation=KIPF,
    ),
    Scheme("forward", lambda s: (1 + s.degrees.mean) / s.fan_in, "normal", "forward variance", True),
    Scheme(
        "degree-weighted",
        lambda s: s.degrees.weighted / s.fan_in,
        "normal",
        "forward variance, nodes weighted by degree",
        True,
    ),
    Scheme(
        "backward", lambda s: (1 + s.degrees.mean) / s.fan_out, "normal", "variance of the gradient", True
    ),
    Scheme(
        "combined",
        lambda s: 2 * (1 + s.degrees.mean) / (s.fan_in + s.fan_out),
        "normal",
        "a compromise of both ways",
        True,
    ),
    Scheme(
        "forward-relu",
        lambda s: 2 * (1 + s.degrees.mean) / s.fan_in,
        "normal",
        "forward variance with ReLU",
        True,
    ),
    Scheme(
        "effective-degree",
        lambda s: 2 * s.degrees.effective(s.alpha) / s.fan_in,
        "normal",
        "forward variance with ReLU and nodes correlated by alpha",
        True,
    ),
    Scheme(
        "energy",
        lambda s: 1 / s.kept,
        "orthogonal",
        "energy of layers that do not narrow their input, orthogonal weights",
        True,
        TRAINING,
    ),
    Scheme(
        "energy-relu",
        lambda s: 2 / s.kept,
        "orthogonal",
        "the same with ReLU",
        True,
        TRAINING,
    ),
    Scheme(
        "energy-exact",
        lambda s: s.narrowing / s.kept,
        "orthogonal",
        "energy for any widths, orthogonal weights",
        True,
        TRAINING,
    ),
    Scheme(
        "energy-exact-relu",
        lambda s: 2 * s.narrowing / s.kept,
        "orthogonal",
        "energy for any widths with ReLU, orthogonal weights",
        True,
        TRAINING,
    ),
):
    SCHEMES.add(_scheme)


def weight_variance(
    name: str,
    in_channels: int,
    out_channels: int,
    graph: Known | None = None,
    *,
    alpha: float = 0.5,
    filter: Filter = "A_hat_rw",  # noqa: A002 - the word of the formula
) -> float:
    """The variance that a scheme gives a weight ``[in, out]``; for the energy schemes the a of W W^T or W^T W = a I.

    Args:
        name: A scheme.
        in_channels: F_l.
        out_channels: F_(l+1).
        graph: The graph, in a form of :data:`Known`, for the schemes that need it.
        alpha: Assumed correlation of neighbours, from 0 to 1, for ``effective-degree``.
        filter: The matrix Â whose norm the energy schemes use: ``"A_hat_sym"``, or else ``"A_hat_rw"``.

    Example:
        >>> weight_variance("combined", 10, 30, torch.tensor([1.0, 2.0, 3.0]))
        0.15
    """
    scheme = SCHEMES[name]
    if not 0 <= alpha <= 1:
        raise InputError(f"Got alpha = {alpha}.", "Expected a correlation from 0 to 1.")
    if scheme.needs_graph and graph is None:
        raise InputError(
            f"Got no graph for the initialisation {scheme.name!r}, which uses its degrees.",
            "Pass graph=: an Operator, edge_index, PyG's Data, or the degrees [N].",
        )
    degrees = Degrees.of(torch.zeros(1) if graph is None else graph)
    name = MATRICES[filter].name if isinstance(filter, str) else "A_hat_rw"
    return scheme.variance(Situation(max(in_channels, 1), max(out_channels, 1), degrees, alpha, name))


def initialise_(
    weight: Tensor,
    init: Init,
    graph: Known | None = None,
    *,
    alpha: float = 0.5,
    blocks: int = 1,
    filter: Filter = "A_hat_rw",  # noqa: A002 - the word of the formula
) -> Tensor:
    """Fill ``weight`` ``[in, out]`` in place and return it.

    Args:
        weight: What to fill.
        init: A scheme by name, or a function that fills a tensor.
        graph: The graph, in a form of :data:`Known`, for the schemes that need it.
        alpha: Assumed correlation of neighbours, for ``effective-degree``.
        blocks: The weight is this many matrices side by side, each with its own fan out.
        filter: The matrix Â of the layer, for the energy schemes.

    Example:
        >>> _ = torch.manual_seed(0)
        >>> W = initialise_(torch.empty(400, 400), "forward", torch.full((50,), 3.0))
        >>> round(float(W.var() * 400), 1)
        4.0
    """
    if not isinstance(init, str):
        if not callable(init):
            raise InputError(
                f"Got init = {init!r}.",
                f"Expected one of {', '.join(SCHEMES.names)}, or a function that fills a tensor.",
            )
        with torch.no_grad():
            for block in weight.chunk(blocks, dim=1):
                init(block)
        return weight
    scheme = SCHEMES[init]
    fan_in, fan_out = weight.shape[0], weight.shape[1] // blocks
    variance = weight_variance(init, fan_in, fan_out, graph, alpha=alpha, filter=filter)
    with torch.no_grad():
        for block in weight.chunk(blocks, dim=1):
            _fill(block, scheme.shape, variance)
    return weight


def knowing(init: Init, graph: Known | None, filter: Filter = "A_hat_rw") -> Init:  # noqa: A002
    """An initialisation that knows a graph, for the ``init=`` of layers.

    Args:
        init: A scheme by name, or a function, which is given back.
        graph: The graph, in a form of :data:`Known`, for the schemes that need it.
        filter: The matrix Â of the layers, for the energy schemes.

    Example:
        >>> fill = knowing("forward", torch.full((50,), 3.0))
        >>> fill(torch.empty(4, 2)).shape
        torch.Size([4, 2])
    """
    if not isinstance(init, str):
        return init
    degrees = None if graph is None else Degrees.of(graph)  # once for all layers
    return partial(initialise_, init=SCHEMES[init].name, graph=degrees, filter=filter)


def initialise_model_(model: nn.Module, init: str, graph: Known, *, alpha: float = 0.5) -> None:
    """Fill every matrix of a model (its parameters of two dimensions) by one scheme.

    Right for the networks the schemes are derived for, whose only matrices are the W_l of a GCN or a perceptron.
    """
    for parameter in model.parameters():
        if parameter.dim() == 2:
            initialise_(parameter, init, graph, alpha=alpha)


def _fill(block: Tensor, shape: Shape, variance: float) -> None:
    if shape == "normal":
        nn.init.normal_(block, std=math.sqrt(variance))
    elif shape == "uniform":
        bound = math.sqrt(3 * variance)
        nn.init.uniform_(block, -bound, bound)
    elif block.numel():
        block.copy_(nn.init.orthogonal_(torch.empty_like(block), gain=math.sqrt(variance)))
