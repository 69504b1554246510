"""What begins and ends every page of results: a warning before quick numbers; notes, and what made the numbers."""

from __future__ import annotations

from collections.abc import Sequence

from allpass.data.draft import many
from allpass.papers.pages.page import Block, Heading, Text, listed
from allpass.papers.study import Row, Study
from allpass.report.wording import count

_SHARED = "metric"
"""Rows of this kind share their runs."""


def is_quick(rows: Sequence[Row]) -> bool:
    """Whether rows are of a quick run, whose numbers are not to be judged.

    Args:
        rows: The rows of a study.
    """
    return any(row.get("quick") for row in rows)


def head(study: Study, rows: Sequence[Row]) -> tuple[Block, ...]:
    """What has to be said first: that rows are of a quick run, or that there are none.

    Args:
        study: What was reproduced.
        rows: Its rows.
    """
    if not rows:
        return (Text("Nothing has been run yet."),)
    if not is_quick(rows):
        return ()
    return (
        Heading("A QUICK RUN: these numbers prove nothing"),
        Text(
            "Few runs, few epochs, few settings and narrow networks: they show that every step works. Compare "
            f"none of them with anything. The true numbers come from: allpass reproduce {study.id}"
        ),
    )


def notes(study: Study, rows: Sequence[Row], *more: str) -> tuple[Block, ...]:
    """What differs from the source, and why; and what made the rows.

    Args:
        study: What was reproduced.
        rows: Its rows.
        more: What these add to the notes of the study.
    """
    return Heading("Notes"), listed((*study.notes, *more)), *made(study, rows)


def made(study: Study, rows: Sequence[Row]) -> tuple[Block, ...]:
    """The command, the source, versions, machines, dates and times.

    Args:
        study: What was reproduced.
        rows: Its rows.
    """
    lines = [
        f"Command for all of it: allpass reproduce {study.id}{' --quick' if is_quick(rows) else ''}",
        f"Source: {study.source}",
    ]
    if rows:
        runs = sum(int(row.get("runs") or 0) for row in rows if row.get("kind") != _SHARED)
        reported = f"{many(runs, 'run')} in {many(len(rows), 'row')}" if runs else many(len(rows), "row")
        versions = ", ".join(
            f"{name} {' and '.join(_different(rows, name))}" for name in ("allpass", "torch")
        )
        days = _different(rows, "ended")
        searched = " (searches of settings not counted)" if any(row.get("tried") for row in rows) else ""
        seconds = sum(float(row.get("seconds") or 0) for row in rows)
        lines += [
            f"Reported: {reported} of {study.id}.csv, {duration(seconds)} of computing{searched}",
            f"Made with: {versions}",
            f"Machines: {', '.join(map(_machine, _different(rows, 'device'))) or 'not known'}",
            f"Dates: {' to '.join(dict.fromkeys((days[0], days[-1]))) if days else 'not known'}",
        ]
    return Heading("How it was made"), listed(lines)


def duration(seconds: float) -> str:
    """A time in the unit that fits it.

    Args:
        seconds: How long.

    Example:
        >>> duration(4.21), duration(200), duration(7_500)
        ('4.2 s', '3 min 20 s', '2 h 5 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds) // 60
    if minutes < 60:
        return f"{minutes} min {round(seconds) % 60} s"
    return f"{count(minutes // 60)} h {minutes % 60} min"


def _machine(name: str) -> str:
    """A machine, with what the command has to say to use it."""
    return f"{name} (--device cuda)" if name.startswith("NVIDIA") else name


def _different(rows: Sequence[Row], name: str) -> list[str]:
    return sorted({str(row[name]) for row in rows if row.get(name)})
