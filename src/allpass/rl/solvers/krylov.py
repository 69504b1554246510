r"""Values of large chains in Krylov subspaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from allpass.rl.solvers.reachability import distance_to
from allpass.rl.solvers.solution import Array

_FEW = 0.1
_STEPS = 150
_PLAIN_STEPS = 1500
_ROUNDS = 8
_ROUGH = 1e-5


class KrylovSolver:
    r"""Solves :math:`(I - \gamma P) V = r` by BiCGSTAB, for chains that differ in few states.

    Where few states give values, an end or a reward that differs from the usual one, it is preconditioned by one
    Gauss-Seidel sweep over the states in the order of their distance from these: steps that come nearer are solved for
    exactly. Iterations are in single precision, which moves half of the bytes; the residual between rounds of them is
    in double precision.

    Args:
        chain: P, ``[S, S]``, with empty rows for ends.
        reward: r, ``[S]``.
        discount: :math:`\gamma`.
    """

    def __init__(self, chain: Any, reward: Array, discount: float) -> None:
        self.discount = discount
        self.order: NDArray[np.int64] | None = None
        sources = (np.diff(chain.indptr) == 0) | (reward != np.median(reward))
        if sources.mean() < _FEW:  # states without a way to a source come last
            self.order = np.argsort(distance_to(chain, sources).astype(np.uint64), kind="stable")

    def solve(self, chain: Any, reward: Array, guess: Array, tolerance: float) -> Array | None:
        """Values whose residual is at most the tolerance in every state, or None where it does not converge.

        Args:
            chain: ``[S, S]``.
            reward: ``[S]``.
            guess: Values to begin with, ``[S]``.
            tolerance: Relative to the largest value where it is over 1.
        """
        A = sp.eye_array(chain.shape[0], format="csr") - self.discount * chain
        with threadpool_limits(1, user_api="blas"):  # sums over vectors are no faster shared
            if self.order is None:
                return _refined(A, reward, guess, tolerance, None)
            order = self.order
            A = A[order][:, order]
            x = _refined(A, reward[order], guess[order], tolerance, _gauss_seidel(A.astype(np.float32)))
        if x is None:
            return None
        V = np.empty_like(x)
        V[order] = x
        return V


def _refined(A: Any, b: Array, x: Array, tolerance: float, sweep: Any) -> Array | None:
    """Rounds of iterations, each on the residual that the rounds before left."""
    rough = A.astype(np.float32)
    steps = _PLAIN_STEPS if sweep is None else _STEPS
    error = b - A @ x
    for _ in range(_ROUNDS):
        worst, wanted = np.abs(error).max(), tolerance * max(1.0, np.abs(x).max())
        if worst <= wanted:
            return x
        target = max(0.3 * min(1.0, wanted / worst), _ROUGH)
        part = (error / worst).astype(np.float32)
        step, _ = sla.bicgstab(rough, part, rtol=target, maxiter=steps, M=sweep)
        x = x + worst * step.astype(np.float64)
        error = b - A @ x
        if not np.abs(error).max() <= worst / 2:  # NaN included
            return None
    return None


def _gauss_seidel(A: Any) -> Any:
    """The inverse of the lower triangle of A."""
    lower = sla.splu(
        sp.tril(A, format="csc"),
        permc_spec="NATURAL",
        diag_pivot_thresh=0,
        panel_size=1,  # three times as fast for a matrix that is triangular already
        options={"Equil": False},
    )
    return sla.LinearOperator(A.shape, matvec=lower.solve, dtype=A.dtype)
