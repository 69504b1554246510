"""Hostile and damaged inputs of the command line, each of which follows from its number alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from tests.fuzz import arrays, bytewise, kept, markup, options, tables


@dataclass(frozen=True)
class Case:
    """What to run.

    Args:
        kind: What was damaged.
        words: The words of the command line, in the folder of the case.
        check: What is to hold of what is read; run instead of the words in a forked process.
    """

    kind: str
    words: list[str]
    check: Callable[[], None] | None = None


def prepare(number: int, place: Path, originals: Path) -> Case:
    """Write the files of a case into its folder."""
    rng, kinds = Random(number), list(KINDS)
    kind = kinds[number % len(kinds)]
    if kind in ("table", "table again"):
        drawn = tables.drawn(rng)
        suffix = tables.write(drawn, place, rng)
        words = ["--edges", f"edges{suffix}", "--nodes", f"nodes{suffix}", "--label", "label", "--id", "id"]
        return Case(kind, ["diagnose", *words, "--no-verdict"], partial(tables.check, place, suffix, drawn))
    return Case(kind, KINDS[kind](rng, place, originals))


KINDS: dict[str, Callable[[Random, Path, Path], list[str]]] = {
    "table": lambda rng, place, originals: [],
    "table bytes": bytewise.tables,
    "npz bytes": bytewise.file("g.npz"),
    "npz arrays": arrays.npz,
    "npz archive": arrays.archive,
    "graphml": markup.graphml,
    "parquet": arrays.parquet,
    "table again": lambda rng, place, originals: [],
    "checkpoint bytes": bytewise.checkpoint,
    "card": kept.card,
    "weights": kept.weights,
    "options": options.options,
    "store bytes": bytewise.store,
    "store values": kept.store,
    "mat": lambda *given: (arrays.mat if given[0].random() < 0.6 else bytewise.file("g.mat", "A.mat"))(
        *given
    ),
    "graphml bytes": bytewise.file("g.graphml"),
}
"""What is damaged, in turns."""
