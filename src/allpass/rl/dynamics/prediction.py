"""What a model of transitions predicts, before counts are added."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prediction:
    """Probabilities of next states.

    Args:
        P: ``[S*A, S]``.
        vectors: Of the states, ``[S, d]``, where states have vectors.
        losses: Mean loss of each epoch, where something was trained.
        weights: Exponents of the parts of a hybrid.
    """

    P: Array
    vectors: Array | None = None
    losses: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()
