"""The page of few labels as its tests read it."""

from __future__ import annotations

from allpass.papers.pages.page import Page, Table
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy

SPEC = read_spec("table1")
STUDY = TableStudy(SPEC)


def around(mean: float, runs: int = 10) -> list[float]:
    """Scores with a mean, of which half are a point above it."""
    return [mean - 1, mean + 1] * (runs // 2)


def tables(found: Page) -> list[Table]:
    """The tables of a page."""
    return [block for block in found.blocks if isinstance(block, Table)]


def starting(found: Page, start: str) -> Table:
    """The table whose caption starts so."""
    return next(table for table in tables(found) if table.caption.startswith(start))


def line(table: Table, *start: str) -> list[str]:
    """The texts of the line of a table that starts so."""
    lines = ([value.text for value in values] for values in table.values())
    return next(line for line in lines if tuple(line[: len(start)]) == start)
