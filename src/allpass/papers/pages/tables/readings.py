"""Rows whose labels two tables of the source exchange: how often each way of reading them agrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy.stats import binomtest

from allpass.papers.pages.page import Block, Heading, Table, Text
from allpass.papers.pages.tables.accepted import accepted
from allpass.papers.pages.tables.cells import Results, number, signed
from allpass.papers.study import Row
from allpass.papers.tables.cell import Cell

MARK = "Read as "
"""What the names of rows begin with that read another row as that of another network."""

_LEVEL = 0.05
_LIMIT = (
    "What the source meant does not follow from either: cells of one graph share its luck, and settings may suit one "
    "of the two networks better whichever they were found for."
)


@dataclass(frozen=True)
class Reading:
    """One published number, read in two ways.

    Args:
        row: The row that it stands in here.
        other: The network that it is read as otherwise.
        cell: What was printed.
        ours: Ours as it stands here, and as it is read otherwise.
    """

    row: str
    other: str
    cell: Cell
    ours: tuple[Row, Row]

    @property
    def agrees(self) -> tuple[bool, bool]:
        """Whether each of the two agrees."""
        first, second = (bool(accepted(self.cell, row)) for row in self.ours)
        return first, second

    @property
    def differences(self) -> tuple[float, float]:
        """Each of the two minus the published mean, in points."""
        first, second = (number(row, "published_difference") or 0.0 for row in self.ours)
        return first, second


def readings(results: Results) -> tuple[Block, ...]:
    """The section; nothing where no cell was run both ways.

    Args:
        results: The rows of a table.
    """
    found = _found(results)
    if not found:
        return ()
    return (
        Heading("Which way two rows are to be read"),
        Text(f"{_counted(found)} {_nearer(found)} {_LIMIT}"),
        _table(found),
    )


def _found(results: Results) -> list[Reading]:
    """The cells that were run both ways and can be compared."""
    found = []
    for cell in results.spec.cells:
        printed = results.cell(cell.against, cell.column)
        first, second = (results.get(place, "same") for place in (printed, cell))
        if cell.row.startswith(MARK) and printed is not None and first is not None and second is not None:
            other = cell.row.removeprefix(MARK).removesuffix(f": {cell.against}")
            if accepted(printed, first) is not None:
                found.append(Reading(cell.against, other, printed, (first, second)))
    return found


def _counted(found: Sequence[Reading]) -> str:
    """How often each way agrees, which is what was to decide; by a sign test of the cells that agree in one alone."""
    here, otherwise = (sum(one.agrees[way] for one in found) for way in (0, 1))
    alone = [sum(one.agrees == way for one in found) for way in ((True, False), (False, True))]
    return (
        f"The way that is right should agree more often. As they stand here {here} of {len(found)} cells agree with "
        f"what was published, read the other way {otherwise}; {alone[0]} agree only as they stand, {alone[1]} only the "
        f"other way. {_decided('This count', *alone)}"
    )


def _nearer(found: Sequence[Reading]) -> str:
    """How often each way is the nearer one."""
    gaps = [tuple(map(abs, one.differences)) for one in found]
    nearer = [sum(first < second for first, second in gaps), sum(first > second for first, second in gaps)]
    return (
        f"Ours is nearer to the published mean as they stand in {nearer[0]} of {len(found)} cells, the other way in "
        f"{nearer[1]}: a second look at the same cells. {_decided('This', *nearer)}"
    )


def _decided(what: str, here: int, otherwise: int) -> str:
    """Whether cells lean one way by more than chance."""
    if not here + otherwise:
        return f"{what} decides nothing."
    chance = float(binomtest(here, here + otherwise).pvalue)
    told = f"(were both ways as good, chance would lean as far with a probability of {chance:.2f})"
    if chance > _LEVEL:
        return f"{what} does not show which way is right {told}."
    return (
        f"{what} speaks for reading them {'as they stand' if here > otherwise else 'the other way'} {told}."
    )


def _table(found: Sequence[Reading]) -> Table:
    lines = []
    for row, other in dict.fromkeys((one.row, one.other) for one in found):
        own = [one for one in found if (one.row, one.other) == (row, other)]
        for way, name in enumerate((row, other)):
            agree = sum(one.agrees[way] for one in own)
            mean = fmean(one.differences[way] for one in own)
            lines.append((row, name, f"{agree} of {len(own)}", signed(mean)))
    return Table(
        "Each published row at its settings, with the network that the row is called here and with the one that "
        "another table of the source calls it. The difference is ours minus the published mean, in points, in the mean "
        "over the columns.",
        ("published row", "run as", "cells that agree", "mean difference"),
        tuple(lines),
    )
