"""Bars on the terminal while one waits, and lines on the error stream elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress, ProgressColumn

    from allpass.papers.runner import Progress as Reached
    from allpass.train.job import ProgressCallback
    from allpass.train.runs.store import Store

BETWEEN_LINES = 60.0
"""Seconds."""
STOPPED = 130
"""The exit status after Ctrl-C."""


@contextmanager
def steps(total: int) -> Iterator[Callable[[str], None]]:
    """A bar that moves on with each step's name."""
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

    with _bar(SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()) as bar:
        task = bar.add_task("starting", total=total)
        yield lambda step: bar.update(task, description=step, advance=1)


@contextmanager
def counting(what: str, total: int | None = None) -> Iterator[Callable[[int, float], None]]:
    """A bar for something that counts, such as iterations: gets the count and a number that is shown where small."""
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

    words = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}")
    with _bar(SpinnerColumn(), *words, TimeElapsedColumn()) as bar:
        task = bar.add_task(what, total=total, state="")

        def on_progress(count: int, number: float) -> None:
            if not bar.disable:
                state = f"{count:,}" if total else f"{count:,} · residual {number:.1e}"
                bar.update(task, completed=count if total else None, state=state)

        yield on_progress


@contextmanager
def training(what: str = "training") -> Iterator[ProgressCallback]:
    """A bar for trainings on a terminal; a line on the error stream every ten seconds elsewhere."""
    from allpass.train.progress import Lines, bar, on_terminal

    if on_terminal():
        with bar(what) as told:
            yield told
    else:
        yield Lines(what, lambda line: print(line, file=sys.stderr, flush=True))


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


def _bar(*columns: ProgressColumn) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
