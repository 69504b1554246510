from __future__ import annotations

from typing import Annotated

import typer
from typer.testing import CliRunner

from allpass.cli.groups import grouped


def _declared(
    path: Annotated[str, typer.Argument()],
    deep: Annotated[bool, typer.Option("--deep")] = False,
) -> None:
    """A group with an argument and an option."""


def test_a_group_is_one_parameter_of_the_verb() -> None:
    seen = []

    @grouped("where", _declared, lambda given: tuple(given.values()))
    def verb(first: Annotated[str, typer.Argument()], where: tuple[str, bool], last: int = 3) -> None:
        seen.append((first, where, last))

    app = typer.Typer()
    app.command()(verb)
    assert CliRunner().invoke(app, ["a", "b", "--deep", "--last", "5"]).exit_code == 0
    assert seen == [("a", ("b", True), 5)]
    assert CliRunner().invoke(app, ["a"]).exit_code == 2
