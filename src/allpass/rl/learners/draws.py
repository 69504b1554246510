"""Random numbers for many seeds side by side; those of a seed do not depend on the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1024


class Draws:
    """Uniform numbers, a row of ``width`` for each seed and each step.

    Args:
        seeds: The seeds.
        width: How many numbers a step needs.
    """

    def __init__(self, seeds: Sequence[int], width: int) -> None:
        self._generators = [np.random.default_rng(seed) for seed in seeds]
        self._width, self._place = width, _BLOCK
        self._block: NDArray[np.float64] = np.empty((len(seeds), 0, width))

    def next(self) -> NDArray[np.float64]:
        """The numbers of the next step, ``[R, width]``."""
        if self._place == _BLOCK:
            self._block = np.stack([own.random((_BLOCK, self._width)) for own in self._generators])
            self._place = 0
        self._place += 1
        return self._block[:, self._place - 1]
