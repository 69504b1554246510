"""Whether a number of ours is as good as what was published."""

from __future__ import annotations

from allpass.papers.pages.tables.cells import allowed, number
from allpass.papers.study import Row
from allpass.papers.tables.cell import Cell
from allpass.papers.tables.verdicts import AGREES, BETTER, INCOMPARABLE, WORSE


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
