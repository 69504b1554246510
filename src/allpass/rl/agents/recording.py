"""A callback that hands every step of a stable-baselines3 learner on, as it happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback, ConvertCallback

Sink = Callable[[Any, NDArray[Any], Any, NDArray[np.bool_], NDArray[np.bool_]], None]


class StepCallback(BaseCallback):
    """Calls ``sink(before, rewards, after, terminated, done)`` after each step of all environments.

    ``after`` is what the step led to: environments that were reset give the last observation of their episode.
    """

    def __init__(self, sink: Sink) -> None:
        super().__init__()
        self.sink = sink

    def _on_step(self) -> bool:
        done, infos = np.array(self.locals["dones"]), self.locals["infos"]
        after = np.array(self.locals["new_obs"])
        truncated = np.zeros_like(done)
        for row in np.flatnonzero(done):
            after[row] = infos[row]["terminal_observation"]
            truncated[row] = infos[row].get("TimeLimit.truncated", False)
        before: Any = self.model._last_obs
        self.sink(np.array(before), np.array(self.locals["rewards"]), after, done & ~truncated, done)
        return True


def with_recording(callback: Any, sink: Sink) -> list[BaseCallback]:
    """The callbacks that a user gave, after one that records."""
    if callback is None:
        given = []
    elif isinstance(callback, list):
        given = callback
    else:
        given = [callback if isinstance(callback, BaseCallback) else ConvertCallback(callback)]
    return [StepCallback(sink), *given]
