"""Whether numbers of the published settings agree with what was published, and what is known where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from allpass.data.draft import many
from allpass.experiments.study import Row
from allpass.experiments.tables.spec import Cell
from allpass.experiments.tables.study import Kind
from allpass.experiments.tables.verdicts import AGREES, BETTER, INCOMPARABLE, WORSE
from allpass.report.results.page import Block, Heading, Table, Text, listed
from allpass.report.results.tables.cells import (
    NOT_YET,
    Results,
    allowed,
    compared,
    data_of,
    measured,
    number,
    printed,
    signed,
    spread,
)
from allpass.report.results.tables.selection import bias_of

JUDGED: dict[Kind, str] = {"same": "", "fresh": " on new splits"}
"""The numbers that are held against the published ones, and how they are told."""


_ON_BOTH: tuple[tuple[Kind, Kind, bool], ...] = (
    ("same", "fresh", False),
    ("fresh", "same", False),
    ("fresh", "same", True),
)


def accepted(cell: Cell, row: Row, *, as_many: bool = False) -> bool | None:
    """Whether a cell agrees with or exceeds the published mean within two standard errors, or the authors' own code.

    Args:
        cell: What was printed.
        row: Ours with the same settings.
        as_many: Grant ours the error of as many runs as the printed mean is of.

    Returns:
        Nothing where there is nothing to compare with.
    """
    published, rerun = (row[f"{name}_verdict"] for name in ("published", "rerun"))
    if all(word in ("", INCOMPARABLE) for word in (published, rerun)):
        return None
    if as_many and published == WORSE:
        difference = number(row, "published_difference") or 0.0
        published = AGREES if difference >= -allowed(cell, row, as_many=True) else WORSE
    return published in (AGREES, BETTER) or rerun in (AGREES, BETTER)


@dataclass(frozen=True)
class Count:
    """How many cells agree.

    Args:
        agree: Those that do.
        judged: Those that can be compared.
        waiting: Those that could be, and are not run yet.
        differences: Ours minus the published mean, in points, of those that can be compared with it.
    """

    agree: int = 0
    judged: int = 0
    waiting: int = 0
    differences: tuple[float, ...] = ()

    def __add__(self, other: Count) -> Count:
        return Count(
            self.agree + other.agree,
            self.judged + other.judged,
            self.waiting + other.waiting,
            self.differences + other.differences,
        )

    def said(self, name: str) -> str:
        """As a sentence; empty where there is nothing to count.

        Args:
            name: What the cells are called.
        """
        if not self.judged and not self.waiting:
            return ""
        share = f" ({self.agree / self.judged:.0%})" if self.judged else ""
        left = f" {self.waiting} more are not run yet." if self.waiting else ""
        return (
            f"{self.agree} of {self.judged} {name}{share} agree with or exceed the published mean within two standard "
            f"errors, or agree with or exceed the authors' own code.{self.leaning()}{left}"
        )

    def leaning(self) -> str:
        """Whether ours tend to be higher or lower, as a sentence that follows another; empty where nothing is known."""
        if not self.differences:
            return ""
        lower, mean = sum(points < 0 for points in self.differences), fmean(self.differences)
        return (
            f" Ours is the lower mean in {lower} of {len(self.differences)}; on average the difference is "
            f"{signed(mean)} points."
        )


def count(
    results: Results,
    kind: Kind = "same",
    *,
    only: str = "",
    having: Kind | None = None,
    as_many: bool = False,
) -> Count:
    """How many cells of a table agree; rows that change one thing of another are ours, and do not count.

    Args:
        results: The rows of the table.
        kind: On which splits.
        only: What the names of the rows that are counted begin with.
        having: Count those alone that have a number of this kind too.
        as_many: As of :func:`accepted`.
    """
    cells = [cell for cell in results.spec.cells if cell.searched and cell.row.startswith(only)]
    if having:
        cells = [cell for cell in cells if results.get(cell, having) is not None]
    rows = [(cell, results.get(cell, kind)) for cell in cells]
    verdicts = [accepted(cell, row, as_many=as_many) for cell, row in rows if row is not None]
    differences = [
        number(row, "published_difference")
        for _, row in rows
        if row is not None and row["published_verdict"] not in ("", INCOMPARABLE)
    ]
    waiting = sum(
        row is None and bool(cell.published or cell.rerun) and results.missing(cell, kind) == NOT_YET
        for cell, row in rows
    )
    return Count(
        verdicts.count(True),
        len(verdicts) - verdicts.count(None),
        waiting,
        tuple(points for points in differences if points is not None),
    )


def agreement(results: Results) -> tuple[Block, ...]:
    """The count that the table is judged by: over its ACM rows, and over all.

    Args:
        results: The rows of the table.
    """
    said = []
    for kind, where in JUDGED.items():
        of_acm, of_all = count(results, kind, only="ACM"), count(results, kind)
        if kind == "same" or of_all.judged:
            said += [of_acm.said(f"ACM cells{where}")] + [of_all.said(f"cells{where}")] * (of_all != of_acm)
    lines = [line for line in (*said, paired_with_fresh([results])) if line]
    if not lines:
        return ()
    heading = Heading("Same protocol, same settings: do the numbers agree?")
    return (
        heading,
        listed(lines),
        Text(
            "Where another mean is printed beside the settings, that is the published one. Were the published means "
            "fair ones, chance alone would leave about 3% of the cells more than two standard errors below; fewer on "
            "the splits of the source, where both means rise and fall together."
        ),
    )


def paired_with_fresh(tables: Sequence[Results]) -> str:
    """What the splits of the source are worth: the same ACM cells on them and on others; empty where none are both.

    Args:
        tables: The rows of some tables.
    """
    same, fresh, fresh_alike = (
        sum((count(table, kind, only="ACM", having=other, as_many=as_many) for table in tables), Count())
        for kind, other, as_many in _ON_BOTH
    )
    if not fresh.judged:
        return ""
    return (
        f"Of {same.judged} ACM means that were run on both, {same.agree} agree on the splits by which the source chose "
        f"its settings, and {fresh.agree} on new ones ({fresh_alike.agree} if these are granted the error of as few "
        "splits as the source has)."
    )


def finding(results: Results) -> tuple[str, ...]:
    """The same in a sentence or two; nothing where nothing can be judged.

    Args:
        results: The rows of the table.
    """
    of_acm = count(results, only="ACM")
    if not of_acm.judged:
        return ()
    first = (
        f"At the published settings {of_acm.agree} of {of_acm.judged} ACM means agree with the source or exceed it."
        f"{of_acm.leaning()}"
    )
    return tuple(filter(None, (first, paired_with_fresh([results]))))


def below(results: Results) -> tuple[Block, ...]:
    """Every cell that does not agree, with what is known of it.

    Args:
        results: The rows of the table.
    """
    lines: list[tuple[str, ...]] = []
    for cell in results.spec.cells:
        row = results.get(cell, "same")
        if row is None or not cell.searched or accepted(cell, row) is not False:
            continue
        known = " ".join([*reasons(results, cell, row), *_unexplained(results, cell, row)])
        lines.append((f"{cell.row}, {cell.column.name}", measured(row), printed(cell), compared(row), known))
    if not lines:
        return ()
    return (
        Heading("Cells more than two standard errors below"),
        Table(
            "Every cell below the published mean by more than two standard errors that is also below the authors' own "
            "code, where that was run again. “No reason is known”: more is missing than two standard errors and what "
            "it is worth to choose settings on test nodes, which was measured on corrected data where there are such; "
            "and neither a note nor a change of the network explains it.",
            ("cell", "ours, same settings", "published", "difference", "what is known of it"),
            tuple(lines),
        ),
    )


def _unexplained(results: Results, cell: Cell, row: Row) -> tuple[str, ...]:
    """Where more is missing than a choice on test nodes is worth in the mean, and no change is a reason."""
    if _mended(results, cell):
        return ()
    missing = -(number(row, "published_difference") or 0.0) - allowed(cell, row)
    bias = bias_of(results, cell.column)
    if cell.incomparable or (bias is not None and missing <= bias.mean):
        return ()
    return ("No reason is known that explains it.",)


def _mended(results: Results, cell: Cell) -> list[str]:
    """The rows of ours that change this one and agree with what was printed of it."""
    changed = [
        other for other in results.spec.cells if (other.against, other.column) == (cell.row, cell.column)
    ]
    rows = [(other, results.get(other, "same")) for other in changed if not other.searched]
    return [other.row for other, row in rows if row is not None and accepted(other, row)]


def reasons(results: Results, cell: Cell, row: Row) -> list[str]:
    """What rows and spec tell of a number that is not as published, a sentence each.

    Args:
        results: The rows of the table.
        cell: What was printed.
        row: Ours with the same settings.
    """
    found = [text for text in (cell.incomparable, cell.note) if text]
    if row["rerun"] is not None:
        found.append(
            f"The authors' own code gives {spread(cell.rerun)}; ours minus that: {compared(row, 'rerun')}."
        )
    if row["diverged"]:
        found.append(f"{row['diverged']} of {row['runs']} runs diverged.")
    fresh = results.get(cell, "fresh")
    if fresh is not None:
        found.append(f"On fresh splits: {measured(fresh)}.")
    found += [f"“{name}” agrees with it." for name in _mended(results, cell)]
    honest = results.get(cell, "honest")
    if honest is not None:
        found.append(f"Honest: {measured(honest)} on {data_of(cell.column)}.")
    bias = bias_of(results, cell.column)
    if bias is not None:
        found.append(
            f"Settings chosen on test nodes lift means on {bias.dataset} by {bias.mean:.2f} points "
            f"({bias.low:.2f} to {bias.high:.2f}, {many(bias.models, 'model')})."
        )
    return found
