"""What the splits of a source were worth: the same settings on the splits they were chosen by, and on others."""

from __future__ import annotations

import math
from statistics import fmean, stdev

from allpass.papers.pages.page import Block, Heading, Table, Text
from allpass.papers.pages.tables.cells import Results, number, signed, spread
from allpass.papers.study import Row
from allpass.papers.tables.cell import Column

_EXPLANATION = (
    "The released search draws ten new splits for every setting and publishes the setting with the best mean on test "
    "nodes: it chooses splits along with settings. Which splits a setting had follows from its place in the search, so "
    "both can be measured: the same settings on those splits, and on others that nobody chose by."
)


def luck(results: Results) -> tuple[Block, ...]:
    """What is gained on the splits that settings were chosen by; empty where these are not known.

    Args:
        results: The rows of the table.
    """
    lines = [line for column in results.spec.columns if (line := _line(results, column)) is not None]
    if not lines:
        return ()
    return (
        Heading("What the splits were worth"),
        Text(_EXPLANATION),
        *_to_the_last_digit(results),
        Table(
            "Averaged over the rows that were run on both, in points. The luck is the second less the first; ± is a "
            "standard error over the rows, taken as independent.",
            (
                "column",
                "rows",
                "published minus ours, same splits",
                "published minus ours, fresh splits",
                "luck",
            ),
            tuple(lines),
        ),
    )


def _to_the_last_digit(results: Results) -> tuple[Block, ...]:
    """Where splits decide all, as for a network that always predicts one class, the printed number comes out again."""
    found = [
        f"{cell.row} on {cell.column.name} ({spread(cell.published)})"
        for cell in results.spec.cells
        if cell.drawn is not None
        and len(cell.published) == 2
        and _digits(results.get(cell, "same")) == tuple(f"{number:.2f}" for number in cell.published)
    ]
    if not found:
        return ()
    return (Text(f"Mean and deviation are as printed, to the last digit: {', '.join(found)}."),)


def _digits(row: Row | None) -> tuple[str, ...]:
    measured = (number(row, "mean"), number(row, "deviation"))
    return tuple("" if value is None else f"{value:.2f}" for value in measured)


def _line(results: Results, column: Column) -> tuple[str, ...] | None:
    gaps: list[tuple[float, float]] = []
    for row in results.spec.rows:
        cell = results.cell(row, column)
        same, fresh = (number(results.get(cell, kind), "published_difference") for kind in ("same", "fresh"))
        if same is not None and fresh is not None:
            gaps.append((-same, -fresh))
    if not gaps:
        return None
    same, fresh = (fmean(part) for part in zip(*gaps, strict=True))
    gains = [fresh - same for same, fresh in gaps]
    error = f" ± {stdev(gains) / math.sqrt(len(gains)):.2f}" if len(gains) > 1 else ""
    return column.name, str(len(gaps)), signed(same), signed(fresh), f"{signed(fresh - same)}{error}"
