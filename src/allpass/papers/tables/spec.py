"""A published table as a file: rows are models, columns datasets, each cell what was printed and how it was made.

A spec is written in TOML. Its protocol says how all runs are made; a column, a row and a cell may each change some of
it. A row has the settings that make its model what it is, a cell adds those that were tuned::

    id = "acm-random"
    title = "Random splits, nominally 60/20/20"
    source = "arXiv:2210.07606, Table 2"

    [protocol]
    splits = { name = "random", count = 10 }
    stop = { name = "gprgnn", max_epochs = 5000 }

    [columns]
    Texas = { dataset = "texas", corrected = { dataset = "texas-4", protocol = { unlabelled = "missing" } } }

    [rows.ACM-GCN]
    model = "acm-gcn"
    settings = { hidden_channels = 64 }
    [rows.ACM-GCN.cells]
    Texas = { published = [94.92, 2.88], settings = { lr = 0.05, weight_decay = 0.01, dropout = 0.6 } }

A row that changes one thing of another has the numbers and settings of that one: where it has no cells of its own, in
all columns that have settings, or in those that it lists::

    [rows."Factor 1: ACM-GCN"]
    model = "acm-gcn"
    settings = { hidden_channels = 64, scale = 1.0 }
    against = "ACM-GCN"
    searched = false
    cells = ["Texas"]

Cells that ``[again]`` names are run with other seeds too; a cell may have ``drawn`` and ``fresh`` of its own, which
else its row has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from allpass.data.arguments import whole_number
from allpass.errors import InputError
from allpass.papers.checks import at, check_keys, check_name, check_numbers, check_settings_of
from allpass.papers.content import parse_toml, read_text
from allpass.papers.tables.cell import Cell, Column
from allpass.papers.tables.drawn import Drawn
from allpass.papers.tables.elsewhere import Elsewhere
from allpass.papers.tables.honest import Honest, check_space
from allpass.papers.tables.protocol import Protocol, Tie
from allpass.train.few_labels import STRATEGIES
from allpass.train.rules.scores import SCORES

TABLES = ("table1", "acm-random", "acm-fixed", "acm-deezer", "ablation")
"""The names of all specs."""

_PRINTED = ("table", "runs", "interval")
"""What is told of printed numbers: of all, of a row, of one."""
_COLUMN = ("corrected", "score", "note", "protocol")
_ROW = (
    "model", "strategy", "settings", "space", "protocol", "honest", "searched", "drawn", "fresh", "against",
    "incomparable", "note", *_PRINTED,
)  # fmt: skip
_HEAD = (
    "table",
    "notes",
    "runs",
    "tolerance",
    "protocol",
    "drawn",
    "again",
    "honest",
    "quick",
    "defaults",
    "elsewhere",
)
_NUMBERS = ("published", "beside", "rerun")
_CELL = (*_NUMBERS, "settings", "protocol", "drawn", "fresh", "incomparable", "note", *_PRINTED)
_SHARED = ("published", "beside", "settings", "protocol", *_PRINTED)
"""What a row that changes another takes of its cells."""


@dataclass(frozen=True)
class Spec:
    """A published table.

    Args:
        id: Its name on the command line.
        title: What it shows.
        source: Where it was published.
        columns: Its columns, in order.
        cells: Its numbers, row by row.
        notes: What differs from the source, and why.
        honest: How honest numbers choose their settings.
        near: By how many points ours may be lower and still be called near what was published.
        quick: The names of the rows and columns that prove the path; of all, where no row or no column is named.
        defaults: Run cells without published settings with those that are our model's own, which follow its paper.
        elsewhere: What others report on the same graphs.
    """

    id: str
    title: str
    source: str
    columns: tuple[Column, ...]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()
    honest: Honest = field(default_factory=Honest)
    near: float = 0.0
    quick: tuple[str, ...] = ()
    defaults: bool = False
    elsewhere: tuple[Elsewhere, ...] = ()

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of its rows, in order."""
        return tuple(dict.fromkeys(cell.row for cell in self.cells))

    def cell(self, row: str, column: str) -> Cell:
        """The cell of a row and a column, by their names."""
        check_name("row", row, self.rows)
        found = {cell.column.name: cell for cell in self.cells if cell.row == row}
        check_name("column", column, found)
        return found[column]


def read_spec(name: str) -> Spec:
    """The spec of a name of ``TABLES``, checked: every model, dataset, setting and option in it exists.

    Args:
        name: The name, as on the command line.

    Example:
        >>> read_spec("acm-random").cell("ACM-GCN", "Texas").published
        (94.92, 2.88)
    """
    check_name("experiment", name, TABLES)
    return parse_spec(read_text(name), name)


def parse_spec(text: str, name: str) -> Spec:
    """The spec in a TOML text; ``name`` is for messages."""
    content = parse_toml(text, name)
    with at(name):
        check_keys(content, _HEAD, needed=("id", "title", "source", "columns", "rows"))
        protocol = Protocol().changed(content.get("protocol", {}))
        honest = Honest.read(content.get("honest", {}), content["columns"])
        drawn = Drawn.read(content["drawn"]) if "drawn" in content else None
        for title in content.get("quick", ()):
            check_name("row or column", title, (*content["rows"], *content["columns"]))
        _truth("defaults", content)
        elsewhere = tuple(Elsewhere.read(given, content["columns"]) for given in content.get("elsewhere", ()))
        runs = whole_number("runs", content.get("runs", 10), least=1)
        tolerance = content.get("tolerance", {})
        check_keys(tolerance, ("errors", "points"))
        for limit, value in tolerance.items():
            check_numbers(limit, [value])
    columns = {}
    for title, given in content["columns"].items():
        with at(f"{name}, column {title}"):
            columns[title] = _column(title, given, protocol)
    cells = []
    for title, row in content["rows"].items():
        with at(f"{name}, row {title}"):
            check_keys(row, (*_ROW, "cells"), needed=() if "against" in row else ("cells",))
            if "strategy" in row:
                check_name("few-label strategy", row["strategy"], STRATEGIES.names)
            check_space(row.get("space", {}))
            _truth("searched", row)
            if "against" in row:
                check_name("row", row["against"], [other for other in content["rows"] if other != title])
            numbers = _numbers(row, content["rows"])
        for place, given in numbers.items():
            with at(f"{name}, row {title}, cell {place}"):
                check_name("column", place, columns)
                cell = _cell(
                    title,
                    {"table": content.get("table", ""), "runs": runs, **row},
                    columns[place],
                    given,
                    _drawn(drawn, given.get("drawn", row.get("drawn", False))),
                )
                cells.append(replace(cell, errors=float(tolerance.get("errors", cell.errors))))
    with at(name):
        all_cells = _again(content.get("again", {}), cells)
    return Spec(
        content["id"],
        content["title"],
        content["source"],
        tuple(columns.values()),
        all_cells,
        notes=tuple(content.get("notes", ())),
        honest=honest,
        near=float(tolerance.get("points", 0.0)),
        quick=tuple(content.get("quick", ())),
        defaults=content.get("defaults", False),
        elsewhere=elsewhere,
    )


def _again(given: Mapping[str, Any], cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells, of which those that are named ``ROW/COLUMN`` are run again with so many other seeds."""
    check_keys(given, (), needed=("seeds", "cells") if given else ())
    known = {f"{cell.row}/{cell.column.name}": cell for cell in cells}
    can = [name for name, cell in known.items() if cell.settings is not None and not cell.strategy]
    for name in given.get("cells", ()):
        check_name("cell with settings", name, can)
    seeds = whole_number("seeds", given["seeds"], least=2) if given else 0
    chosen = set(given.get("cells", ()))
    return tuple(replace(cell, again=seeds) if name in chosen else cell for name, cell in known.items())


def _truth(name: str, given: Mapping[str, Any]) -> None:
    if not isinstance(given.get(name, False), bool):
        raise InputError(f"Got {name} = {given[name]!r}.", "Expected true or false.")


def _numbers(row: Mapping[str, Any], rows: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """The cells of a row: its own, or those that it shares with the row that it changes."""
    own = row.get("cells")
    if isinstance(own, Mapping):
        return own
    changed = rows[row["against"]] if "against" in row else {}
    theirs = changed.get("cells")
    if not isinstance(theirs, Mapping):
        raise InputError(
            "The row has no cells, nor is it against one that has.", "Write a table of cells for it."
        )
    settled = [place for place, cell in theirs.items() if "settings" in cell]
    places = settled if own is None else own
    for place in places:
        check_name(f"column of {row['against']} with settings", place, settled)
    of_row = {key: changed[key] for key in _PRINTED if key in changed}
    return {
        place: of_row | {key: theirs[place][key] for key in _SHARED if key in theirs[place]}
        for place in places
    }


def _column(title: str, given: Mapping[str, Any], protocol: Protocol) -> Column:
    check_keys(given, _COLUMN, needed=("dataset",))
    protocol = protocol.changed(given.get("protocol", {}))
    protocol.check_dataset(given["dataset"])
    corrected = _column(title, given["corrected"], protocol) if "corrected" in given else None
    if "score" in given:
        check_name("score", given["score"], SCORES.names)
    return Column(title, given["dataset"], protocol, corrected, given.get("score", ""), given.get("note", ""))


def _drawn(drawn: Drawn | None, of_row: Any) -> Drawn | None:
    """The splits that the source drew for a row: ``true``, or what the row changes of them; else they are not known."""
    if of_row is False:
        return None
    if drawn is None:
        raise InputError("The row has drawn splits, and the table has none.", "Write a table [drawn].")
    return drawn if of_row is True else drawn.changed(of_row)


def _cell(
    title: str,
    row: Mapping[str, Any],
    column: Column,
    given: Mapping[str, Any],
    drawn: Drawn | None,
) -> Cell:
    check_keys(given, _CELL)
    of_cell = {**row, **given}
    _truth("interval", of_cell)
    for kind in set(_NUMBERS).intersection(given):
        check_numbers(kind, given[kind])
    fixed = row.get("settings", {})
    settings = {**fixed, **given["settings"]} if "settings" in given else None
    tied = Tie.read(row.get("honest", {}))
    if "model" in row:
        check_settings_of(row["model"], fixed if settings is None else settings)
        for setting, values in row.get("space", {}).items():
            for value in values:
                check_settings_of(row["model"], {setting: value})
        check_settings_of(row["model"], tied.where)
    elif fixed or settings or "strategy" in row:
        raise InputError(
            "The row has settings or a strategy, and no model.", "Name the model, or leave them out."
        )
    cell = Cell(
        row=title,
        column=column,
        model=row.get("model", ""),
        changes={**row.get("protocol", {}), **given.get("protocol", {})},
        drawn=None if drawn is None or settings is None else drawn.of(settings),
        fresh_changes=of_cell.get("fresh", {}),
        row_changes=row.get("protocol", {}),
        tied=tied,
        searched=row.get("searched", True),
        fixed=fixed,
        space=row.get("space", {}),
        settings=settings,
        strategy=row.get("strategy", ""),
        published=tuple(given.get("published", ())),
        beside=tuple(given.get("beside", ())),
        rerun=tuple(given.get("rerun", ())),
        table=of_cell["table"],
        runs=whole_number("runs", of_cell["runs"], least=1),
        interval=of_cell.get("interval", False),
        against=row.get("against", ""),
        incomparable=of_cell.get("incomparable", ""),
        note=" ".join(part["note"] for part in (row, given) if "note" in part),
    )
    cell.protocol.check_dataset(column.dataset)
    cell.fresh_protocol.check_dataset(column.dataset)
    cell.honest_protocol.changed(cell.tied.changes).check_dataset(column.honest.dataset)
    return cell
