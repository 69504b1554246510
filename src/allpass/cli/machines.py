"""The options that say which processes or machines train, the same for every verb that uses several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from allpass.cli.groups import grouped
from allpass.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from allpass.train.executors.executor import Executor

_PANEL = "Machines"
_EXECUTORS = ("local", "ray")


def _declared(
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes on this machine; by default one per core, and one for what takes seconds or for a GPU.",
            show_default=False,
            rich_help_panel=_PANEL,
        ),
    ] = None,
    executor: Annotated[
        str, typer.Option(help="What trains: local, or a Ray cluster (ray).", rich_help_panel=_PANEL)
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(
            help="Where the head of the Ray cluster is; by default the cluster of this machine, or this machine alone.",
            show_default=False,
            rich_help_panel=_PANEL,
        ),
    ] = None,
) -> None:
    """The options of the machines; never called."""


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments ``workers`` and ``executor`` of a comparison or a sweep."""
    check_executor(given["executor"], given["address"], {"--workers": given["workers"]})
    return {
        "workers": given["workers"],
        "executor": ray(given["address"]) if given["executor"] == "ray" else None,
    }


def check_executor(name: str, address: str | None, of_machine: dict[str, object]) -> None:
    """Refuse options that do not go together.

    Args:
        name: The name of the executor.
        address: Where the head of a Ray cluster is.
        of_machine: Options for this machine alone, with what was given.
    """
    if name not in _EXECUTORS:
        raise InputError(f"There is no executor {name!r}.", did_you_mean(name, _EXECUTORS))
    for option, given in of_machine.items():
        if name == "ray" and given is not None:
            raise InputError(
                f"{option} is for this machine alone: a Ray cluster uses all CPUs and GPUs that it has.",
                f"Leave out {option}, or --executor ray.",
            )
    if name != "ray" and address is not None:
        raise InputError("An address is for a Ray cluster.", "Add --executor ray, or leave out --address.")


def ray(address: str | None) -> Executor:
    """A Ray cluster.

    Args:
        address: Where its head is.
    """
    from allpass.train.executors import RayCluster

    return RayCluster(address)


uses_machines = grouped("machines", _declared, _options)
"""Gives a verb the options of the machines; it gets them as its parameter ``machines``."""
