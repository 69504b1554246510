r"""The Bellman operator :math:`(T V)(s) = \max_a r(s, a) + \gamma \sum_{s'} P(s'|s, a) V(s')`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from allpass.rl.mdp import TabularMDP
from allpass.rl.rows import take_rows
from allpass.rl.solvers.solution import Array

TIE = 1e-12


class Backup:
    """The operator with the rows of P ordered by action, so that the maximum runs over whole arrays.

    Args:
        mdp: The process.
    """

    def __init__(self, mdp: TabularMDP) -> None:
        S, A = mdp.mask.shape
        order = np.arange(S * A).reshape(S, A).T.ravel()
        self.shape = A, S
        self.P = take_rows(mdp.P, order)
        self.P.data *= mdp.discount
        self.r = np.where(mdp.mask.ravel(), mdp.r, -np.inf)[order]

    def action_values(self, V: Array) -> Array:
        """``[A, S]``."""
        Q = self.P @ V
        Q += self.r
        return Q.reshape(self.shape)

    def __call__(self, V: Array) -> Array:
        return np.asarray(self.action_values(V).max(axis=0))

    def greedy(
        self, Q: Array, present: NDArray[np.int64] | None = None, *, slack: float = TIE
    ) -> NDArray[np.int64]:
        """The best action of each state; the present one, else the first, where no other is better by the slack."""
        best = Q.max(axis=0)
        enough = best - slack * (1 + np.abs(best))
        if present is None:
            return (Q >= enough).argmax(axis=0)
        kept = np.take_along_axis(Q, present[None], axis=0)[0] >= enough
        return np.where(kept, present, Q.argmax(axis=0))
