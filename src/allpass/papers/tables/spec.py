"""A published table as a file: rows are models, columns datasets, a cell what was printed and how it is run.

``[protocol]`` says how all runs are made; a column, a row and a cell may each change some of it. A row has the settings
that make its model what it is, a cell adds those that were tuned::

    [columns]
    Texas = { dataset = "texas", corrected = { dataset = "texas-4", protocol = { unlabelled = "missing" } } }

    [rows.ACM-GCN]
    model = "acm-gcn"
    settings = { hidden_channels = 64 }
    [rows.ACM-GCN.cells]
    Texas = { published = [94.92, 2.88], settings = { lr = 0.05, weight_decay = 0.01, dropout = 0.6 } }

A variant changes one thing of a row. Without cells of its own it has all cells of that row with settings::

    [variants."Factor 1".ACM-GCN]
    model = "acm-gcn"
    settings = { hidden_channels = 64, scale = 1.0 }

In ``ablation`` every row is a variant: of a network, with some of its channels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from allpass.papers.specs import read_spec
from allpass.papers.study import Words
from allpass.papers.tables.protocol import Protocol, Tie
from allpass.papers.tables.result import KINDS, Kind, joined
from allpass.papers.tables.tuning import Tuning
from allpass.papers.tables.verdicts import Spread

TABLES = ("table1", "acm-random", "acm-fixed", "acm-deezer", "ablation")
"""The IDs of all tables."""

_PRINTED = ("runs", "interval")
_SHARED = ("published", "beside", "settings", "protocol", *_PRINTED)
"""What a variant takes of the cells of its row."""


@dataclass(frozen=True)
class Column:
    """A dataset of a table.

    Args:
        name: As it is printed.
        dataset: A name of ``allpass.data.DATASETS``.
        protocol: How its runs are made.
        corrected: The column of tuned numbers, where the data have a known defect.
        score: What is reported in place of accuracy; or empty.
    """

    name: str
    dataset: str
    protocol: Protocol
    corrected: Column | None = None
    score: str = ""

    @property
    def tuned(self) -> Column:
        """The column of its tuned numbers."""
        return self.corrected or self


@dataclass(frozen=True)
class Cell:
    """One number of a table.

    Args:
        variant: What it changes of its row; or empty.
        model: A name of ``allpass.models.MODELS``; empty where allpass has no such model.
        protocols: How its runs of each kind are made; no entry where there are none of that kind.
        tied: What some of the settings change that are tried.
        fixed: The settings that make the model what the row says, ``space`` what is searched for it in addition.
        settings: All settings of the printed number; None where none were published.
        defaults: Whether it is run with the defaults of our model where none were published.
        seeds: With how many other seeds it is run too.
        published: Mean and, where it was printed, deviation in percent; ``beside`` what was printed next to the
            settings, ``rerun`` the authors' own code, run again.
        runs: How many runs a printed mean is of.
        interval: Whether half of a 95% interval was printed behind ±, in place of a deviation.
        incomparable: Why the printed number cannot be compared with ours; or empty.
    """

    variant: str
    row: str
    column: Column
    model: str
    protocols: Mapping[Kind, Protocol]
    tied: Tie = field(default_factory=Tie)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    space: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] | None = None
    defaults: bool = False
    strategy: str = ""
    seeds: int = 0
    published: tuple[float, ...] = ()
    beside: tuple[float, ...] = ()
    rerun: tuple[float, ...] = ()
    runs: int = 10
    interval: bool = False
    incomparable: str = ""

    @property
    def name(self) -> str:
        """Variant and row, as ``--cells`` has them."""
        return joined(self.variant, self.row)

    @property
    def spread(self) -> Spread:
        """What stands behind ± of a printed mean."""
        return "interval" if self.interval else self.protocols["same"].deviation

    @property
    def in_source(self) -> bool:
        """Whether it is a number of the source, and no variant of ours."""
        return "tuned" in self.protocols


@dataclass(frozen=True)
class Spec:
    """A published table.

    Args:
        id: Its ID.
        words: What is said of it.
        columns: Its columns, in order.
        cells: Its numbers, row by row.
        tuning: How it tunes.
        quick: The rows and columns of a quick run; all where none is named.
    """

    id: str
    words: Words
    columns: tuple[Column, ...]
    cells: tuple[Cell, ...]
    tuning: Tuning = field(default_factory=Tuning)
    quick: tuple[str, ...] = ()

    @property
    def rows(self) -> list[str]:
        """The names of its rows and variants, in order."""
        return list(dict.fromkeys(cell.name for cell in self.cells))

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of numbers that it has."""
        return [kind for kind in KINDS if any(kind in cell.protocols for cell in self.cells)]


def read_table(name: str) -> Spec:
    """The table of an ID.

    Args:
        name: A name of ``TABLES``.

    Example:
        >>> spec = read_table("acm-random")
        >>> next(cell.published for cell in spec.cells if (cell.name, cell.column.name) == ("ACM-GCN", "Texas"))
        (94.92, 2.88)
    """
    return parse_table(name, *read_spec(name))


def parse_table(name: str, words: Words, content: Mapping[str, Any]) -> Spec:
    """The table of the entries of a file.

    Args:
        name: Its ID.
        words: What is said of it.
        content: The entries.
    """
    protocol = Protocol().changed(content["protocol"])
    columns = {title: _column(title, given, protocol) for title, given in content["columns"].items()}
    rows = {("", row): given for row, given in content["rows"].items()} if "rows" in content else {}
    for variant, of_rows in content.get("variants", {}).items():
        rows |= {(variant, row): given for row, given in of_rows.items()}
    cells = []
    for (variant, row), given in rows.items():
        base = (
            rows.get((variant, given["against"]) if "against" in given else ("", row), {}) if variant else {}
        )
        ours = bool(base) and "against" not in given  # a variant of a number of the source
        shared = {"runs": content.get("runs", 10), "defaults": content.get("defaults", False)}
        of_row = {**shared, "searched": not ours, **given}
        for place, of_cell in _numbers(given, base).items():
            again = content.get("seeds", {"cells": ()})
            seeds = again["count"] if f"{joined(variant, row)}/{place}" in again["cells"] else 0
            drawn = _drawn(content.get("drawn", {}), of_row.get("drawn"), of_cell.get("drawn"))
            cells.append(_cell(variant, row, columns[place], of_row, of_cell, drawn, seeds))
    return Spec(
        name,
        words,
        tuple(columns.values()),
        tuple(cells),
        Tuning(**content.get("tuned", {})),
        tuple(content.get("quick", ())),
    )


def _numbers(row: Mapping[str, Any], base: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """The cells of a row: its own, or those that it shares with the row that it changes."""
    own = row.get("cells")
    if isinstance(own, Mapping):
        return own
    theirs = base["cells"]
    places = own or [place for place, cell in theirs.items() if "settings" in cell]
    of_row = {key: base[key] for key in _PRINTED if key in base}
    return {
        place: of_row | {key: theirs[place][key] for key in _SHARED if key in theirs[place]}
        for place in places
    }


def _column(title: str, given: Mapping[str, Any], protocol: Protocol) -> Column:
    protocol = protocol.changed(given.get("protocol", {}))
    corrected = _column(title, given["corrected"], protocol) if "corrected" in given else None
    return Column(title, given["dataset"], protocol, corrected, given.get("score", ""))


def _drawn(table: Mapping[str, Any], of_row: Any, of_cell: Any) -> Mapping[str, Any] | None:
    """The splits that the search of the source drew, and its loops; None where they are not known."""
    changed = of_row if of_cell is None else of_cell
    if not changed:
        return None
    if changed is True:
        return table
    return {
        "splits": {**table["splits"], **changed.get("splits", {})},
        "order": {**table["order"], **changed.get("order", {})},
    }


def splits_of(drawn: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """The splits that settings had in the search of the source, whose every setting takes the next ones of a stream.

    Args:
        drawn: The rule of the splits, and the values of each setting in the order of the loops.
        settings: The settings.

    Example:
        >>> loops = {"lr": [0.1, 0.2], "dropout": [0.0, 0.5, 0.9]}
        >>> splits_of({"splits": {"name": "acm-search", "count": 10}, "order": loops}, {"lr": 0.2, "dropout": 0.5})
        {'name': 'acm-search', 'count': 10, 'skip': 40}
    """
    position = 0
    for name, values in drawn["order"].items():
        if settings.get(name) not in values:
            return None
        position = position * len(values) + values.index(settings[name])
    return {**drawn["splits"], "skip": position * drawn["splits"]["count"]}


def _cell(
    variant: str,
    row: str,
    column: Column,
    of_row: Mapping[str, Any],
    of_cell: Mapping[str, Any],
    drawn: Mapping[str, Any] | None,
    seeds: int,
) -> Cell:
    both = {**of_row, **of_cell}
    fixed = of_row.get("settings", {})
    settings = {**fixed, **of_cell["settings"]} if "settings" in of_cell else None
    splits = splits_of(drawn, settings) if drawn and settings is not None else None
    ours = column.protocol.changed({**of_row.get("protocol", {}), **of_cell.get("protocol", {})})
    protocols: dict[Kind, Protocol] = {"same": ours.changed({"splits": splits}) if splits else ours}
    if seeds:
        protocols["seeds"] = protocols["same"]
    if of_row["searched"]:
        protocols["tuned"] = column.tuned.protocol.changed(of_row.get("protocol", {}))
        if splits or both.get("fresh"):
            protocols["fresh"] = ours.changed(both.get("fresh", {}))
    return Cell(
        variant=variant,
        row=row,
        column=column,
        model=of_row.get("model", ""),
        protocols=protocols,
        tied=Tie.read(of_row.get("tuned", {})),
        fixed=fixed,
        space=of_row.get("space", {}),
        settings=settings,
        defaults=both["defaults"],
        strategy=of_row.get("strategy", ""),
        seeds=seeds,
        published=tuple(of_cell.get("published", ())),
        beside=tuple(of_cell.get("beside", ())),
        rerun=tuple(of_cell.get("rerun", ())),
        runs=both["runs"],
        interval=both.get("interval", False),
        incomparable=both.get("incomparable", ""),
    )
