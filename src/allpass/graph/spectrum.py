r"""Frequencies of a graph: the Fourier transform, spectral extremes, and where a signal's energy lies.

Below a size the eigenvectors are computed exactly. Above it nothing needs them: Lanczos gives the extremes, and
the kernel polynomial method gives densities from Chebyshev moments :math:`x^\top T_k(S) x`, at one sparse product
a moment, for an affinity S with spectrum in [-1, 1] (``A_sym`` or ``A_hat_sym``). The frequency that belongs to an
eigenvalue :math:`\mu` of S is the Laplacian's :math:`\lambda = 1 - \mu \in [0, 2]`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from scipy.sparse.linalg import LinearOperator, eigsh
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.linear import LinearMap
from allpass.graph.matrices import add_self_loops, matrix
from allpass.graph.operator import Operator

EXACT_LIMIT = 2000
"""Up to this many nodes densities are exact by default; 2,000 nodes take about two seconds on one core."""

_SIGNS = 400_000


@dataclass(frozen=True)
class FourierBasis:
    r"""Eigenvalues :math:`\lambda_1 \le \dots \le \lambda_N` and eigenvectors of a Laplacian.

    Args:
        frequencies: ``[N]``, ascending.
        vectors: U, ``[N, N]``; its columns are the basis.
        inverse: U^-1, ``[N, N]``; equals U^T for the symmetric Laplacians.
    """

    frequencies: Tensor
    vectors: Tensor
    inverse: Tensor

    def transform(self, x: Tensor) -> Tensor:
        """U^-1 x: the signal's components by frequency."""
        return self.inverse @ x

    def synthesize(self, components: Tensor) -> Tensor:
        """U c: the signal with these components."""
        return self.vectors @ components


def fourier_basis(A: Operator, laplacian: str = "L_hat_sym", *, limit: int = 5000) -> FourierBasis:
    r"""The graph Fourier basis of a symmetric adjacency A.

    For a random-walk Laplacian the eigenvectors come from its symmetric twin:
    :math:`u_{rw} = D^{-1/2} u_{sym}`, with :math:`\tilde D` for the renormalised pair.

    Args:
        A: Symmetric adjacency.
        laplacian: ``L``, ``L_rw``, ``L_sym``, ``L_hat_rw`` or ``L_hat_sym``.
        limit: Refuse larger graphs: the basis takes N x N numbers and N^3 time.
    """
    N = A.shape[0]
    if N > limit:
        raise InputError(
            f"Got a graph of {N} nodes; a full Fourier basis is computed up to {limit}.",
            "Use spectral_extremes or spectral_density, or raise limit.",
        )
    _must_be_symmetric(A)
    A = A.to(torch.float64)
    symmetric_name = laplacian.replace("_rw", "_sym")
    frequencies, U = torch.linalg.eigh(matrix(A, symmetric_name).to_dense())
    if symmetric_name == laplacian:
        return FourierBasis(frequencies, U, U.mT)
    degrees = (add_self_loops(A) if "hat" in laplacian else A).row_sums
    root = torch.where(degrees > 0, degrees, torch.ones_like(degrees)).sqrt().unsqueeze(1)
    return FourierBasis(frequencies, U / root, U.mT * root.mT)


def spectral_extremes(op: LinearMap, k: int = 6, *, seed: int = 0) -> tuple[Tensor, Tensor]:
    """The k smallest and the k largest eigenvalues of a symmetric map, each ascending and with multiplicity.

    Lanczos above 20k nodes, exact below. One Lanczos run may see a repeated eigenvalue once (a graph of c components
    repeats its largest c times), so runs go on, each without what is already found, until one finds nothing new.
    """
    N = op.shape[0]
    if k < 1 or op.shape[1] != N:
        raise InputError(
            f"Got k = {k} for a map of shape {list(op.shape)}.",
            "Expected k of 1 or more and a square, symmetric map.",
        )
    wide = op.to(torch.float64)
    if N <= 20 * k:
        values = torch.linalg.eigvalsh(wide.to_dense()).cpu()
        return values[:k], values[-k:]
    start = np.random.default_rng(seed).standard_normal(N)
    # ARPACK starts from op @ start, blind to an eigenvalue of exactly 0: a random shift leaves none there.
    lift = 1 + float(np.linalg.norm(_product(wide, start)) / np.linalg.norm(start))
    found, vectors = np.zeros(0), np.zeros((N, 0))
    while True:
        rest = _deflated(wide, lift, found, vectors)
        more, directions = eigsh(rest, k=2 * k, which="BE", v0=start, ncv=min(N, 8 * k + 20), tol=1e-8)
        new = np.linalg.norm(vectors.T @ directions, axis=0) < 0.5
        more, directions = more[new], directions[:, new]
        before = _ends(found, k)
        found, vectors = np.concatenate([found, more]), np.concatenate([vectors, directions], axis=1)
        after = _ends(found, k)
        if before.shape == after.shape and np.allclose(before, after, rtol=0, atol=1e-9 * lift):
            return torch.from_numpy(after[:k] - lift), torch.from_numpy(after[k:] - lift)


def _ends(values: np.ndarray, k: int) -> np.ndarray:
    ordered = np.sort(values)
    return np.concatenate([ordered[:k], ordered[-k:]])


def _product(op: LinearMap, x: np.ndarray) -> np.ndarray:
    return (op @ torch.from_numpy(np.ascontiguousarray(x)).to(op.device)).cpu().numpy()


def _deflated(op: LinearMap, lift: float, values: np.ndarray, vectors: np.ndarray) -> LinearOperator:
    """op + lift I, with the eigenvalues that belong to ``vectors`` moved to the middle of the spectrum."""
    shift = (values.min() + values.max()) / 2 - values if values.size else values

    def apply(x: np.ndarray) -> np.ndarray:
        return _product(op, x) + lift * x + vectors @ (shift * (vectors.T @ x))

    return LinearOperator(op.shape, matvec=apply, dtype=np.float64)


def spectral_density(
    A: Operator,
    bins: int = 40,
    *,
    moments: int = 80,
    probes: int | None = None,
    exact_limit: int = EXACT_LIMIT,
    seed: int = 0,
) -> tuple[Tensor, Tensor]:
    """Share of the eigenvalues of L_hat_sym in equal bins of [0, 2], for a symmetric adjacency A.

    Args:
        A: Symmetric adjacency.
        bins: Number of bins.
        moments: Chebyshev moments above ``exact_limit``.
        probes: Random signals that the moments are estimated from; by default :func:`default_probes`.
        exact_limit: Up to this many nodes the eigenvalues are computed.
        seed: Seed of the random signals.

    Returns:
        Bin edges ``[bins + 1]`` and shares ``[bins]`` that sum to 1 (all zero for a graph without nodes).
    """
    _must_be_symmetric(A)
    S = matrix(A.to(torch.float64), "A_hat_sym")
    edges = torch.linspace(0, 2, bins + 1, dtype=torch.float64)
    N = S.shape[0]
    if exact_limit >= N:
        frequencies = 1 - torch.linalg.eigvalsh(S.to_dense())
        return edges, _histogram(frequencies, torch.ones_like(frequencies), edges)
    generator = torch.Generator().manual_seed(seed)
    probes = default_probes(N) if probes is None else probes
    signs = torch.randint(0, 2, (N, probes), generator=generator).to(torch.float64).mul_(2).sub_(1)
    return edges, _share(_chebyshev_moments(S, signs.to(S.device), moments), edges)


def default_probes(num_nodes: int) -> int:
    """Random signals for a spectral density: 16, fewer on large graphs, where each node averages the error away.

    The error of a share falls with the square root of nodes times signals, so 400,000 of both together are plenty.

    Example:
        >>> default_probes(2_708), default_probes(100_000), default_probes(1_000_000)
        (16, 4, 1)
    """
    return min(16, max(1, -(-_SIGNS // max(num_nodes, 1))))


def signal_density(
    A: Operator, x: Tensor, bins: int = 40, *, moments: int = 80, exact_limit: int = EXACT_LIMIT
) -> tuple[Tensor, Tensor]:
    """Share of the energy of a signal x ``[N]`` or ``[N, F]`` at each frequency of L_hat_sym, in equal bins of [0, 2].

    A is a symmetric adjacency.

    Returns:
        Bin edges ``[bins + 1]`` and shares ``[bins]`` that sum to 1 (all zero for a zero signal).
    """
    _must_be_symmetric(A)
    S = matrix(A.to(torch.float64), "A_hat_sym")
    x = x.to(torch.float64).reshape(x.shape[0], -1)
    edges = torch.linspace(0, 2, bins + 1, dtype=torch.float64)
    if exact_limit >= S.shape[0]:
        values, U = torch.linalg.eigh(S.to_dense())
        return edges, _histogram(1 - values, (U.mT @ x).square().sum(1), edges)
    return edges, _share(_chebyshev_moments(S, x, moments), edges)


def _must_be_symmetric(A: Operator) -> None:
    if not A.is_symmetric():
        raise InputError(
            "Got a directed graph; its Laplacian has no orthogonal basis.", "Use A.symmetrized()."
        )


def _histogram(frequencies: Tensor, weights: Tensor, edges: Tensor) -> Tensor:
    # Eigenvalues such as 0 and 1 are common and lie on an edge: rounding must not choose their bin.
    places = torch.bucketize(frequencies.cpu().round(decimals=9).clamp(0, 2), edges[1:-1], right=True)
    shares = torch.zeros(edges.shape[0] - 1, dtype=torch.float64).index_add(0, places, weights.cpu())
    total = shares.sum()
    return shares / total if total > 0 else shares


def _chebyshev_moments(S: LinearMap, x: Tensor, count: int) -> Tensor:
    """sum_f x_f^T T_k(S) x_f for k < count; two moments for each product by T_2k = 2 T_k^2 - 1."""
    before, now = x, S @ x
    first, second = (x * x).sum(), (x * now).sum()
    moments = [first, second]
    while len(moments) < count:
        moments.append(2 * (now * now).sum() - first)  # T_2k
        before, now = now, 2 * (S @ now) - before
        moments.append(2 * (now * before).sum() - second)  # T_2k+1 = 2 T_k T_k+1 - T_1
    return torch.stack(moments[:count]).cpu()


def _share(moments: Tensor, edges: Tensor) -> Tensor:
    """Density from moments with Jackson's damping (Weisse et al. 2006), integrated over each bin."""
    if moments[0] <= 0:
        return torch.zeros(edges.shape[0] - 1, dtype=torch.float64)
    K = moments.shape[0]
    k = torch.arange(K, dtype=torch.float64)
    angle = torch.pi / (K + 1)
    jackson = ((K - k + 1) * torch.cos(k * angle) + torch.sin(k * angle) / np.tan(angle)) / (K + 1)
    weights = jackson * moments / moments[0]
    # The density in theta, mu = cos(theta), is a cosine series; its integral is a sine series.
    theta = torch.arccos((1 - edges).clamp(-1, 1))
    harmonics = k[1:]
    series = (weights[1:] / harmonics * torch.sin(theta.unsqueeze(1) * harmonics)).sum(1)
    cumulative = (weights[0] * theta + 2 * series) / torch.pi
    return cumulative.diff().clamp_min(0)
