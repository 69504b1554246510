"""What a potential is, and what it learns from."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray


class Steps(Protocol):
    """Recorded steps: arrays of T rows. ``allpass.rl.Transitions`` is one."""

    @property
    def state(self) -> Any: ...

    @property
    def reward(self) -> Any: ...

    @property
    def next_state(self) -> Any: ...

    @property
    def terminated(self) -> Any: ...

    @property
    def episode(self) -> Any: ...


class Potential(Protocol):
    """A function of states that shaping adds to the reward as differences."""

    def fit(self, steps: Steps) -> Self:
        """Learn from all steps recorded so far."""
        ...

    def potential(self, states: Any) -> NDArray[np.float64]:
        """phi of states, numbers ``[B]`` or vectors ``[B, F]``; 0 before ``fit`` and where nothing is known."""
        ...
