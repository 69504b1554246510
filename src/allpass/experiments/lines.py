"""How far a reproduction is, as a line now and then, for those who read it in a file later."""

from __future__ import annotations

import sys
import time

from allpass.experiments.runner import Progress

PAUSE = 60.0
"""Seconds between two lines."""


class Lines:
    """Told how far it is, writes a line to the standard error where the last one is some time ago."""

    def __init__(self) -> None:
        self._began = self._said = time.monotonic()
        self._first: int | None = None

    def __call__(self, reached: Progress) -> None:
        now = time.monotonic()
        self._first = reached.stored if self._first is None else self._first
        if now - self._said < PAUSE or not reached.title:
            return
        self._said = now
        rate = (reached.stored - self._first) / (now - self._began)
        left = f", about {(reached.wanted - reached.stored) / rate / 60:.0f} min left" if rate else ""
        print(
            f"{reached.stored:,} of {reached.wanted:,} runs{left}: {reached.title}",
            file=sys.stderr,
            flush=True,
        )
