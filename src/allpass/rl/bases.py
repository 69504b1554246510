"""Basis functions over the states of a chain: proto-value functions and what they are compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
import torch
from numpy.typing import NDArray

from allpass.errors import InputError
from allpass.graph import Operator, krylov_space
from allpass.graph.embeddings.skipgram import skipgram
from allpass.rl import laplacians
from allpass.rl.laplacians import LaplacianName

Array = NDArray[np.float64]


def proto_value_functions(
    matrix: Any, k: int, *, laplacian: LaplacianName = "combinatorial", teleport: float | None = None
) -> Array:
    """The k smoothest functions of the states, ``[S, k]`` (`Mahadevan, 2005 <https://doi.org/10.1145/1102351.1102421>`_).

    They are the eigenvectors of the smallest eigenvalues of a Laplacian; the first is constant on a connected graph.

    Args:
        matrix: The chain P of a policy, or a symmetric graph of the states.
        k: Number of functions.
        laplacian: Its name; see :func:`~allpass.rl.laplacians.laplacian`.
        teleport: For the directed ones.
    """
    return laplacians.laplacian(matrix, laplacian, teleport=teleport).smallest(k)[1]


def successor_basis(chain: Any, k: int, *, discount: float = 0.95) -> Array:
    r"""The k leading left singular vectors of the successor representation :math:`(I - \gamma P)^{-1}`, ``[S, k]``.

    No rank-k matrix is closer to the successor representation than its projection on them. On a grid with a uniform
    policy they are the proto-value functions.
    """
    P = _chain(chain, k)
    S = P.shape[0]
    if not 0 <= discount < 1:
        raise InputError(f"Got discount = {discount}.", "Expected a number from 0 to below 1.")
    system = (sp.eye_array(S) - discount * P).tocsc()
    if S <= 600 or 4 * k > S:
        return np.ascontiguousarray(np.linalg.svd(np.linalg.inv(system.toarray()))[0][:, :k])
    factor = sla.splu(system)
    # M M^T is symmetric, and its leading eigenvectors are the left singular vectors of M.
    square = sla.LinearOperator(
        (S, S), matvec=lambda x: factor.solve(factor.solve(x, trans="T")), dtype=np.float64
    )
    start = np.random.default_rng(0).standard_normal(S)
    values, vectors = sla.eigsh(square, k, which="LM", v0=start)
    return np.ascontiguousarray(vectors[:, np.argsort(-values)])


def krylov_basis(chain: Any, reward: Any, k: int, *, constant: bool = True) -> Array:
    """Orthonormal functions that span 1, r, P r, P² r, ...; at most k, fewer where a product adds nothing new.

    Args:
        chain: P of the policy.
        reward: Mean reward of each state under the policy, ``[S]``.
        k: Number of functions.
        constant: Begin with the constant function, which values of 0 far from any reward need.
    """
    P = _chain(chain, k)
    r = np.asarray(reward, dtype=np.float64)
    if r.shape != (P.shape[0],) or not np.isfinite(r).all():
        raise InputError(
            f"Got rewards of shape {list(r.shape)} for {P.shape[0]} states.",
            "Expected one finite number a state.",
        )
    Q = np.empty((len(r), 0))
    if constant:
        Q = np.full((len(r), 1), len(r) ** -0.5)
    if Q.shape[1] == k:
        return Q
    # P keeps the constant function, so a block Krylov space of [1, r] grows by one direction a product.
    block = torch.from_numpy(np.column_stack([Q, r]))
    space = krylov_space(Operator.from_scipy(P), block, max_blocks=k - Q.shape[1])
    return space.directions.numpy()[:, :k]


def deepwalk_basis(
    chain: Any,
    k: int,
    *,
    seed: int = 0,
    walks: int = 10,
    length: int = 40,
    window: int = 10,
    steps: int = 1000,
) -> Array:
    """Skip-gram positions of the states on walks of the chain, and the constant function, ``[S, k]``.

    (`Perozzi et al., KDD 2014 <https://arxiv.org/abs/1403.6652>`_.)

    Args:
        chain: P of the policy that walks.
        k: Number of functions, the constant one included.
        seed: Decides walks and training.
        walks: Walks from every state.
        length: States of a walk.
        window: Largest distance in a walk at which two states are met together.
        steps: Batches of the training.
    """
    P = _chain(chain, k)
    S = P.shape[0]
    generator = np.random.default_rng(seed)
    constant = np.ones((S, 1))
    if k == 1:
        return constant
    visits = chain_walks(P, np.tile(np.arange(S), walks), length, generator)
    positions = skipgram(visits, S, dim=k - 1, generator=generator, window=window, steps=steps)
    return np.column_stack([constant, positions])


def random_basis(num_states: int, k: int, *, seed: int = 0) -> Array:
    """The constant function and random directions, orthonormal, ``[S, k]``: the control without a graph."""
    if not 1 <= k <= num_states:
        raise InputError(
            f"Got k = {k} basis functions for {num_states} states.",
            f"Expected a whole number from 1 to {num_states}.",
        )
    directions = np.random.default_rng(seed).standard_normal((num_states, k))
    directions[:, 0] = 1
    return np.linalg.qr(directions)[0]


def chain_walks(chain: Any, starts: Any, length: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """States visited by walks of a chain, ``[W, length]``, the first of each given."""
    P = sp.csr_array(chain)
    # Cumulated chances of row s lie in (s, s + 1], so one search serves all rows.
    row = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    total = np.concatenate([[0.0], P.data.cumsum()])
    chance = row + (total[1:] - total[P.indptr[row]]) / (total[P.indptr[row + 1]] - total[P.indptr[row]])
    seen = np.empty((len(starts), length), dtype=np.int64)
    seen[:, 0] = starts
    for step in range(1, length):
        here = seen[:, step - 1]
        place = np.searchsorted(chance, here + generator.random(len(here)), side="right")
        seen[:, step] = P.indices[np.clip(place, P.indptr[here], P.indptr[here + 1] - 1)]
    return seen


def _chain(chain: Any, k: int) -> Any:
    P = laplacians.as_matrix(chain)
    if not 1 <= k <= P.shape[0]:
        raise InputError(
            f"Got k = {k} basis functions for {P.shape[0]} states.",
            f"Expected a whole number from 1 to {P.shape[0]}.",
        )
    return P
