"""Whether numbers of the published settings agree with what was published: counts of them, and what these say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy.stats import binomtest

from allpass.papers.pages.page import Block, Heading, Text, listed
from allpass.papers.pages.tables.accepted import accepted
from allpass.papers.pages.tables.cells import NOT_YET, Results, number, signed
from allpass.papers.pages.tables.missed import lacks_of_code, missed, reason_of
from allpass.papers.tables.asked import Kind
from allpass.papers.tables.verdicts import INCOMPARABLE

JUDGED: dict[Kind, str] = {"same": "", "fresh": " on new splits"}
"""The numbers that are held against the published ones, and how they are told."""

_LEVEL = 0.05
_ON_BOTH: tuple[tuple[Kind, Kind, bool], ...] = (
    ("same", "fresh", False),
    ("fresh", "same", False),
    ("fresh", "same", True),
)


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

    def share(self, name: str = "") -> str:
        """How many of how many, and in percent where there are some.

        Args:
            name: What the cells are called.
        """
        percent = f"({self.agree / self.judged:.0%})" if self.judged else ""
        return " ".join(filter(None, (f"{self.agree} of {self.judged}", name, percent)))

    def said(self, name: str) -> str:
        """As a sentence; empty where there is nothing to count.

        Args:
            name: What the cells are called.
        """
        if not self.judged and not self.waiting:
            return ""
        left = f" {self.waiting} more are not run yet." if self.waiting else ""
        return (
            f"{self.share(name)} agree with or exceed the published mean within two standard errors, or agree with or "
            f"exceed the authors' own code.{self.leaning()}{left}"
        )

    def leaning(self) -> str:
        """Whether ours tend to be higher or lower, as a sentence that follows another; empty where nothing is known."""
        if not self.differences:
            return ""
        lower, mean = sum(points < 0 for points in self.differences), fmean(self.differences)
        higher = sum(points > 0 for points in self.differences)
        sure = lower + higher and binomtest(lower, lower + higher).pvalue < _LEVEL
        leans = f", {'more' if lower > higher else 'less'} often than chance would have it" if sure else ""
        return (
            f" Ours is the lower mean in {lower} of {len(self.differences)}{leans}; on average the difference is "
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
    why = told_missed([results])
    said += [f"Of the ACM cells {why}."] if why else []
    lines = [line for line in (*said, told_shortfall([results]), paired_with_fresh([results])) if line]
    if not lines:
        return ()
    heading = Heading("Same protocol, same settings: do the numbers agree?")
    return (
        heading,
        listed(lines),
        Text(
            "Where another mean is printed beside the settings, that is the published one. Were the published means "
            "fair ones, chance alone would leave about 3% of the cells more than two standard errors below; far fewer "
            "on the splits of the source: there both means rise and fall together, and a standard error that takes "
            "the spread over splits for noise is too large, so that agreeing there says little of one cell. What all "
            "of them lean to says more."
        ),
    )


def told_missed(tables: Sequence[Results]) -> str:
    """How many ACM cells do not agree, and by what that may be explained, as a clause; empty where all agree.

    Args:
        tables: The rows of some tables.
    """
    found = [reason_of(table, cell, row) for table in tables for cell, row in missed(table, "ACM")]
    if not found:
        return ""
    each = [f"{word} ({number})" for word, number in Counter(filter(None, found)).most_common()]
    possible = f", for which there may be a reason: {', '.join(each)}" if each else ""
    none = f"{';' if each else ','} {found.count('')} without any reason" if "" in found else ""
    return f"{len(found)} do not agree{possible}{none}"


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


def told_shortfall(tables: Sequence[Results]) -> str:
    """By how much the authors' own code, run again, falls short of what they printed; empty where it was not run.

    Args:
        tables: The rows of some tables.
    """
    found = [
        points
        for table in tables
        for column in table.spec.columns
        for _, points in lacks_of_code(table, column)
    ]
    if not found:
        return ""
    lower = sum(points > 0 for points in found)
    return (
        f"The authors' own code, run again at its published settings, gives the lower mean too in {lower} of "
        f"{len(found)} cells; on average the difference is {signed(-fmean(found))} points."
    )


def finding(results: Results) -> tuple[str, ...]:
    """The same in a sentence or two; nothing where nothing can be judged.

    Args:
        results: The rows of the table.
    """
    of_acm = count(results, only="ACM")
    if not of_acm.judged:
        return ()
    why = told_missed([results])
    first = (
        f"At the published settings {of_acm.share('ACM means')} agree with the source or exceed it"
        f"{f'; {why}' if why else ''}.{of_acm.leaning()}"
    )
    return tuple(filter(None, (first, paired_with_fresh([results]))))
