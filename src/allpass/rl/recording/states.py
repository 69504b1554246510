"""From observations to states: numbers, vectors, or names that are numbered as they appear."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from allpass.errors import InputError

StateFunction = Callable[[Any], Any]
"""Makes a state of an observation: a whole number, a vector, or any hashable name."""


class StateTable:
    """Checks what a state function returns, and numbers names in the order in which they appear."""

    def __init__(self, state_fn: StateFunction) -> None:
        self.state_fn = state_fn
        self.numbers: dict[Hashable, int] = {}
        self._kind: str | None = None

    def __call__(self, observation: Any) -> Any:
        """The state of an observation: an ``int`` or a vector."""
        state = self.state_fn(observation)
        if isinstance(state, (int, np.integer)) and not isinstance(state, bool):
            return self._same("a number", int(state))
        if isinstance(state, np.ndarray) and state.ndim <= 1 and state.dtype.kind in "iufb":
            if state.ndim == 0 and state.dtype.kind in "iu":
                return self._same("a number", int(state))
            return self._same("a vector", np.array(state.ravel()))
        if isinstance(state, (float, np.floating)):
            return self._same("a vector", np.array([float(state)]))
        try:
            number = self.numbers.setdefault(state, len(self.numbers))
        except TypeError as error:
            raise InputError(
                f"state_fn returned {_described(state)}.",
                "Expected a whole number, a vector [F] or a hashable value such as a tuple.",
            ) from error
        return self._same("a name", number)

    @property
    def names(self) -> tuple[Any, ...] | None:
        """The names in the order of their numbers; None where states are numbers or vectors."""
        return tuple(self.numbers) if self.numbers else None

    def _same(self, kind: str, state: Any) -> Any:
        if self._kind not in (None, kind):
            raise InputError(
                f"state_fn returned {kind} after {self._kind}.", "Expected one kind of states in a recording."
            )
        self._kind = kind
        return state


class Discretizer:
    """Numbers the cells of a regular grid over vectors; values outside belong to the cells at the border.

    Args:
        low: Lower end of each part, ``[F]``.
        high: Upper end of each part, ``[F]``.
        bins: Number of cells along each part, or one number for all.

    Example:
        >>> cell = Discretizer([0, 0], [1, 2], [10, 4])
        >>> cell([0.05, 1.9]), cell([0.95, -5.0])
        (3, 36)
        >>> cell.centers[3].tolist()
        [0.05, 1.75]
    """

    def __init__(self, low: Any, high: Any, bins: Any) -> None:
        self.low, self.high = (np.asarray(end, dtype=np.float64).ravel() for end in (low, high))
        self.bins = np.broadcast_to(np.asarray(bins, dtype=np.int64), self.low.shape).copy()
        wrong = self.low.shape != self.high.shape or not np.isfinite(self.low).all()
        if wrong or not np.isfinite(self.high).all() or not (self.low < self.high).all():
            raise InputError(
                f"Got low={self.low.tolist()} and high={self.high.tolist()}.",
                "Expected finite ends [F] with low below high; choose some where the space has none.",
            )
        if (self.bins < 1).any():
            raise InputError(f"Got bins={self.bins.tolist()}.", "Expected whole numbers of 1 or more.")

    @property
    def num_states(self) -> int:
        """Number of cells."""
        return int(self.bins.prod())

    @property
    def centers(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The middle of each cell, ``[num_states, F]``."""
        cells = np.stack(np.unravel_index(np.arange(self.num_states), self.bins), axis=1)
        return self.low + (cells + 0.5) / self.bins * (self.high - self.low)

    def __call__(self, observation: Any) -> int:
        """The number of the cell of a vector."""
        share = (np.asarray(observation, dtype=np.float64).ravel() - self.low) / (self.high - self.low)
        cell = np.clip(np.floor(share * self.bins), 0, self.bins - 1).astype(np.int64)
        return int(np.ravel_multi_index(tuple(cell), tuple(self.bins)))


def as_vector(observation: Any) -> np.ndarray[Any, Any]:
    """An array as a flat vector: the state function that keeps a continuous observation as it is."""
    return np.asarray(observation).ravel()


def as_hash(observation: Any) -> str:
    """A short name of any observation: the hash of its numbers and words. Equal observations have one name.

    Example:
        >>> as_hash({"place": np.zeros(2), "mission": "go"}) == as_hash({"mission": "go", "place": np.zeros(2)})
        True
    """
    digest = hashlib.blake2b(digest_size=8)
    _feed(digest, observation)
    return digest.hexdigest()


def _feed(digest: Any, part: Any) -> None:
    if isinstance(part, dict):
        for name in sorted(part, key=str):
            digest.update(str(name).encode())
            _feed(digest, part[name])
    elif isinstance(part, (list, tuple)):
        for member in part:
            _feed(digest, member)
    elif isinstance(part, np.ndarray):
        digest.update(f"{part.dtype.str}{part.shape}".encode() + np.ascontiguousarray(part).tobytes())
    else:
        digest.update(repr(part).encode())


def _described(state: Any) -> str:
    if isinstance(state, np.ndarray):
        return f"an array of shape {list(state.shape)} and type {state.dtype}"
    return f"a {type(state).__name__}"
