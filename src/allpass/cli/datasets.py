"""`allpass datasets`: the named graphs."""

from __future__ import annotations


def datasets() -> None:
    """List the named datasets: size, stored splits, and whether they come with the package."""
    from rich.console import Console
    from rich.text import Text

    from allpass.cli.plain import plain_table
    from allpass.data import dataset_table

    table = plain_table()
    table.add_column("name", no_wrap=True)
    for heading in _NUMBERS:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("splits", max_width=9)
    for row in dataset_table():
        name = f"{row['name']} *" if row["embedded"] else str(row["name"])
        numbers = ("" if row[key] is None else f"{row[key]:,}" for key in _NUMBERS)
        table.add_row(*map(Text, (name, *numbers, str(row["splits"]))))
    out = Console()
    out.print(table)
    out.print()
    out.print(Text("*: comes with allpass. Edges as stored: an undirected one counts twice."))


_NUMBERS = ("nodes", "edges", "features", "classes")
