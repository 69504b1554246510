"""The file of a study, and the parts of a study that a plan names."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from importlib import resources
from typing import Any

from allpass.errors import InputError
from allpass.papers.checks import at, check_keys
from allpass.papers.study import Plan

_HEAD = ("id", "title", "source", "notes")


def read_text(name: str) -> str:
    """The file of the study with this ID, as it is."""
    return (resources.files("allpass.papers") / "specs" / f"{name}.toml").read_text(encoding="utf-8")


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """What stands in a file; ``name`` is the ID of the study, for the message about a text that is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"The spec {name!r} is no TOML: {error}.", "Correct the file.") from error


def parse_content(text: str, name: str, entries: Collection[str]) -> dict[str, Any]:
    """What stands in the file of a study that is no table: what every study says of itself, and all of its own entries.

    Args:
        text: The file, in TOML.
        name: The ID of the study, for messages.
        entries: The names of its own entries; all are needed, and no other is known.

    Example:
        >>> parse_content(read_text("examples"), "examples", ["graphs"])["id"]
        'examples'
    """
    content = parse_toml(text, name)
    with at(name):
        check_keys(content, (), needed=(*_HEAD, *entries))
    return {**content, "notes": tuple(content["notes"])}


def named(
    plan: Plan,
    study: str,
    axes: Mapping[str, Sequence[str]],
    quick: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, list[str]]:
    """The names of each axis that a plan asks for: those it names, or all where it names none of that axis.

    Args:
        plan: How much is asked for; its cells are names of any axis, in any case.
        study: The ID of the study, for the message about a cell that does not exist.
        axes: All names, by axis.
        quick: What stands for all of an axis in a quick plan.

    Example:
        >>> named(Plan(cells=("GCN",)), "rank", {"network": ["gcn", "krylov"], "activation": ["relu", "tanh"]})
        {'network': ['gcn'], 'activation': ['relu', 'tanh']}
    """
    wanted = {cell.lower() for cell in plan.cells}
    plan.check(study, [name for names in axes.values() for name in names])
    usual = {**axes, **(quick or {})} if plan.quick else axes
    return {
        axis: [name for name in names if name.lower() in wanted] or list(usual[axis])
        for axis, names in axes.items()
    }
