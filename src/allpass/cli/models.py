"""`allpass models`: the networks by name."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from allpass.models.table import ModelCard, ModelRow


def models(
    name: Annotated[
        str | None, typer.Argument(help="One model, to say everything about it.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """List the models: what each does, what it needs, its paper; or say everything about one."""
    from allpass.models import describe_model, model_table

    found = model_table() if name is None else describe_model(name)
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
    elif isinstance(found, list):
        _list(found)
    else:
        _describe(found)


def _list(rows: list[ModelRow]) -> None:
    from rich.console import Console
    from rich.text import Text

    from allpass.cli.plain import plain_table

    out = Console()
    table = plain_table()
    limits = {"needs": 9, "paper": 13} if out.width < 110 else {"needs": 17}  # the summary gets the room
    for heading in ("name", "what it does", "needs", "paper"):
        table.add_column(heading, no_wrap=heading == "name", max_width=limits.get(heading))
    for row in rows:
        table.add_row(*map(Text, (row["written"], row["summary"], ", ".join(row["needs"]), row["paper"])))
    out.print(table)
    out.print()
    out.print(Text("-N: a number may follow, as in gcn-16. More about one: allpass models gcn."))


def _describe(card: ModelCard) -> None:
    from rich.console import Console
    from rich.text import Text

    from allpass.cli.plain import plain_table
    from allpass.models import setting_rows

    out = Console()
    also = f" (also {', '.join(card['aliases'])})" if card["aliases"] else ""
    out.print(Text.assemble((card["name"], "bold"), (also, "dim")))
    for line in (card["summary"], card["citation"], "", *_facts(card), ""):
        out.print(Text(line))
    table = plain_table()
    for heading, width in (
        ("setting", None),
        ("default", 18),
        ("what it is, and what is worth trying", None),
    ):
        table.add_column(heading, no_wrap=heading == "setting", max_width=width)
    for row in setting_rows(card):
        lines = [Text(row.meaning)] if row.meaning else []
        lines += [Text(f"try {row.tried}", style="dim")] if row.tried else []
        table.add_row(Text(row.name), Text(row.default), Text("\n").join(lines))
    out.print(table)


def _facts(card: ModelCard) -> list[str]:
    facts = [f"Needs: {', '.join(card['needs'])}."]
    facts += [f"It {words}." for words in card["traits"].values()]
    if card["numbered"]:
        facts.append(f"A number in its name, {card['written']}, is its {card['numbered']}.")
    for group, names in card["parameter_groups"].items():
        alike = dict.fromkeys(re.sub(r"\.\d+\.", ".*.", name) for name in names)
        facts.append(f"Its parameter group {group!r}: {', '.join(alike)}.")
    return facts
