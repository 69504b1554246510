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

The rules for unusual graphs: degrees are row sums, also of a directed graph (then the symmetric forms divide by row
degrees on both sides, as PyG does); a node without neighbours has a zero row in ``A_rw`` and ``A_sym``, hence 1 on the
diagonal of ``L_rw`` and ``L_sym``, so that A + L = I always holds; a self-loop that the graph already has counts as
weight 2 in :math:`\tilde A` (``self_loops="add"``, as the definition says and the authors' code does) or stays 1
(``self_loops="remaining"``, as PyG does). Negative weights have no normalisation and are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.linear import LinearMap
from allpass.graph.operator import Operator
from allpass.registry import Registry

SelfLoops = Literal["add", "remaining"]


def add_self_loops(A: Operator, self_loops: SelfLoops = "add") -> Operator:
    """A + I, or A with weight-1 loops only where there are none (``"remaining"``)."""
    ones = A.values.new_ones(A.shape[0])
    return A.plus_diagonal(ones if self_loops == "add" else ones * (A.diagonal == 0))


def random_walk(A: Operator) -> Operator:
    """D^-1 A: every row averages its neighbours."""
    return A.scale_rows(_power(_degrees(A), -1.0))


def symmetric(A: Operator) -> Operator:
    """D^-1/2 A D^-1/2."""
    root = _power(_degrees(A), -0.5)
    return A.scale_rows(root).scale_columns(root)


def laplacian(A: Operator) -> LinearMap:
    """D - A."""
    return Operator.diagonal_of(_degrees(A)) - A


def _degrees(A: Operator) -> Tensor:
    if A.nnz and bool((A.values < 0).any()):
        raise InputError(
            f"Got {int((A.values < 0).sum())} negative edge weights where degrees are divided by.",
            "Expected weights of 0 or more; use the plain adjacency, or shift the weights.",
        )
    return A.row_sums


def _power(degrees: Tensor, exponent: float) -> Tensor:
    """degrees ** exponent, with 0 where the degree is 0."""
    return torch.where(degrees > 0, degrees, torch.ones_like(degrees)).pow(exponent) * (degrees > 0)


@dataclass(frozen=True)
class Matrix:
    """A matrix by name: how it is built from the adjacency operator."""

    name: str
    build: Callable[[Operator, SelfLoops], LinearMap]
    formula: str
    aliases: tuple[str, ...] = ()
    citation: str = "Chung, Spectral Graph Theory, 1997"


_KIPF = "Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017"

MATRICES: Registry[Matrix] = Registry("matrix")
for _entry in (
    Matrix("A", lambda A, _: A, "A", ("adjacency",)),
    Matrix("A_rw", lambda A, _: random_walk(A), "D^-1 A", ("random-walk", "rw")),
    Matrix("A_sym", lambda A, _: symmetric(A), "D^-1/2 A D^-1/2", ("symmetric", "sym")),
    Matrix("A_hat_rw", lambda A, s: random_walk(add_self_loops(A, s)), "(D+I)^-1 (A+I)", ("Â_rw",), _KIPF),
    Matrix(
        "A_hat_sym",
        lambda A, s: symmetric(add_self_loops(A, s)),
        "(D+I)^-1/2 (A+I) (D+I)^-1/2",
        ("Â_sym", "gcn"),
        _KIPF,
    ),
    Matrix("L", lambda A, _: laplacian(A), "D - A", ("laplacian",)),
    Matrix("L_rw", lambda A, _: random_walk(A).complement(), "I - D^-1 A"),
    Matrix("L_sym", lambda A, _: symmetric(A).complement(), "I - D^-1/2 A D^-1/2"),
    Matrix(
        "L_hat_rw",
        lambda A, s: random_walk(add_self_loops(A, s)).complement(),
        "I - (D+I)^-1 (A+I)",
        ("L̂_rw",),
        _KIPF,
    ),
    Matrix(
        "L_hat_sym",
        lambda A, s: symmetric(add_self_loops(A, s)).complement(),
        "I - (D+I)^-1/2 (A+I) (D+I)^-1/2",
        ("L̂_sym",),
        _KIPF,
    ),
):
    MATRICES.add(_entry)


def matrix(A: Operator, name: str, *, self_loops: SelfLoops = "add") -> LinearMap:
    """The matrix ``name`` of the graph with adjacency A.

    Example:
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]))
        >>> matrix(A, "A_hat_rw").to_dense()
        tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]])
    """
    return MATRICES[name].build(A, self_loops)
