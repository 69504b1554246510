"""The page of a table of accuracies: published numbers, and ours beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from allpass.experiments.spec import Cell, Column
from allpass.experiments.study import Row, Study
from allpass.experiments.tables import KINDS, Kind
from allpass.experiments.verdicts import AGREES, BETTER, INCOMPARABLE, WORSE
from allpass.report.results.cells import (
    NOT_YET,
    Results,
    compared,
    data_of,
    measured,
    number,
    spread,
    two_errors,
    why_incomparable,
)
from allpass.report.results.head import head
from allpass.report.results.page import Block, Heading, Page, Table, Text, Value
from allpass.report.results.shades import shaded

MARKS = {AGREES: "=", BETTER: "▲", WORSE: "▼", INCOMPARABLE: "○"}
OF_RERUN = "≈"
"""The mark of a cell below the published mean that agrees with the authors' own code."""

_HEADER = (
    "row",
    "published",
    "authors' code, rerun",
    "ours, same settings",
    "difference to published; to the rerun",
    "ours, honest",
    "honest minus published",
)
_TITLES: dict[Kind, str] = {
    "same": "Ours by the same protocol and settings.",
    "honest": "Ours, honest: settings chosen on validation nodes alone, disjoint splits, corrected data.",
}
_LEGEND = (
    f"{MARKS[AGREES]} agrees with the published mean (95% interval of the difference), {MARKS[BETTER]} better, "
    f"{MARKS[WORSE]} worse, {OF_RERUN} worse than published and not worse than the authors' own code, "
    f"{MARKS[INCOMPARABLE]} not comparable; “not yet”: not run yet, –: nothing to run. Best of a column in bold."
)


class Bias(NamedTuple):
    """By how much choosing settings on test nodes lifts the mean of a dataset.

    Args:
        dataset: Its name.
        mean: The mean lift over models, in points.
        low: The smallest.
        high: The largest.
        models: How many models it was measured with.
    """

    dataset: str
    mean: float
    low: float
    high: float
    models: int


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of a table.

    Args:
        study: A :class:`~allpass.experiments.tables.TableStudy`.
        rows: Its rows.
    """
    results = Results(study, rows)
    return Page(
        study.title,
        (
            *head(study, rows),
            *_agreement(results),
            Heading("All cells at a glance"),
            *(_matrix(results, kind) for kind in KINDS),
            *_below(results),
            *_selection(results),
            *details(results),
            *notes(results),
        ),
    )


def details(results: Results) -> tuple[Block, ...]:
    """A table for every column with everything that is known of its cells.

    Args:
        results: The rows of the table.
    """
    blocks: list[Block] = [Heading("Column by column"), Text(_EXPLANATION)]
    for column in results.spec.columns:
        cells = [cell for cell in results.spec.cells if cell.column.name == column.name]
        shown = shaded([_first(cell.published) for cell in cells], [printed(cell) for cell in cells])
        ours = {kind: _of_kind(results, cells, kind) for kind in KINDS}
        lines: list[tuple[Value | str, ...]] = [
            (
                cell.row,
                shown[place],
                spread(cell.rerun),
                ours["same"][place],
                _both(results.get(cell, "same")),
                ours["honest"][place],
                _honestly(cell, results.get(cell, "honest")),
            )
            for place, cell in enumerate(cells)
        ]
        blocks.append(Table(_caption(column), _HEADER, tuple(lines)))
    return tuple(blocks)


def notes(results: Results) -> tuple[Block, ...]:
    """What the source leaves open, and what every row has to be told of.

    Args:
        results: The rows of the table.
    """
    spec = results.spec
    blocks: list[Block] = [Heading("What differs from the source, and why"), _list(spec.notes)]
    for title, told in (
        ("Not comparable", [(cell, cell.incomparable) for cell in spec.cells]),
        ("Of rows and cells", [(cell, cell.note) for cell in spec.cells]),
    ):
        lines = _grouped(told)
        if lines:
            blocks += [Heading(title), _list(lines)]
    return tuple(blocks)


def bias_of(results: Results, column: Column) -> Bias | None:
    """The selection bias of a column, averaged over its models; nothing where none was measured.

    Args:
        results: The rows of the table.
        column: The column.
    """
    rows = [results.get(results.cell(row, column), "honest") for row in results.spec.rows]
    lifts = [
        best - mean
        for row in rows
        if (best := number(row, "best_on_test")) is not None and (mean := number(row, "mean")) is not None
    ]
    if not lifts:
        return None
    return Bias(data_of(column), fmean(lifts), min(lifts), max(lifts), len(lifts))


def accepted(cell: Cell, row: Row) -> bool | None:
    """Whether a cell agrees with or exceeds the published mean within two standard errors, or the authors' own code.

    Args:
        cell: What was printed.
        row: Ours with the same settings.

    Returns:
        Nothing where there is nothing to compare with.
    """
    judged = [row[f"{name}_verdict"] for name in ("published", "rerun")]
    if all(word in ("", INCOMPARABLE) for word in judged):
        return None
    difference = number(row, "published_difference")
    reached = (
        judged[0] not in ("", INCOMPARABLE)
        and difference is not None
        and difference >= -two_errors(cell, row)
    )
    return reached or judged[1] in (AGREES, BETTER)


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
    honest = results.get(cell, "honest")
    if honest is not None:
        found.append(f"Honest: {measured(honest)} on {data_of(cell.column)}.")
    bias = bias_of(results, cell.column)
    if bias is not None:
        found.append(
            f"Settings chosen on test nodes lift means on {bias.dataset} by {bias.mean:.2f} points "
            f"({bias.low:.2f} to {bias.high:.2f}, {bias.models} models)."
        )
    return found


def printed(cell: Cell) -> str:
    """What was published, and what was printed beside the settings where that is another number."""
    text = spread(cell.published) or "not published"
    return f"{text} (beside its settings: {spread(cell.beside)})" if cell.beside else text


_EXPLANATION = (
    "Numbers are mean ± deviation in percent, with the deviation as the source defines it; n counts runs. Differences "
    "are ours minus theirs in points, with Welch's 95% interval; a mean that was printed without deviation counts as "
    "exact. Where the source prints another number beside the settings than in its table, ours is compared with that "
    "one, because these settings made it. Honest numbers are of the setting that is best on validation nodes among "
    "all that were tried, on corrected data where the data have a known defect: there they cannot be compared with "
    "what was published."
)


def _agreement(results: Results) -> tuple[Block, ...]:
    """The count that the table is judged by: over its ACM rows, and over all."""
    acm = [cell for cell in results.spec.cells if cell.row.startswith("ACM")]
    counted = (
        _counted(results, cells, name) for cells, name in ((acm, "ACM cells"), (results.spec.cells, "cells"))
    )
    lines = [line for line in counted if line]
    return (Heading("Same protocol, same settings: do the numbers agree?"), _list(lines)) if lines else ()


def _counted(results: Results, cells: Sequence[Cell], name: str) -> str:
    """How many of some cells agree; empty where none of them can be run."""
    rows = [(cell, results.get(cell, "same")) for cell in cells]
    verdicts = [accepted(cell, row) for cell, row in rows if row is not None]
    judged = [verdict for verdict in verdicts if verdict is not None]
    waiting = sum(row is None and results.missing(cell, "same") == NOT_YET for cell, row in rows)
    if not judged and not waiting:
        return ""
    share = f" ({sum(judged) / len(judged):.0%})" if judged else ""
    left = f" {waiting} more are not run yet." if waiting else ""
    return (
        f"{sum(judged)} of {len(judged)} {name}{share} agree with or exceed the published mean within two standard "
        f"errors, or agree with or exceed the authors' own code.{left}"
    )


def _matrix(results: Results, kind: Kind) -> Table:
    spec = results.spec
    columns = [
        shaded(
            [results.mean(results.cell(row, column), kind) for row in spec.rows],
            [_short(results, results.cell(row, column), kind) for row in spec.rows],
        )
        for column in spec.columns
    ]
    header = ("row", *(_named(column, kind) for column in spec.columns))
    lines: list[tuple[Value | str, ...]] = [
        (row, *(column[place] for column in columns)) for place, row in enumerate(spec.rows)
    ]
    return Table(f"{_TITLES[kind]} {_LEGEND}", header, tuple(lines))


def _named(column: Column, kind: Kind) -> str:
    return column.name if kind == "same" or column.corrected is None else f"{column.name} ({data_of(column)})"


def _short(results: Results, cell: Cell | None, kind: Kind) -> str:
    row = results.get(cell, kind)
    if row is None:
        return "not yet" if results.missing(cell, kind) == NOT_YET else "–"
    mean = number(row, "mean")
    return f"{'no mean' if mean is None else f'{mean:.1f}'} {_mark(row)}".strip()


def _mark(row: Row) -> str:
    word = str(row["published_verdict"])
    if word == WORSE and row["rerun_verdict"] in (AGREES, BETTER):
        return OF_RERUN
    return MARKS.get(word, "")


def _below(results: Results) -> tuple[Block, ...]:
    """Every cell that does not agree, with what is known of it."""
    lines: list[tuple[str, ...]] = []
    for cell in results.spec.cells:
        row = results.get(cell, "same")
        if row is None or accepted(cell, row) is not False:
            continue
        known = " ".join(reasons(results, cell, row)) or "No reason is known."
        lines.append((f"{cell.row}, {cell.column.name}", measured(row), printed(cell), compared(row), known))
    if not lines:
        return ()
    return (
        Heading("Cells that do not agree"),
        Table(
            "Every cell below the published mean by more than two standard errors that is also below the authors' own "
            "code, where that was run again.",
            ("cell", "ours, same settings", "published", "difference", "what is known of it"),
            tuple(lines),
        ),
    )


def _selection(results: Results) -> tuple[Block, ...]:
    biases = [(column, bias_of(results, column)) for column in results.spec.columns]
    lines = [
        (
            column.name,
            bias.dataset,
            str(bias.models),
            f"{bias.mean:.2f}",
            f"{bias.low:.2f} to {bias.high:.2f}",
        )
        for column, bias in biases
        if bias is not None
    ]
    if not lines:
        return ()
    return (
        Heading("What choosing settings on test nodes is worth"),
        Table(
            "The best mean on test nodes among the settings that were tried, minus the mean of the setting that is "
            "best on validation nodes, in points: averaged over models, and its range.",
            ("column", "data", "models", "mean lift", "range"),
            tuple(lines),
        ),
    )


def _of_kind(results: Results, cells: Sequence[Cell], kind: Kind) -> tuple[Value, ...]:
    rows = [results.get(cell, kind) for cell in cells]
    texts = [
        results.missing(cell, kind) if row is None else measured(row)
        for cell, row in zip(cells, rows, strict=True)
    ]
    return shaded([number(row, "mean") for row in rows], texts)


def _both(row: Row | None) -> str:
    if row is None:
        return ""
    rerun = compared(row, "rerun")
    return "; ".join(part for part in (compared(row), f"to the rerun {rerun}" if rerun else "") if part)


def _honestly(cell: Cell, row: Row | None) -> str:
    if row is None:
        return ""
    reason = why_incomparable(cell, row)
    return f"not comparable: {reason}" if reason else compared(row)


def _caption(column: Column) -> str:
    score = (
        "" if column.score in ("", "accuracy") else f" Shown is {column.score.replace('_', ' ')}, in percent."
    )
    honest = "" if column.corrected is None else f" Honest numbers are of {column.honest.dataset}."
    note = f" {column.note}" if column.note else ""
    return f"{column.name} ({column.dataset}).{note}{score}{honest}"


def _grouped(told: Sequence[tuple[Cell, str]]) -> list[str]:
    """What is said of cells, once for all columns of a row that it is said of."""
    size = Counter(cell.row for cell, _ in told)
    places: dict[tuple[str, str], list[str]] = {}
    for cell, text in told:
        if text:
            places.setdefault((cell.row, text), []).append(cell.column.name)
    return [
        f"{row}: {text}" if len(columns) == size[row] else f"{row} ({', '.join(columns)}): {text}"
        for (row, text), columns in places.items()
    ]


def _first(numbers: Sequence[float]) -> float | None:
    return numbers[0] if numbers else None


def _list(lines: Sequence[str]) -> Text:
    return Text("\n".join(f"- {line}" for line in lines))
