"""The page of a table of accuracies: published numbers, and ours beside them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from allpass.papers.pages.head import head, made
from allpass.papers.pages.page import Block, Heading, Page, Table, Text, Value, listed
from allpass.papers.pages.shades import shaded
from allpass.papers.pages.tables.agreement import agreement, finding
from allpass.papers.pages.tables.cells import NOT_YET, Results, comparable, number, title_of
from allpass.papers.pages.tables.changes import changes, told_changes
from allpass.papers.pages.tables.columns import details, notes
from allpass.papers.pages.tables.elsewhere import elsewhere, told_elsewhere
from allpass.papers.pages.tables.luck import luck
from allpass.papers.pages.tables.missed import below
from allpass.papers.pages.tables.readings import readings
from allpass.papers.pages.tables.selection import selection
from allpass.papers.pages.tables.settings import settings
from allpass.papers.pages.tables.sheets import sheets
from allpass.papers.pages.tables.worth import told_worth, worth
from allpass.papers.study import Row, Study
from allpass.papers.tables.asked import Kind
from allpass.papers.tables.cell import Cell, Column
from allpass.papers.tables.verdicts import AGREES, BETTER, INCOMPARABLE, WORSE

MARKS = {AGREES: "=", BETTER: "▲", WORSE: "▼", INCOMPARABLE: "○"}
OF_RERUN = "≈"
"""The mark of a cell that agrees with the authors' own code and not with what was published."""
_TITLES: dict[Kind, str] = {
    "same": "Ours by the same protocol and settings.",
    "fresh": "Ours with the same settings, on new splits: the source did not choose by them.",
    "honest": "Ours, honest: settings chosen on validation nodes alone, disjoint splits, corrected data.",
}
_NOTHING: dict[Kind, str] = {
    "same": "No settings were published",
    "fresh": "No settings were published, their splits are not known, or they change one thing of another row",
    "honest": "Not searched, as they change one thing of another row",
}
"""Why rows have no number of a kind, and will have none."""
_FREQUENT = "the most frequent class of the validation nodes"
_IDLE = "†"
_SAME_LINE = "\N{NO-BREAK SPACE}"
_LEGEND = (
    f"Means in percent, the best of a column in bold (not of variants of ours). "
    f"{MARKS[AGREES]} agrees with the published mean within two "
    f"standard errors, {MARKS[BETTER]} better, {MARKS[WORSE]} worse, {OF_RERUN} no worse than the authors' own "
    f"code, where it is worse than what was published or nothing was; {MARKS[INCOMPARABLE]} not comparable, no mark: "
    f"nothing was published. {_IDLE} no better than the most frequent class on the splits of this row; the last line "
    "is that class in the mean over rows. “Not yet”: not run yet, –: nothing to run, as no settings were published. An "
    "interval is Student's, and the wider the fewer the runs, so that it may hold 0 where more than two standard "
    "errors are missing."
)


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of a table.

    Args:
        study: A :class:`~allpass.papers.tables.study.TableStudy`.
        rows: Its rows.
    """
    results = Results(study, rows)
    return Page(
        study.title,
        (
            *head(study, rows),
            *sheets(results),
            *agreement(results),
            Heading("All cells at a glance"),
            Text(_LEGEND),
            *(block for kind in results.kinds for block in _overview(results, kind)),
            *_no_better(results),
            *worth(results),
            *elsewhere(results),
            *changes(results),
            *readings(results),
            *below(results),
            *luck(results),
            *selection(results),
            *details(results),
            *settings(results),
            *notes(results),
            *made(study, rows),
        ),
        (
            *(finding(results) or told_changes(results)),
            *told_worth([results]),
            *told_elsewhere(results),
        )
        if rows
        else (),
    )


def _overview(results: Results, kind: Kind) -> tuple[Block, ...]:
    """The numbers of a kind where they stand in the table, and the names of the rows that have none."""
    spec = results.spec
    places = [(row, column, results.cell(row, column)) for row in spec.rows for column in spec.columns]
    full = [(row, column) for row, column, cell in places if results.get(cell, kind) is not None]
    waiting = {row for row, _, cell in places if results.missing(cell, kind) == NOT_YET}
    rows = [row for row in spec.rows if row in {row for row, _ in full}]
    empty = [row for row in spec.rows if row not in rows]
    with_model = {cell.row for cell in spec.cells if cell.model}
    named = {
        "Not run yet": [row for row in empty if row in waiting],
        _NOTHING[kind]: [row for row in empty if row in with_model - waiting],
        "Networks that allpass does not have": [row for row in empty if row not in with_model],
    }
    text = " ".join(f"{what}: {'; '.join(names)}." for what, names in named.items() if names)
    if not full:
        return (Text(f"{_TITLES[kind]} {text}"),)
    columns = [column for column in spec.columns if column.name in {column.name for _, column in full}]
    return _matrix(results, kind, rows, columns), *([Text(text)] if text else [])


def _matrix(results: Results, kind: Kind, rows: Sequence[str], columns: Sequence[Column]) -> Table:
    shown = [
        shaded(
            [_scaled(results, results.cell(row, column), kind) for row in rows],
            [_short(results, results.cell(row, column), kind) for row in rows],
        )
        for column in columns
    ]
    header = ("row", *(title_of(column, kind) for column in columns))
    known = [_frequent(results, rows, column, kind) for column in columns]
    if any(known):
        rows, shown = (
            (*rows, _FREQUENT),
            [(*column, Value(text)) for column, text in zip(shown, known, strict=True)],
        )
    return Table.of_columns(_TITLES[kind], header, rows, shown)


def _scaled(results: Results, cell: Cell | None, kind: Kind) -> float | None:
    """The mean, where it may be held against the others of its column."""
    fair = cell is not None and comparable(cell, kind) and not cell.variant
    return results.mean(cell, kind) if fair else None


def _frequent(results: Results, rows: Sequence[str], column: Column, kind: Kind) -> str:
    """What a constant answer gives on the splits of a column, which may be others for every row."""
    found = [number(results.get(results.cell(row, column), kind), "majority") for row in rows]
    known = [share for share in found if share is not None]
    return f"{fmean(known):.1f}" if known else ""


def _no_better(results: Results) -> tuple[Block, ...]:
    """The numbers that a constant answer reaches: those of the source on its own splits, and ours."""
    found: dict[str, list[str]] = {}
    for cell in results.spec.cells:
        for kind in results.kinds:
            row = results.get(cell, kind)
            ours, share = number(row, "mean"), number(row, "majority")
            if ours is None or share is None:
                continue
            name = f"{cell.row} on {title_of(cell.column, kind)}"
            if ours <= share:
                found.setdefault(f"ours, {kind}", []).append(name)
            if (
                kind == "same"
                and cell.drawn is not None
                and cell.published
                and cell.published[0] <= round(share, 2)
            ):
                found.setdefault("published, on the splits of the source", []).append(name)
    if not found:
        return ()
    lines = [f"{what}: {', '.join(names)}" for what, names in sorted(found.items(), reverse=True)]
    return Text("Means that are no better than the most frequent class:"), listed(lines)


def _short(results: Results, cell: Cell | None, kind: Kind) -> str:
    row = results.get(cell, kind)
    if row is None:
        return "not yet" if results.missing(cell, kind) == NOT_YET else "–"
    mean, share = number(row, "mean"), number(row, "majority")
    idle = _IDLE if mean is not None and share is not None and mean <= share else ""
    return f"{'no mean' if mean is None else f'{mean:.1f}'}{_SAME_LINE}{_mark(row)}{idle}".strip()


def _mark(row: Row) -> str:
    word = str(row["published_verdict"])
    if word in ("", WORSE) and row["rerun_verdict"] in (AGREES, BETTER):
        return OF_RERUN
    return MARKS.get(word, "")
