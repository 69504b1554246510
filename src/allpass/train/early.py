"""A warning where training seems to have gone wrong from the start."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Protocol

from allpass.data.draft import many
from allpass.models.catalog import resolve

EARLY, LONG = 5, 50
"""A run that kept one of its first epochs though it went on for so many did not get better by training."""

_LOG = logging.getLogger(__name__)


class Ended(Protocol):
    """What is asked of a run."""

    @property
    def epoch(self) -> int | None:
        """The kept epoch, counted from 0."""

    @property
    def epochs(self) -> int:
        """How many epochs it ran."""


def kept_early(run: Ended) -> bool:
    """Whether the kept epoch is suspiciously early."""
    return run.epoch is not None and run.epoch < EARLY and run.epochs >= LONG


def warn_if_early(model: str, runs: Sequence[Ended]) -> None:
    """Say how many runs of a model kept one of their first epochs, where that is most of them.

    Args:
        model: The name of the model.
        runs: Its runs with one choice of settings.
    """
    early = sum(map(kept_early, runs))
    if 2 * early > len(runs):
        _LOG.warning(
            "%s: %d of %s kept one of the first %d epochs, so training made the model worse.%s",
            model,
            early,
            many(len(runs), "run"),
            EARLY,
            _advice(model),
        )


def _advice(model: str) -> str:
    """Which settings of the model make training more careful; nothing where it has none of them."""
    entry = resolve(model)[0]
    lower, higher = (
        [name for name in names if name in entry.training or name in entry.settings]
        for names in (("lr", "learning_rate"), ("dropout", "weight_decay", "min_leaf"))
    )
    return f" Lower {lower[0]}, or raise {' or '.join(higher)}." if lower and higher else ""
