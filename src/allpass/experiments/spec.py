"""A published table as a file: rows are models, columns datasets, each cell what was printed and how it was made.

A spec is written in TOML. Its protocol holds the options of :func:`allpass.train.fit` that all cells share; a column
may change some of them, and a cell adds the settings of its model::

    id = "acm-random"
    title = "Random splits, 60/20/20"
    source = "arXiv:2210.07606, Table 2"

    [protocol]
    splits = { rule = "random", count = 10 }
    stop = { rule = "gprgnn", max_epochs = 5000 }
    select = "lowest-val-loss"
    optimizer = "adam"
    scaling = "rows"
    deviation = "population"

    [columns.Texas]
    dataset = "texas"

    [rows.ACM-GCN]
    model = "acm-gcn"
    cells.Texas = { published = [94.92, 2.88], settings = { lr = 0.05, weight_decay = 1e-4, dropout = 0.3 } }
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from allpass.data import DATASETS, SPLITS
from allpass.errors import InputError, did_you_mean
from allpass.models.catalog import resolve
from allpass.train.job import TRAINING
from allpass.train.optimizers import OPTIMIZERS
from allpass.train.scaling import SCALINGS
from allpass.train.selection import SELECTION
from allpass.train.stopping import StoppingRule, stopping

_FOLDER = resources.files("allpass.experiments") / "specs"
_DEVIATIONS = ("population", "sample")


@dataclass(frozen=True)
class Protocol:
    """How the runs of a table are made.

    Args:
        splits: The rule that divides the nodes, ``{"rule": name, "count": number, ...}`` with the rule's own options.
        stop: The rule that ends a run, ``{"rule": name, ...}`` with its options.
        select: Which epoch is reported, a name of ``SELECTION``.
        optimizer: A name of ``OPTIMIZERS``.
        scaling: How features are scaled, a name of ``SCALINGS``.
        undirected: Whether edges are made to go both ways first.
        deviation: What stands after the plus-minus sign: ``"population"`` (divided by n) or ``"sample"`` (by n - 1).
    """

    splits: Mapping[str, Any] = field(default_factory=lambda: {"rule": "random", "count": 10})
    stop: Mapping[str, Any] = field(default_factory=lambda: {"rule": "gprgnn", "max_epochs": 5000})
    select: str = "lowest-val-loss"
    optimizer: str = "adam"
    scaling: str = "rows"
    undirected: bool = True
    deviation: str = "population"

    def stopping(self) -> StoppingRule:
        """The rule that ends a run."""
        options = dict(self.stop)
        return stopping(options.pop("rule"), **options)


@dataclass(frozen=True)
class Column:
    """A dataset of a table.

    Args:
        name: As it is printed.
        dataset: A name of ``allpass.data.DATASETS``.
        protocol: How its runs are made.
        corrected: The dataset of the honest column, where this one has a known defect.
        note: What a reader has to know.
    """

    name: str
    dataset: str
    protocol: Protocol
    corrected: str = ""
    note: str = ""


@dataclass(frozen=True)
class Cell:
    """One number of a table.

    Args:
        row: The model as it is printed.
        column: Where it stands.
        model: A name of ``allpass.models.MODELS``; empty where allpass has no such model and the number is only shown.
        published: Mean, and deviation where one was printed, in percent.
        settings: The settings that made it; nothing where none were published.
        rerun: Mean and deviation of the authors' own code, run again.
        table: Where it was printed, if not in the source of the whole table.
        note: What a reader has to know.
    """

    row: str
    column: Column
    model: str
    published: tuple[float, ...] = ()
    settings: Mapping[str, Any] | None = None
    rerun: tuple[float, ...] = ()
    table: str = ""
    note: str = ""


@dataclass(frozen=True)
class Spec:
    """A published table.

    Args:
        id: Its name on the command line.
        title: What it shows.
        source: Where it was published.
        cells: Its numbers, row by row.
        notes: What differs from the source, and why.
    """

    id: str
    title: str
    source: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()


def read_spec(name: str) -> Spec:
    """The spec of a name of ``SPECS``, checked: every model, dataset, setting and option in it exists.

    Args:
        name: The name, as on the command line.
    """
    if name not in SPECS:
        raise InputError(f"There is no experiment {name!r}.", did_you_mean(name, SPECS))
    return parse_spec(SPECS[name].read_text(encoding="utf-8"), name)


def parse_spec(text: str, name: str) -> Spec:
    """The spec in a TOML text; ``name`` is for messages."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"The spec {name!r} is no TOML: {error}.") from error
    _known(content, ("id", "title", "source", "notes", "protocol", "columns", "rows"), name)
    shared = content.get("protocol", {})
    columns = {
        title: _column(title, column, shared, f"{name}, column {title}")
        for title, column in content["columns"].items()
    }
    cells = tuple(
        _cell(row, columns, title, cell, f"{name}, {title}, {row_name}")
        for row_name, row in ((key, {"row": key, **value}) for key, value in content["rows"].items())
        for title, cell in row.get("cells", {}).items()
    )
    return Spec(content["id"], content["title"], content["source"], cells, tuple(content.get("notes", ())))


def _column(title: str, given: Mapping[str, Any], shared: Mapping[str, Any], where: str) -> Column:
    _known(given, ("dataset", "corrected", "note", "protocol"), where)
    for dataset in filter(None, (given["dataset"], given.get("corrected"))):
        if dataset not in DATASETS:
            raise InputError(
                f"{where}: there is no dataset {dataset!r}.",
                did_you_mean(dataset, [entry.name for entry in DATASETS]),
            )
    options = {**shared, **given.get("protocol", {})}
    _known(options, [part.name for part in fields(Protocol)], where)
    protocol = Protocol(**options)
    _check_protocol(protocol, where)
    return Column(title, given["dataset"], protocol, given.get("corrected", ""), given.get("note", ""))


def _check_protocol(protocol: Protocol, where: str) -> None:
    known = {
        "select": ([entry.name for entry in SELECTION], protocol.select),
        "optimizer": ([entry.name for entry in OPTIMIZERS], protocol.optimizer),
        "scaling": (list(SCALINGS), protocol.scaling),
        "deviation": (list(_DEVIATIONS), protocol.deviation),
        "splits.rule": ([entry.name for entry in SPLITS], protocol.splits["rule"]),
    }
    for option, (names, chosen) in known.items():
        if chosen not in names:
            raise InputError(f"{where}: {option} is {chosen!r}.", did_you_mean(chosen, names))
    _known(protocol.splits, ("rule", "count", *SPLITS[protocol.splits["rule"]].options), f"{where}, splits")
    protocol.stopping()


def _cell(
    row: Mapping[str, Any], columns: Mapping[str, Column], title: str, given: Mapping[str, Any], where: str
) -> Cell:
    _known(row, ("row", "model", "note", "settings", "cells"), where)
    _known(given, ("published", "settings", "rerun", "table", "note"), where)
    if title not in columns:
        raise InputError(f"{where}: there is no column {title!r}.", did_you_mean(title, columns))
    model, settings = row.get("model", ""), given.get("settings")
    if settings is not None:
        settings = {**row.get("settings", {}), **settings}
        _known(settings, (*resolve(model)[0].settings, *_rates(settings)), where)
    return Cell(
        row["row"],
        columns[title],
        model,
        tuple(given.get("published", ())),
        settings,
        tuple(given.get("rerun", ())),
        given.get("table", ""),
        " ".join(filter(None, (row.get("note"), given.get("note")))),
    )


def _rates(settings: Mapping[str, Any]) -> list[str]:
    return [name for name in settings if name.split(":")[0] in TRAINING]


def _known(given: Mapping[str, Any], known: Any, where: str) -> None:
    for key in given:
        if key not in known:
            raise InputError(f"{where}: there is no entry {key!r}.", did_you_mean(key, list(known)))


def _found() -> dict[str, Traversable]:
    files = sorted(_FOLDER.iterdir(), key=lambda file: file.name) if _FOLDER.is_dir() else []
    return {file.name.removesuffix(".toml"): file for file in files if file.name.endswith(".toml")}


SPECS = _found()
"""The files of all specs by name."""
