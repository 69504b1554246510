"""Progress of trainings: a bar on a terminal, a line in a notebook, a log line every ten seconds elsewhere."""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Literal, TypeAlias

from allpass.errors import InputError
from allpass.train.job import ProgressCallback, TrainingProgress

Shown: TypeAlias = ProgressCallback | Literal["auto"] | None
"""What a training reports to: a function, ``"auto"`` for what suits the place, or nothing."""

BETWEEN_LINES = 10.0
"""Seconds between two log lines."""

_PAUSE = 0.2  # seconds between two looks; each one makes a GPU wait
_LOG = logging.getLogger(__name__)


@contextmanager
def shown(on_progress: Shown, what: str) -> Iterator[ProgressCallback | None]:
    """The function that a training reports to.

    Args:
        on_progress: What the user passed: a function is taken as it is, None is silent, and ``"auto"`` shows a bar on a
            terminal, a line in a notebook, and logs a line every ten seconds elsewhere.
        what: What is done, for people.
    """
    if on_progress is not None and not callable(on_progress) and on_progress != "auto":
        raise InputError(f"Got on_progress = {on_progress!r}.", "Expected 'auto', None or a function.")
    if on_progress != "auto":
        yield on_progress
    elif in_notebook():
        with _line(what) as told:
            yield told
    elif on_terminal():
        with bar(what) as told:
            yield told
    else:
        yield Lines(what, _LOG.info)


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def on_terminal() -> bool:
    """Whether the error stream is a terminal."""
    from rich.console import Console

    return Console(stderr=True).is_terminal


@contextmanager
def bar(what: str) -> Iterator[ProgressCallback]:
    """A bar on the error stream with the runs that ended, the epoch, the best validation score and the time left.

    The time left assumes that every run takes all its epochs, so it is mostly less.

    Args:
        what: What is done.
    """
    from rich.console import Console
    from rich.errors import LiveError
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    words = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}")
    columns = SpinnerColumn(), *words, TimeRemainingColumn()
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    task = progress.add_task(what, total=1.0, state="")

    def show(reached: TrainingProgress) -> None:
        progress.update(task, completed=share_done(reached), state=state(reached))

    try:
        progress.start()
    except LiveError:  # within a bar of the caller's
        yield Lines(what, _LOG.info)
        return
    try:
        yield sometimes(show, _PAUSE)
    finally:
        progress.stop()


@contextmanager
def _line(what: str) -> Iterator[ProgressCallback]:
    """One line of a notebook's output, which changes and is empty at the end; none for what takes a second."""
    from IPython.display import display

    show: Any = display  # no annotations
    began, handles = monotonic(), list[Any]()

    def text(words: str) -> dict[str, str]:
        return {"text/plain": words}

    def told(reached: TrainingProgress) -> None:
        words = text(f"{what}: {state(reached)}")
        if handles:
            handles[0].update(words, raw=True)
        elif monotonic() - began > 1:
            handles.append(show(words, raw=True, display_id=True))

    try:
        yield sometimes(told, _PAUSE)
    finally:
        for handle in handles:
            handle.update(text(""), raw=True)


class Lines:
    """Says how far a training is where the last line is some time ago.

    Args:
        what: What is done.
        say: Is given each line.
    """

    def __init__(self, what: str, say: Callable[[str], object]) -> None:
        self._what, self._say = what, say
        self._began = self._said = monotonic()

    def __call__(self, reached: TrainingProgress) -> None:
        now = monotonic()
        if now - self._said < BETWEEN_LINES:
            return
        self._said = now
        done = share_done(reached)
        left = f", about {_duration((now - self._began) * (1 - done) / done)} left" if done > 0 else ""
        self._say(f"{self._what}: {state(reached)}{left}")


def sometimes(show: ProgressCallback, pause: float) -> ProgressCallback:
    """The same, called at most once in so many seconds.

    Args:
        show: Is told.
        pause: Seconds.
    """
    last = -math.inf

    def told(reached: TrainingProgress) -> None:
        nonlocal last
        if monotonic() - last >= pause:
            last = monotonic()
            show(reached)

    return told


def share_done(reached: TrainingProgress) -> float:
    """How much of all is done, from 0 to 1, if the runs under way take all their epochs."""
    return min((reached.ended + reached.members * reached.share) / reached.runs, 1.0)


def state(reached: TrainingProgress) -> str:
    """Where a training stands, in a few words."""
    runs = f"{reached.ended:,} of {reached.runs:,} runs"
    if reached.batch is None and not reached.step:
        return runs
    alive = f" · {reached.alive} in training" if reached.members > 1 else ""
    best = "" if math.isnan(reached.best) else f" · best validation {reached.best:.3f}"
    return f"{runs} · epoch {reached.epoch}{alive}{best}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
