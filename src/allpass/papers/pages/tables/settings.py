"""How the runs of a table are made, and the settings of its numbers in a short form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from allpass.data import SPLITS
from allpass.data.draft import many
from allpass.papers.pages.page import Block, Heading, Table, Text, listed
from allpass.papers.pages.tables.cells import Results
from allpass.papers.study import Row
from allpass.papers.tables.cell import Cell, Column
from allpass.papers.tables.protocol import Protocol
from allpass.papers.tables.spec import Spec
from allpass.train.rules.selection import SELECTION
from allpass.train.rules.stopping import STOPPING
from allpass.train.scaling import SCALINGS

LEGEND = "lr is the learning rate, wd the weight decay (wd:NAME of a part); what is not named has our default"
_FIRST = ("lr", "weight_decay", "dropout")
_DEFAULTS = "our defaults"
_UNLABELLED = {
    "missing": "stay in the graph, and are in no split",
    "zero": "count as class 0",
    "drop": "are removed",
}
_HEADER = ("row (what it fixes)", "columns", "settings", "what it changes of how runs are made")
_READING = (
    f"In the tables, {LEGEND}; “no” stands before what is off. A line is of all columns that have the same; what a row "
    "fixes for all of them stands behind its name in its first line. In the last column splits and stop are names of "
    "rules, and count is the number of splits."
)


def short(settings: Mapping[str, Any]) -> str:
    """Settings in few characters, those of the optimiser first; empty where there are none.

    Args:
        settings: Values by their names.

    Example:
        >>> short({"hidden_channels": 64, "layer_norm": False, "weight_decay": 5e-05, "lr": 0.01})
        'lr 0.01, wd 5e-05, hidden_channels 64, no layer_norm'
    """
    names = [
        *(name for name in _FIRST if name in settings),
        *(name for name in settings if name not in _FIRST),
    ]
    return ", ".join(_word(name.replace("weight_decay", "wd"), settings[name]) for name in names)


def settings_of(row: Row) -> str:
    """All settings of a row, in short.

    Args:
        row: Of a table.
    """
    return short(json.loads(str(row["settings"]))) or _DEFAULTS


def settings(results: Results) -> tuple[Block, ...]:
    """How runs are made; the settings of the published numbers, and those of the honest ones.

    Args:
        results: The rows of the table.
    """
    spec = results.spec
    published = f"Published settings{', or our defaults where there are none' if spec.defaults else ''}"
    ours = "Those of ours by the same protocol" + (
        f" and on {results.other_splits}" if "fresh" in results.kinds else ""
    )
    tables = {
        f"{published}. {ours}.": _lines(spec, _published(spec)),
        "Settings of honest numbers: those that the search chose.": _lines(spec, _honest(results)),
    }
    return (
        Heading("Settings"),
        Text("How runs are made:"),
        listed(list(_made(spec))),
        Text(_READING),
        *(Table(caption, _HEADER, lines) for caption, lines in tables.items() if lines),
    )


def _made(spec: Spec) -> Iterator[str]:
    """The protocol of the first column, what other columns change of it, and the search."""
    first = spec.columns[0]
    protocol = first.protocol
    rule, stop = SPLITS[protocol.splits["name"]], STOPPING[protocol.stop["name"]]
    yield f"Splits: {rule.name} ({short({**rule.options, **_options(protocol.splits)})}). {rule.summary}"
    yield f"Optimiser: {protocol.optimizer}."
    yield f"End of a run: {stop.name} ({short({**stop.options, **_options(protocol.stop)})}). {stop.summary}"
    yield f"What is reported: {SELECTION[protocol.select].summary}"
    yield f"Features: {SCALINGS[protocol.scaling]}"
    yield f"Nodes without a label, where there are some: they {_UNLABELLED[protocol.unlabelled]}."
    yield f"Edges {'are made to go both ways' if protocol.undirected else 'go as they are given'}."
    others = _columns((column, _changed(protocol, column.protocol)) for column in spec.columns)
    if others:
        yield f"So it is for {first.name}; other columns change: {others}."
    corrected = _columns((one, _changed(one.protocol, one.honest.protocol)) for one in spec.columns)
    if corrected:
        yield f"Honest numbers on corrected data change: {corrected}."
    drawn = sorted({str(cell.drawn["name"]) for cell in spec.cells if cell.drawn is not None})
    if drawn:
        yield f"Rows with splits of {', '.join(drawn)} have those that the source drew for their very settings."
    yield _searched(spec)


def _searched(spec: Spec) -> str:
    """How honest settings are chosen."""
    honest, planned = spec.honest, int(spec.columns[0].protocol.splits["count"])
    tried = f"Honest settings: at most {many(honest.trials, 'setting')} of a row are tried"
    searched = many(honest.splits or planned, "split")
    if honest.choose == "others":
        columns = f" ({', '.join(honest.columns)})" if honest.columns else ""
        return (
            f"{tried}; the one with the best mean score on the validation nodes of other graphs{columns}, over "
            f"{searched} of each, is reported on {many(planned, 'split')}, none of which chose."
        )
    told = (
        f"on {many(honest.reported, 'split')}, those of the search first"
        if honest.reported
        else "on the same"
    )
    return (
        f"{tried}; the one with the best mean score on validation nodes over {searched} is reported {told}."
    )


def _published(spec: Spec) -> Iterator[tuple[Cell, str, str]]:
    """Every cell with a number by the same settings: these, and what it changes of the protocol of its column."""
    cells = {(cell.row, cell.column.name): cell for cell in spec.cells}
    for cell in spec.cells:
        if not cell.model or (cell.settings is None and not spec.defaults):
            continue
        tuned, other = _tuned(cell, cell.settings or {}), cells.get((cell.against, cell.column.name))
        shared = other is not None and other.settings is not None and _tuned(other, other.settings) == tuned
        changes = dict(cell.changes)
        if cell.drawn is not None:  # the place in the stream follows from the settings
            changes["splits"] = {name: value for name, value in cell.drawn.items() if name != "skip"}
        yield cell, f"those of {cell.against}" if shared else short(tuned), short(_flat(changes))


def _honest(results: Results) -> Iterator[tuple[Cell, str, str]]:
    """Every cell with an honest number, likewise."""
    for cell in results.spec.cells:
        row = results.get(cell, "honest")
        if row is not None:
            chosen = json.loads(str(row["settings"]))
            tied = cell.tied.changes if cell.tied.holds(chosen) else {}
            yield cell, short(_tuned(cell, chosen)), short(_flat({**cell.row_changes, **tied}))


def _lines(spec: Spec, found: Iterable[tuple[Cell, str, str]]) -> tuple[tuple[str, ...], ...]:
    """A line for all columns of a row that have the same."""
    places: dict[tuple[str, str, str], list[str]] = {}
    for cell, text, changes in found:
        places.setdefault((cell.row, text or _DEFAULTS, changes), []).append(cell.column.name)
    fixed = {cell.row: f"{cell.row} ({short(cell.fixed)})" for cell in spec.cells if cell.fixed}
    return tuple(
        (
            fixed.pop(row, row),
            "all" if len(names) == len(spec.columns) > 1 else ", ".join(names),
            text,
            changes,
        )
        for (row, text, changes), names in places.items()
    )


def _tuned(cell: Cell, given: Mapping[str, Any]) -> dict[str, Any]:
    """What is set otherwise than the row has it."""
    return {
        name: value for name, value in given.items() if name not in cell.fixed or cell.fixed[name] != value
    }


def _columns(changed: Iterable[tuple[Column, str]]) -> str:
    """What columns change, once for all that change the same."""
    places: dict[str, list[str]] = {}
    for column, changes in changed:
        if changes:
            places.setdefault(changes, []).append(column.name)
    return "; ".join(f"{', '.join(names)}: {changes}" for changes, names in places.items())


def _changed(before: Protocol, after: Protocol) -> str:
    """What one protocol has otherwise than another."""
    old, new = (_flat(vars(one)) for one in (before, after))
    return short({name: value for name, value in new.items() if name not in old or old[name] != value})


def _flat(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a protocol beside those of its rules, each rule by its name."""
    found: dict[str, Any] = {}
    for name, value in changes.items():
        if isinstance(value, Mapping):
            found |= ({name: value["name"]} if "name" in value else {}) | _options(value)
        else:
            found[name] = value
    return found


def _options(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in rule.items() if name != "name"}


def _word(name: str, value: object) -> str:
    if isinstance(value, bool):
        return name if value else f"no {name}"
    if isinstance(value, list | tuple):
        return f"{name} {'+'.join(map(str, value))}"
    return f"{name} {'none' if value is None else str(value).removesuffix('.0')}"
