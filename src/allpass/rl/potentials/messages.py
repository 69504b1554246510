r"""Exact forward and backward messages of optimality, which the potential of a graph network approximates.

In control as inference a step from s by a is optimal with probability :math:`p(O \mid s, a)`, an increasing function of
its reward. Along a chain of T steps

.. math::
    \alpha_{t+1}(s') = \sum_{s, a} P(s' \mid s, a)\, \pi(a \mid s)\, p(O \mid s, a)\, \alpha_t(s), \qquad
    \beta_t(s) = \sum_{a, s'} \pi(a \mid s)\, P(s' \mid s, a)\, p(O \mid s, a)\, \beta_{t+1}(s')

so that :math:`\alpha_t(s) \beta_t(s)` is proportional to the probability of being in s at time t when every step is
optimal (`Klissarov and Precup, 2020 <https://arxiv.org/abs/2010.02474>`_).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Messages:
    """Messages of a chain of T steps, each scaled to sum 1.

    Args:
        forward: alpha, ``[T + 1, S]``.
        backward: beta, ``[T + 1, S]``.
        log_probability: The logarithm of the probability that all T steps are optimal.
    """

    forward: Array
    backward: Array
    log_probability: float

    def posterior(self) -> Array:
        """The probability of each state at each time when all steps are optimal, ``[T + 1, S]``."""
        product = self.forward * self.backward
        return np.asarray(product / product.sum(axis=1, keepdims=True))


def messages(optimal_chain: Any, start: Array, horizon: int) -> Messages:
    r"""Messages over a horizon.

    Args:
        optimal_chain: M of :func:`optimal_chain`, ``[S, S]``.
        start: Distribution of the first state, ``[S]``.
        horizon: Number of steps T.
    """
    M = sp.csr_array(optimal_chain, dtype=np.float64)
    S = M.shape[0]
    alpha = np.asarray(start, dtype=np.float64)
    if alpha.shape != (S,) or (alpha < 0).any() or not np.isclose(alpha.sum(), 1):
        raise InputError(
            f"Got a start of shape {list(alpha.shape)} that sums to {alpha.sum():g}.",
            f"Expected a distribution over {S} states.",
        )
    if horizon < 1:
        raise InputError(f"Got horizon = {horizon}.", "Expected a whole number of 1 or more.")
    back = M.T.tocsr()
    forward, backward = np.empty((horizon + 1, S)), np.empty((horizon + 1, S))
    forward[0], backward[-1] = alpha, 1 / S
    logarithm = 0.0
    for t in range(horizon):
        alpha = back @ forward[t]
        scale = alpha.sum()
        if scale == 0:
            raise InputError(
                f"No path of {t + 1} steps from the start is optimal with a probability above 0.",
                "Give every step some probability to be optimal.",
            )
        logarithm += np.log(scale)
        forward[t + 1] = alpha / scale
    for t in reversed(range(horizon)):
        beta = M @ backward[t + 1]
        backward[t] = beta / beta.sum()
    return Messages(forward, backward, float(logarithm))


def optimal_chain(transitions: Any, policy: Any, rewards: Array, *, temperature: float = 1.0) -> Any:
    r"""M of :func:`messages`: the chance of a move from s to s' whose step is optimal.

    .. math::
        M_{s s'} = \sum_a \pi(a \mid s)\, p(O \mid s, a)\, P(s' \mid s, a), \qquad
        p(O \mid s, a) = e^{(r(s, a) - \max r) / \tau}

    Args:
        transitions: P, ``[S A, S]``.
        policy: :math:`\Pi`, ``[S, S A]``.
        rewards: r, ``[S A]``.
        temperature: :math:`\tau`, above 0; small values trust the best reward alone.
    """
    if temperature <= 0:
        raise InputError(f"Got temperature = {temperature}.", "Expected a number above 0.")
    chance = np.exp((rewards - rewards.max()) / temperature)
    return (sp.csr_array(policy) @ sp.diags_array(chance) @ sp.csr_array(transitions)).tocsr()
