r"""The matrices of a graph by name: adjacencies, their normalisations, and the Laplacians beside them.

With A the adjacency matrix, :math:`D_{ii} = \sum_j A_{ij}`, :math:`\tilde A = A + I` and
:math:`\tilde D = D + I`:

=============  =====================================  ==================================
name           matrix                                 spectrum (undirected graph)
=============  =====================================  ==================================
``A``          A                                      real
``A_rw``       :math:`D^{-1} A`                       [-1, 1]
``A_sym``      :math:`D^{-1/2} A D^{-1/2}`            that of ``A_rw``
``A_hat_rw``   :math:`\tilde D^{-1} \tilde A`         (-1, 1]
``A_hat_sym``  :math:`\tilde D^{-1/2} \tilde A \tilde D^{-1/2}`   that of ``A_hat_rw``
``L``          D - A                                  [0, 2 max degree]
``L_rw``       I - ``A_rw``                           [0, 2], 2 reached by bipartite components
``L_sym``      I - ``A_sym``                          that of ``L_rw``
``L_hat_rw``   I - ``A_hat_rw``                       [0, 2)
``L_hat_sym``  I - ``A_hat_sym``                      that of ``L_hat_rw``
=============  =====================================  ==================================

The report writes [0, 2) for ``L_rw`` and ``L_sym`` too; a bipartite component closes the interval at 2.

Every affinity is :math:`D_l (A + s I) D_r` with diagonal :math:`D_l, D_r` and s = 0 or 1, so one table row says all.

The rules for unusual graphs: degrees are row sums, also of a directed graph (then the symmetric forms divide by row
degrees on both sides, as PyG does); a node without neighbours has a zero row in ``A_rw`` and ``A_sym``, hence 1 on the
diagonal of ``L_rw`` and ``L_sym``, so that A + L = I always holds; a self-loop that the graph already has counts as
weight 2 in :math:`\tilde A` (``self_loops="add"``, as the definition says and the authors' code does) or stays as
it is (``self_loops="remaining"``, as PyG does). Negative weights have no normalisation and are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.functions import is_plain
from allpass.graph.linear import LinearMap, identity_like
from allpass.graph.operator import Operator
from allpass.registry import Registry

SelfLoops = Literal["add", "remaining"]
Build = Callable[[Operator, Tensor | None, Tensor, Tensor], LinearMap]


@dataclass(frozen=True)
class Matrix:
    """A matrix by name: degrees to the powers ``left`` and ``right`` around A (+ I), or the Laplacian beside it."""

    name: str
    formula: str
    renormalized: bool = False
    left: float = 0.0
    right: float = 0.0
    laplacian: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def citation(self) -> str:
        """Where it was introduced."""
        if self.renormalized:
            return "Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017"
        return "Chung, Spectral Graph Theory, 1997"


MATRICES: Registry[Matrix] = Registry("matrix")
for _entry in (
    Matrix("A", "A", aliases=("adjacency",)),
    Matrix("A_rw", "D^-1 A", left=-1.0, aliases=("random-walk", "rw")),
    Matrix("A_sym", "D^-1/2 A D^-1/2", left=-0.5, right=-0.5, aliases=("symmetric", "sym")),
    Matrix("A_hat_rw", "(D+I)^-1 (A+I)", True, left=-1.0, aliases=("Â_rw", "mean")),
    Matrix("A_hat_sym", "(D+I)^-1/2 (A+I) (D+I)^-1/2", True, left=-0.5, right=-0.5, aliases=("Â_sym", "gcn")),
    Matrix("L", "D - A", laplacian=True, aliases=("laplacian",)),
    Matrix("L_rw", "I - D^-1 A", left=-1.0, laplacian=True),
    Matrix("L_sym", "I - D^-1/2 A D^-1/2", left=-0.5, right=-0.5, laplacian=True),
    Matrix("L_hat_rw", "I - (D+I)^-1 (A+I)", True, left=-1.0, laplacian=True, aliases=("L̂_rw",)),
    Matrix(
        "L_hat_sym", "I - (D+I)^-1/2 (A+I) (D+I)^-1/2", True, -0.5, -0.5, laplacian=True, aliases=("L̂_sym",)
    ),
):
    MATRICES.add(_entry)


def matrix(A: Operator, name: str, *, self_loops: SelfLoops = "add", stored: bool = True) -> LinearMap:
    """The matrix ``name`` of the graph with adjacency A.

    Args:
        A: Adjacency.
        name: One of the names above.
        self_loops: What becomes of loops the graph already has when I is added.
        stored: Merge scaling and loops into one sparse matrix, which A keeps for whoever asks next (fast to apply
            often), or apply them around A (nothing to build: right for a single product with a large graph).

    Example:
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]))
        >>> matrix(A, "A_hat_rw").to_dense()
        tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]])
    """
    kind = MATRICES[name]
    if kind.name == "A":
        return A
    if stored:
        return A.derived(f"{kind.name}, loops {self_loops}", lambda: _built(A, kind, self_loops, _stored))
    return _built(A, kind, self_loops, _around)


def _built(A: Operator, kind: Matrix, self_loops: SelfLoops, build: Build) -> LinearMap:
    loops = _missing_loops(A, self_loops) if kind.renormalized else None
    degrees = _degrees(A) if loops is None else _degrees(A) + loops
    if kind.name == "L":
        return Operator.diagonal_of(degrees) - A
    affinity = build(A, loops, degree_power(degrees, kind.left), degree_power(degrees, kind.right))
    return affinity.complement() if kind.laplacian else affinity


def add_self_loops(A: Operator, self_loops: SelfLoops = "add") -> Operator:
    """A + I, or A with weight-1 loops only where there are none (``"remaining"``)."""
    return A.plus_diagonal(_missing_loops(A, self_loops))


def degree_power(degrees: Tensor, exponent: float) -> Tensor:
    """degrees ** exponent, with 0 where the degree is 0 (1 for the exponent 0)."""
    if exponent == 0:
        return torch.ones_like(degrees)
    return torch.where(degrees > 0, degrees, torch.ones_like(degrees)).pow(exponent) * (degrees > 0)


def _missing_loops(A: Operator, self_loops: SelfLoops) -> Tensor:
    if self_loops not in ("add", "remaining"):
        raise InputError(f"Got self_loops={self_loops!r}.", "Expected 'add' or 'remaining'.")
    ones = torch.ones(A.shape[0], dtype=A.dtype, device=A.device)
    return ones if self_loops == "add" else ones * (A.diagonal == 0)


def _degrees(A: Operator) -> Tensor:
    if A.nnz and is_plain(A.values.detach()) and A.has_negative:
        raise InputError(
            f"Got {int((A.values < 0).sum())} negative edge weights where degrees are divided by.",
            "Expected weights of 0 or more; use the plain adjacency, or shift the weights.",
        )
    return A.row_sums


def _stored(A: Operator, loops: Tensor | None, left: Tensor, right: Tensor) -> LinearMap:
    with_loops = A if loops is None else A.plus_diagonal(loops)
    return with_loops.scale(left, right)


def _around(A: Operator, loops: Tensor | None, left: Tensor, right: Tensor) -> LinearMap:
    if loops is None:
        inner: LinearMap = A
    elif bool((loops == 1).all()):
        inner = A + identity_like(A)
    else:
        inner = A + Operator.diagonal_of(loops)
    scaled = Operator.diagonal_of(left).compose(inner)
    return scaled if bool((right == 1).all()) else scaled.compose(Operator.diagonal_of(right))
