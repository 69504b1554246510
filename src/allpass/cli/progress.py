"""Bars on the terminal while one waits; anywhere else nothing, or a line now and then where it may take hours."""

from __future__ import annotations

import math
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress, ProgressColumn

    from allpass.papers.runner import Progress as Reached
    from allpass.train.job import TrainingProgress
    from allpass.train.runs.store import Store

BETWEEN_LINES = 60.0
"""Seconds."""
STOPPED = 130
"""The exit status after Ctrl-C."""

_PAUSE = 0.2  # seconds between two looks; each one makes a GPU wait


@contextmanager
def steps(total: int) -> Iterator[Callable[[str], None]]:
    """A bar that moves on with each step's name."""
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

    with _bar(SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()) as bar:
        task = bar.add_task("starting", total=total)
        yield lambda step: bar.update(task, description=step, advance=1)


@contextmanager
def training(what: str = "training") -> Iterator[Callable[[TrainingProgress], None]]:
    """A bar for trainings: runs that have ended, epochs, replicas alive, the best validation score, time left.

    The time left is what it takes when every run needs all its epochs, so it is mostly less.
    """
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeRemainingColumn

    words = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}")
    with _bar(SpinnerColumn(), *words, TimeRemainingColumn()) as bar:
        task = bar.add_task(what, total=1.0, state="")
        last = -math.inf

        def on_progress(reached: TrainingProgress) -> None:
            nonlocal last
            if bar.disable or time.monotonic() - last < _PAUSE:
                return
            last = time.monotonic()
            bar.update(task, completed=share_done(reached), state=state(reached))

        yield on_progress


@contextmanager
def reproducing() -> Iterator[Callable[[Reached], None]]:
    """A bar for a reproduction: runs that are there, what came last, time left; without a terminal, lines of these."""
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeRemainingColumn

    words = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("runs")
    with _bar(SpinnerColumn(), *words, TimeRemainingColumn()) as bar:
        task = bar.add_task("looking what is there", total=None)
        lines = Lines()

        def on_progress(reached: Reached) -> None:
            if bar.disable:
                lines(reached)
                return
            title = reached.title or "looking what is there"
            bar.update(task, completed=reached.stored, total=reached.wanted, description=title)

        yield on_progress


class Lines:
    """Told how far a reproduction is, writes a line to the standard error where the last one is some time ago."""

    def __init__(self) -> None:
        self._began = self._said = time.monotonic()
        self._first: int | None = None

    def __call__(self, reached: Reached) -> None:
        now = time.monotonic()
        self._first = reached.stored if self._first is None else self._first
        if now - self._said < BETWEEN_LINES or not reached.title:
            return
        self._said = now
        rate = (reached.stored - self._first) / (now - self._began)
        left = f", about {(reached.wanted - reached.stored) / rate / 60:.0f} min left" if rate else ""
        print(
            f"{reached.stored:,} of {reached.wanted:,} runs{left}: {reached.title}",
            file=sys.stderr,
            flush=True,
        )


@contextmanager
def stoppable(store: Store | None) -> Iterator[None]:
    """Where runs are kept, Ctrl-C says that nothing is lost."""
    import typer

    try:
        yield
    except KeyboardInterrupt:
        if store is None:
            raise
        say_stopped(store)
        raise typer.Exit(STOPPED) from None


def say_stopped(store: Store) -> None:
    """What is kept of the runs so far, and how they go on."""
    import typer

    from allpass.data.draft import many

    typer.echo(
        f"Stopped. {store.path} holds {many(len(store), 'run')} in all; the same command goes on from there.",
        err=True,
    )


def share_done(reached: TrainingProgress) -> float:
    """How much of all is done, from 0 to 1, if those that are alive take all their epochs."""
    return min((reached.ended + reached.members * reached.share) / reached.runs, 1.0)


def state(reached: TrainingProgress) -> str:
    """Where a training stands, in a few words."""
    best = "" if math.isnan(reached.best) else f" · best validation {reached.best:.3f}"
    return f"{reached.ended}/{reached.runs} runs · epoch {reached.epoch} · {reached.alive} alive{best}"


def _bar(*columns: ProgressColumn) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
