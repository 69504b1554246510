"""Several predictions as one: a product of powers, whose exponents are chosen on pairs that were left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from allpass.rl.dynamics.counts import TransitionCounts

Array = NDArray[np.float64]

_LEAST = 1e-6


def pooled(predictions: Sequence[Array], weights: Sequence[float] | Array) -> Array:
    r"""The logarithmic pool, ``[R, S]``.

    .. math::
        P \propto \prod_i P_i^{w_i}
    """
    logs = sum(w * np.log(np.maximum(P, _LEAST)) for w, P in zip(weights, predictions, strict=True))
    logs = logs - np.max(logs, axis=1, keepdims=True)
    raised = np.exp(logs)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def pool_weights(predictions: Sequence[Array], targets: Array, *, steps: int = 200) -> Array:
    """Exponents of 0 or more that make the shares ``targets`` ``[R, S]`` most likely.

    Args:
        predictions: Each ``[R, S]``.
        targets: The shares of next states that were recorded for pairs that no prediction learned from.
        steps: Steps of Adam.
    """
    if not len(targets):
        return np.full(len(predictions), 1 / len(predictions))
    logs = torch.from_numpy(np.log(np.maximum(np.stack(predictions), _LEAST)))
    wanted = torch.from_numpy(targets)
    raw = torch.zeros(len(predictions), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([raw], lr=0.1)
    for _ in range(steps):
        pool = torch.log_softmax(torch.einsum("i,irs->rs", torch.nn.functional.softplus(raw), logs), dim=1)
        loss = -(wanted * pool).sum(dim=1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return np.asarray(torch.nn.functional.softplus(raw).detach().numpy())


def left_out(counts: TransitionCounts, share: float, seed: int) -> NDArray[np.bool_]:
    """A random share of the pairs that were tried, as a mask ``[S*A]``."""
    tried = np.flatnonzero(counts.tried > 0)
    rows = np.random.default_rng(seed).permutation(tried)[: round(share * len(tried))]
    mask = np.zeros(len(counts.tried), dtype=bool)
    mask[rows] = True
    return mask
