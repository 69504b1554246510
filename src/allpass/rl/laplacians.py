r"""Laplacians of a Markov chain or of an undirected graph of states, and their smallest eigenvectors.

A Laplacian here is a sparse matrix less a product of low rank, :math:`L = S - U U'^T`, so that teleportation (a jump
to any state, a dense matrix of rank one) costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from allpass.errors import InputError

Array = NDArray[np.float64]
LaplacianName = Literal["combinatorial", "normalized", "random-walk", "directed", "directed-combinatorial"]

TELEPORT = 0.01
_DENSE = 600


@dataclass(frozen=True)
class Laplacian:
    """A symmetric Laplacian ``sparse - left @ right.T``, and the scale that turns its eigenvectors into a basis.

    Args:
        sparse: The sparse part, ``[S, S]``.
        left: ``[S, R]``; R is 0 without teleportation.
        right: ``[S, R]``.
        scale: ``[S]``: eigenvectors are multiplied by it, as D^-1/2 turns those of L_sym into those of L_rw.
    """

    sparse: Any
    left: Array
    right: Array
    scale: Array

    @property
    def num_states(self) -> int:
        return int(self.sparse.shape[0])

    def to_dense(self) -> Array:
        return np.asarray(self.sparse.toarray() - self.left @ self.right.T)

    def smallest(self, k: int, *, seed: int = 0) -> tuple[Array, Array]:
        """The k smallest eigenvalues, ascending, and their vectors ``[S, k]``, scaled.

        Dense up to 600 states or when k is over a quarter of them; else shift-invert Lanczos with one sparse
        factorisation. Without teleportation each part of the graph has vectors of its own, which are 0 elsewhere.
        """
        S = self.num_states
        if not 1 <= k <= S:
            raise InputError(
                f"Got k = {k} basis functions for {S} states.", f"Expected a whole number from 1 to {S}."
            )
        count, part = (1, None) if self.left.shape[1] else connected_components(self.sparse, directed=False)
        values, vectors = self._whole(k, seed) if count == 1 else self._by_parts(k, seed, part)
        return values, vectors * self.scale[:, None]

    def _whole(self, k: int, seed: int) -> tuple[Array, Array]:
        S = self.num_states
        if S <= _DENSE or 4 * k > S:
            values, vectors = np.linalg.eigh(self.to_dense())
            return values[:k], vectors[:, :k]
        return self._lanczos(k, seed)

    def _by_parts(self, k: int, seed: int, part: Any) -> tuple[Array, Array]:
        """Those of each part, merged: Lanczos misses eigenvalues that several parts share."""
        sizes = np.bincount(part)
        # Each part has the eigenvalue 0, so k parts are enough.
        parts = [np.flatnonzero(part == number) for number in np.argsort(-sizes, kind="stable")[:k]]
        none = np.zeros((self.num_states, 0))
        found = [
            Laplacian(self.sparse[own][:, own], none[own], none[own], self.scale[own])._whole(
                min(k, len(own)), seed
            )
            for own in parts
        ]
        every = np.concatenate([values for values, _ in found])
        level = 1e-9 * max(float(abs(every).max()), 1e-300)
        chosen = np.argsort((every / level).round(), kind="stable")[
            :k
        ]  # of equal ones the larger part's comes first
        place = np.concatenate([np.full(len(values), number) for number, (values, _) in enumerate(found)])
        first = np.cumsum([0, *(len(values) for values, _ in found)])
        vectors = np.zeros((self.num_states, k))
        for column, entry in enumerate(chosen):
            number = place[entry]
            vectors[parts[number], column] = found[number][1][:, entry - first[number]]
        return every[chosen], vectors

    def _lanczos(self, k: int, seed: int) -> tuple[Array, Array]:
        shift = -1e-3 * max(float(abs(self.sparse.diagonal()).max()), 1e-12)
        start = np.random.default_rng(seed).standard_normal(self.num_states)
        values, vectors = sla.eigsh(
            self.sparse, k, sigma=shift, which="LM", OPinv=self._inverse(shift), v0=start, tol=1e-12
        )
        order = np.argsort(values)
        return values[order], vectors[:, order]

    def _inverse(self, shift: float) -> sla.LinearOperator:
        """(L - shift I)^-1 by one sparse factorisation and Woodbury's formula for the low-rank part."""
        S = self.num_states
        solve = sla.splu((self.sparse - shift * sp.eye_array(S)).tocsc()).solve
        if not self.left.shape[1]:
            return sla.LinearOperator((S, S), matvec=solve, dtype=np.float64)
        images = solve(self.left)
        core = np.eye(self.left.shape[1]) - self.right.T @ images

        def apply(x: Array) -> Array:
            y = solve(x.ravel())
            return np.asarray(y + images @ np.linalg.solve(core, self.right.T @ y))

        return sla.LinearOperator((S, S), matvec=apply, dtype=np.float64)


def laplacian(
    matrix: Any, name: LaplacianName = "combinatorial", *, teleport: float | None = None
) -> Laplacian:
    r"""The Laplacian of a chain P or of a symmetric graph W, by name.

    * ``combinatorial``: :math:`D - W`
    * ``normalized``: :math:`I - D^{-1/2} W D^{-1/2}`
    * ``random-walk``: the same eigenvalues, eigenvectors times :math:`D^{-1/2}`: those of :math:`I - D^{-1} W`
    * ``directed`` (`Chung, 2005 <https://doi.org/10.1007/s00026-005-0237-z>`_), with :math:`\Psi` the stationary
      distribution on a diagonal: :math:`I - (\Psi^{1/2} P \Psi^{-1/2} + \Psi^{-1/2} P^T \Psi^{1/2}) / 2`
    * ``directed-combinatorial``: :math:`\Psi - (\Psi P + P^T \Psi) / 2`

    The first three read the undirected graph :func:`visited_graph` of a matrix that is not symmetric.

    Args:
        matrix: A transition matrix P ``[S, S]`` whose rows sum to 1, or a symmetric W for the first three.
        name: Which Laplacian.
        teleport: Chance of a jump to any state before each step, for the directed ones. By default 0.01 where some
            state cannot reach every other (its stationary distribution would be 0 somewhere), else 0.
    """
    A = _square(matrix)
    if name in ("directed", "directed-combinatorial"):
        return _directed(A, name, teleport)
    if name not in get_args(LaplacianName):
        raise InputError(
            f"Got laplacian = {name!r}.", f"Expected one of {', '.join(get_args(LaplacianName))}."
        )
    W = A if _is_symmetric(A) else visited_graph(A)
    degree = np.asarray(W.sum(axis=1)).ravel()
    none, ones = np.zeros((len(degree), 0)), np.ones(len(degree))
    if name == "combinatorial":
        return Laplacian((sp.diags_array(degree) - W).tocsr(), none, none, ones)
    # An isolated state has no walk: its row of L is 0, so it is constant on itself.
    root = np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1)), 0.0)
    present = sp.diags_array((degree > 0).astype(float))
    L = (present - sp.diags_array(root) @ W @ sp.diags_array(root)).tocsr()
    return Laplacian(L, none, none, np.where(degree > 0, root, 1.0) if name == "random-walk" else ones)


def visited_graph(chain: Any) -> Any:
    """The undirected graph of the moves of a chain: weight 1 between states that one step joins, no self-loops."""
    P = _square(chain)
    W = ((P != 0).astype(np.float64) + (P != 0).astype(np.float64).T) > 0
    W = W.astype(np.float64).tolil()
    W.setdiag(0)
    return W.tocsr()


def stationary_distribution(chain: Any, *, teleport: float | None = None) -> Array:
    r"""The distribution psi with psi^T P' = psi^T for P' = (1 - teleport) P + teleport / S, by one sparse solve.

    Args:
        chain: P ``[S, S]``, rows sum to 1.
        teleport: As for :func:`laplacian`; 0 needs a chain in which every state reaches every other.
    """
    P = _stochastic(chain)
    S, jump = P.shape[0], _teleport(P, teleport)
    if jump:
        system = sp.eye_array(S) - (1 - jump) * P.T
        psi = sla.spsolve(system.tocsc(), np.full(S, jump / S))
    else:  # psi of one state is 1, the others follow, and all are scaled
        rest = (sp.eye_array(S) - P).T.tocsc()[1:, 1:]
        psi = (
            np.concatenate([[1.0], sla.spsolve(rest.tocsc(), P[[0]].toarray().ravel()[1:])])
            if S > 1
            else np.ones(1)
        )
    return np.asarray(psi / psi.sum())


def _directed(P: Any, name: str, teleport: float | None) -> Laplacian:
    P = _stochastic(P)
    S, jump = P.shape[0], _teleport(P, teleport)
    psi = stationary_distribution(P, teleport=jump)
    ones = np.ones(S)
    if name == "directed":
        a, b = np.sqrt(psi), 1 / np.sqrt(psi)
        flow = sp.diags_array(a) @ P @ sp.diags_array(b)
        centre, scale = sp.eye_array(S), b
    else:
        a, b = psi, ones
        flow = sp.diags_array(psi) @ P
        centre, scale = sp.diags_array(psi), ones
    sparse = (centre - (1 - jump) / 2 * (flow + flow.T)).tocsr()
    if not jump:
        return Laplacian(sparse, np.zeros((S, 0)), np.zeros((S, 0)), scale)
    left = np.column_stack([a, b]) * (jump / (2 * S))
    return Laplacian(sparse, left, np.column_stack([b, a]), scale)


def _teleport(P: Any, teleport: float | None) -> float:
    if teleport is not None and not 0 <= teleport < 1:
        raise InputError(f"Got teleport = {teleport}.", "Expected a probability from 0 to below 1.")
    ergodic = connected_components(P, connection="strong")[0] == 1
    if teleport is None:
        return 0.0 if ergodic else TELEPORT
    if teleport == 0 and not ergodic:
        raise InputError(
            "Some states of the chain cannot reach every other, so no stationary distribution is above 0 everywhere.",
            "Pass teleport=0.01 to add a small chance of a jump.",
        )
    return teleport


def as_matrix(matrix: Any) -> Any:
    """A matrix over the states as CSR."""
    if not sp.issparse(matrix) and not isinstance(matrix, (np.ndarray, list, tuple)):
        raise InputError(
            f"Got {type(matrix).__name__} as the matrix.",
            "Expected [S, S], such as mdp.state_chain('uniform'); create_basis takes a process.",
        )
    return sp.csr_array(matrix, dtype=np.float64)


def _square(matrix: Any) -> Any:
    A = as_matrix(matrix)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not A.shape[0]:
        raise InputError(
            f"Got a matrix of shape {list(A.shape)}.", "Expected a square matrix over the states, [S, S]."
        )
    A.sum_duplicates()
    A.eliminate_zeros()
    if not np.isfinite(A.data).all() or (A.data < 0).any():
        raise InputError(
            "Some entries of the matrix are negative or not finite.", "Expected weights of 0 or more."
        )
    return A


def _stochastic(matrix: Any) -> Any:
    P = _square(matrix)
    gap = np.abs(P.sum(axis=1) - 1)
    if gap.max() > 1e-8:
        row = int(gap.argmax())
        raise InputError(
            f"Row {row} of the transition matrix sums to {P.sum(axis=1)[row]:.6g}.",
            "Expected rows that sum to 1; divide each by its sum, or use an undirected Laplacian.",
        )
    return P


def _is_symmetric(A: Any) -> bool:
    difference = abs(A - A.T)
    return bool(difference.nnz == 0 or difference.max() <= 1e-12 * max(A.max(), 1e-300))
