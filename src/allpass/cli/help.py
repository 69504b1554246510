"""How help is shown: flags without the type of their value, and an example for each verb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup


class Verb(TyperCommand):
    """A command whose flags are shown without a type."""

    def get_params(self, ctx: Any) -> list[Any]:
        return without_types(super().get_params(ctx))


class Verbs(TyperGroup):
    """A group of commands whose flags are shown without a type."""

    def get_params(self, ctx: Any) -> list[Any]:
        return without_types(super().get_params(ctx))


def without_types(parameters: Sequence[Any]) -> list[Any]:
    """The parameters of a command; those that take no value name no type of it."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return list(parameters)


def example(command: str) -> str:
    """What stands below the options of a verb."""
    return f"Example: {command}"
