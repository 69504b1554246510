"""How help is shown: flags without the type of their value, whole paragraphs, and an example for each verb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup


class Verb(TyperCommand):
    """A command whose flags are shown without a type, and whose paragraphs are as wide as the terminal."""

    def __init__(self, *args: Any, help: str | None = None, **settings: Any) -> None:  # noqa: A002
        super().__init__(*args, help=joined(help), **settings)

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


def joined(text: str | None) -> str | None:
    r"""A docstring with every paragraph in one line, which the terminal breaks where it ends.

    Example:
        >>> joined("One line. And\nits end.\n\nAnother paragraph.")
        'One line. And its end.\n\nAnother paragraph.'
    """
    return text and "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def example(command: str) -> str:
    """What stands below the options of a verb."""
    return f"Example: {command}"
