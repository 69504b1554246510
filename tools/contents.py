"""What stands in the generated blocks of the pages, by name: tables of metrics, datasets and options, API sections."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tools import blocks, learned, networks, results
from tools.blocks import table
from tools.results import InputMissingError

ROOMS = (
    "graph",
    "metrics",
    "data",
    "nn",
    "models",
    "train",
    "testing",
    "papers",
    "diagnosis",
    "report",
    "rl",
    "kge",
)
VERBS = (
    *("diagnose", "train", "predict", "compare", "sweep", "export", "reproduce"),
    *("datasets", "metrics", "models", "store list", "store merge"),
    *("embed", "complete", "rl solve", "rl basis", "rl potential", "rl transitions", "rl record"),
)


def metrics() -> str:
    """What is measured, in brief."""
    from allpass.metrics import METRICS

    return table(
        ("metric", "symbol", "range", "needs", "what it says"),
        ((f"`{m.name}`", m.symbol, _range(m), _needs(m), m.meaning) for m in METRICS),
    )


def metrics_full() -> str:
    """Every metric with its direction, cost and citation."""
    from allpass.metrics import METRICS

    return "\n\n".join(
        f"## {m.symbol} {{#{m.name}}}\n\n`{m.name}`: {m.meaning}\n\n"
        f"- Range {_range(m)}. {m.direction[0].upper()}{m.direction[1:]}.\n"
        f"- Needs {_needs(m).replace(', ', ' and ')}; time {m.cost}.\n- Defined in: {m.citation}."
        for m in METRICS
    )


def _range(metric: Any) -> str:
    ends = (f"{end:g}".replace("inf", "∞").replace("-", "−") for end in (metric.low, metric.high))
    return " to ".join(ends)


def _needs(metric: Any) -> str:
    return ", ".join(sorted(metric.needs, reverse=True))


def datasets() -> str:
    """The named datasets."""
    from allpass.data import dataset_table

    headers = ("name", "what it is", "nodes>", "edges>", "features>", "classes>", "splits")
    rows = []
    for row in dataset_table():
        counts = ("" if row[k] is None else f"{row[k]:,}" for k in ("nodes", "edges", "features", "classes"))
        name = f"`{row['name']}`" + (" ●" if row["embedded"] else "")
        rows.append((name, row["title"], *counts, row["splits"]))
    return (
        table(headers, rows)
        + "\n\n● comes with the package. Edges as stored: an undirected one counts twice."
    )


def dataset_notes() -> str:
    """Other names, defects, sources and licences of the named datasets."""
    from allpass.data import DATASETS

    lines = []
    for entry in DATASETS:
        also = f" (also {', '.join(f'`{alias}`' for alias in entry.aliases)})" if entry.aliases else ""
        notes = " ".join(entry.notes)
        lines.append(
            f"- `{entry.name}`{also}: {notes + ' ' if notes else ''}{entry.citation}. Licence: {entry.licence}."
        )
    return "\n".join(lines)


def matrices() -> str:
    """The named matrices of a graph."""
    from allpass.graph import MATRICES

    rows = ((f"`{m.name}`", m.formula, ", ".join(f"`{alias}`" for alias in m.aliases)) for m in MATRICES)
    return table(("name", "matrix", "other names"), rows)


def splits() -> str:
    """The split rules."""
    from allpass.data import SPLITS

    rows = []
    for rule in SPLITS:
        options = ", ".join(f"`{key}={value!r}`" for key, value in rule.options.items())
        rows.append(
            (f"`{rule.name}`", "drawn" if rule.drawn else "read", rule.summary, options, rule.citation)
        )
    return table(("name", "", "what it does", "options", "from"), rows)


def cli(verb: str | None = None) -> str:
    """The usage, arguments and options of the command or of one verb."""
    import typer

    from allpass.cli.main import app

    command: Any = typer.main.get_command(app)
    context = command.make_context("allpass", [], resilient_parsing=True)
    for word in () if verb is None else verb.split():
        command = command.commands[word]
        context = command.make_context(word, [], parent=context, resilient_parsing=True)
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    panels: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        argument = parameter.param_type_name == "argument"
        title = "Arguments" if argument else getattr(parameter, "rich_help_panel", None) or "Options"
        flags = parameter.name.upper() if argument else ", ".join(_flags(parameter))
        panels.setdefault(title, []).append((f"`{flags}`", parameter.help or ""))
    parts = [f"```text\n{usage}\n```", inspect.cleandoc(command.help or "")]
    if command.epilog:
        parts.append(re.sub(r"^Example: (.+)$", r"Example: `\1`", command.epilog))
    parts += [table((title, ""), rows) for title, rows in panels.items()]
    return "\n\n".join(parts)


def _flags(option: Any) -> list[str]:
    """What may be typed, the shortest first; an option that is on by itself has only the flag that turns it off."""
    written = [flag for flag in (*option.opts, *option.secondary_opts) if flag.strip()]
    return sorted(written, key=len)


def api(room: str) -> str:
    """One section a module of a room, with the names that the room exports from it; its own functions first."""
    package = importlib.import_module(f"allpass.{room}")
    tree = ast.parse(inspect.getsource(package))
    own = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"]
    found = [(room, f"allpass.{room}", own)] if own else []
    lazy = [node for part in tree.body if isinstance(part, ast.If) for node in part.body]  # if TYPE_CHECKING
    for node in (*lazy, *tree.body):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"allpass.{room}"):
            title = node.module.removeprefix(f"allpass.{room}.")
            found.append((title, node.module, [alias.name for alias in node.names]))
    return "\n\n".join(
        f"## {title}\n\n::: {module}\n    options:\n      heading_level: 3\n      members:"
        + "".join(f"\n        - {name}" for name in names)
        for title, module, names in found
    )


def data_folder() -> Path:
    """The folder of real datasets."""
    folder = Path(os.environ.get("ALLPASS_DATA", blocks.ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        raise InputMissingError("it needs the folder of datasets: set ALLPASS_DATA")
    return folder


def ties() -> str:
    """Exact ties."""
    from tools import ties as counted

    return counted.compare(data_folder())


BLOCKS: dict[str, Callable[[], str]] = {
    "metrics": metrics,
    "metrics-full": metrics_full,
    "datasets": datasets,
    "dataset-notes": dataset_notes,
    "matrices": matrices,
    "splits": splits,
    "models": networks.models,
    "models-full": networks.models_full,
    "layers": networks.layers,
    "activations": networks.activations,
    "initialisations": networks.initialisations,
    "traits": networks.traits,
    "cli-allpass": cli,
    **{f"cli-{verb.replace(' ', '-')}": partial(cli, verb) for verb in VERBS},
    **{f"api-{room}": partial(api, room) for room in ROOMS},
    **{
        f"benchmarks-{name}": partial(results.benchmark, name)
        for name in ("metrics", "spmm", "acm", "mdp", "adjacency")
    },
    **{f"benchmarks-{name}": partial(results.engine, name) for name in ("engine", "engine-cuda")},
    "benchmarks-grid": results.grid,
    "benchmarks-sweeps": results.sweeps,
    "benchmarks-verdict": results.verdict,
    "benchmarks-kge": results.triplets,
    "adjacency-options": learned.options,
    "accuracy": results.accuracy,
}
CHEAP = frozenset(BLOCKS)
"""The blocks that need nothing but the package itself and files that are kept with it."""

BLOCKS |= {"exact-ties": ties}
