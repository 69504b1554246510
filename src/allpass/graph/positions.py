r"""Where a node is in its graph: the leading eigenvectors of the adjacency, as coordinates.

.. math:: S = (D + \tau I)^{-1/2} A (D + \tau I)^{-1/2}, \qquad \tau = \text{mean degree}

The shift :math:`\tau` (Chaudhuri, Chung and Tsiatas, COLT 2012; Qin and Rohe, NeurIPS 2013) keeps the leading
eigenvectors from settling on a few nodes that hang on by a single edge, and on small components. Eigenvalues count by
magnitude: large positive ones belong to communities, large negative ones to groups that avoid themselves.
"""

from __future__ import annotations

import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.operator import Operator

EXACT = 2000
"""Up to this many nodes all eigenvectors are computed."""

_SPARE = 16  # columns that are iterated with, beyond those that are wanted
_PRODUCTS = 40
_TOLERANCE = 1e-3
_NOTHING = 1e-4  # magnitude of eigenvalues, relative to the largest, whose eigenvectors are as good as random


def spectral_positions(A: Operator, dimensions: int = 32, *, seed: int = 0) -> Tensor:
    """The eigenvectors of S of the largest eigenvalues by magnitude, ``[N, dimensions]``, float32.

    Columns have mean square 1, and their largest entry is positive. There are fewer where S has a lower rank. Above
    2,000 nodes they come from subspace iteration from a random start, with at most 40 products.

    Args:
        A: Symmetric adjacency, weights of 0 or more.
        dimensions: Number of columns.
        seed: Seed of the start.

    Example:
        >>> two = torch.tensor([[0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5]])
        >>> spectral_positions(Operator.from_edge_index(two).symmetrized(), 2).shape
        torch.Size([6, 2])
    """
    if dimensions < 1:
        raise InputError(f"Got dimensions={dimensions}.", "Expected 1 or more.")
    N = A.shape[0]
    degrees = A.row_sums
    if not N or not bool((degrees > 0).any()):
        return torch.zeros(N, 0)
    scale = (degrees + degrees.mean()).rsqrt()
    S = A.scale(scale, scale)
    if N <= EXACT:
        values, vectors = torch.linalg.eigh(S.to(torch.float64).to_dense())
    else:
        values, vectors = _leading(S.to(torch.float32), min(dimensions + _SPARE, N), dimensions, seed)
    order = values.abs().argsort(descending=True, stable=True)[:dimensions]
    order = order[values[order].abs() > _NOTHING * values.abs().max()]
    return (_signed(vectors[:, order]) * N**0.5).float()


def _leading(S: Operator, width: int, wanted: int, seed: int) -> tuple[Tensor, Tensor]:
    """Ritz values and vectors of a subspace of ``width`` columns, iterated until the wanted values settle."""
    generator = torch.Generator().manual_seed(seed)
    block = torch.randn(S.shape[0], width, generator=generator).to(S.device)
    before = torch.full((wanted,), torch.inf, device=S.device)
    for _ in range(_PRODUCTS // 2):
        Q = torch.linalg.qr(S @ block).Q
        image = S @ Q
        values, rotation = torch.linalg.eigh(_symmetric(Q.mT @ image))
        now = values.abs().sort(descending=True).values[:wanted]
        if bool((now - before).abs().max() <= _TOLERANCE * now[0]):
            break
        before, block = now, image
    return values, Q @ rotation


def _symmetric(B: Tensor) -> Tensor:
    return (B + B.mT) / 2


def _signed(vectors: Tensor) -> Tensor:
    """Each column with the sign that makes its largest entry positive: the first of those that rounding tells apart."""
    sizes = vectors.abs()
    first = (sizes >= (1 - 1e-4) * sizes.amax(0)).to(torch.uint8).argmax(0)
    return vectors * torch.where(vectors.gather(0, first.unsqueeze(0)) < 0, -1.0, 1.0)
