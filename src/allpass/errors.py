"""One tree of exceptions. Every message says what was got, what was expected and what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any


class AllpassError(Exception):
    """Base of everything allpass raises on purpose; the command line prints it without a traceback.

    Args:
        problem: What was got and what was expected, in one sentence.
        cure: What the reader can do about it, in one sentence.
    """

    def __init__(self, problem: str, cure: str = "") -> None:
        self.problem, self.cure = _printable(problem), _printable(cure)
        super().__init__(f"{self.problem} {self.cure}".strip())

    def __reduce__(self) -> tuple[type[AllpassError], tuple[Any, ...]]:
        return type(self), (self.problem, self.cure)  # whole across processes


class InputError(AllpassError, ValueError):
    """An argument has the wrong value, shape or type."""


class UnknownNameError(AllpassError, LookupError):
    """A name is not in a registry; the message lists near matches."""


class DataError(AllpassError, ValueError):
    """A file or table was read but its content is not a usable graph."""


class MissingFileError(AllpassError, FileNotFoundError):
    """A file that was asked for does not exist."""

    def __str__(self) -> str:
        return f"{self.problem} {self.cure}".strip()


class DownloadError(AllpassError, OSError):
    """A download failed or its content was not what it should be."""

    def __str__(self) -> str:
        return f"{self.problem} {self.cure}".strip()


class UnsafeFileError(DataError):
    """A file asks for code to be run or for more memory than it could honestly need."""


class DeviceError(AllpassError, RuntimeError):
    """A device does nothing more for this process; for another one it may."""


class MissingExtraError(AllpassError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, purpose: str, extra: str | None = None) -> None:
        self._parts = package, purpose, extra
        install = f"pip install 'allpass[{extra}]'" if extra else f"pip install {package}"
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed.", f"Run: {install}"
        )

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[Any, ...]]:
        return MissingExtraError, self._parts


def _printable(sentence: str) -> str:
    """A sentence without control characters, in which a word of hundreds of characters is cut."""
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in sentence)
    return re.sub(rf"\S{{{LONGEST},}}", lambda found: f"{found[0][:60]}...{found[0][-20:]}", plain)


LONGEST = 160
"""Characters of a word that is shown whole: a path may be long."""

LISTED = 160
"""Characters that the names in an error take at most."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence that suggests near matches of ``name``, or lists all known names when there are none.

    Case and separators do not count for what is near; names are shown as they are written.
    """
    choices: dict[str, list[str]] = {}
    for choice in sorted(set(known), key=lambda choice: (_folded(choice), choice)):
        choices.setdefault(_folded(choice), []).append(choice)
    near = difflib.get_close_matches(_folded(name), choices, n=3, cutoff=0.6)
    if near:
        return "Did you mean " + " or ".join(repr(choice) for key in near for choice in choices[key]) + "?"
    return _known([choice for key in choices for choice in choices[key]])


def _known(names: list[str]) -> str:
    """The names, as many as a sentence holds."""
    shown: list[str] = []
    room = LISTED
    for name in names:
        room -= len(name) + 2
        if room < 0:
            return f"Known names: {', '.join(shown)} and {len(names) - len(shown)} more."
        shown.append(name)
    return f"Known names: {', '.join(shown)}."


def _folded(name: str) -> str:
    return name.lower().replace("_", "-").replace(" ", "-")
