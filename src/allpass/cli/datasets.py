"""`allpass datasets`: the named graphs."""

from __future__ import annotations


def datasets() -> None:
    """List the named datasets: size, stored splits, and whether they come with the package."""
    from rich.console import Console

    from allpass.cli.plain import plain_table
    from allpass.data import dataset_table

    rows = [
        {**{key: row[key] for key in _SHOWN}, "comes with allpass": "yes" if row["embedded"] else ""}
        for row in dataset_table()
    ]
    table = plain_table()
    for heading in rows[0]:
        table.add_column(
            heading, justify="right" if heading in _NUMBERS else "left", no_wrap=heading == "name"
        )
    for row in rows:
        table.add_row(*(f"{value:,}" if isinstance(value, int) else str(value) for value in row.values()))
    Console().print(table)


_SHOWN = ("name", "nodes", "edges", "features", "classes", "splits")
_NUMBERS = ("nodes", "edges", "features", "classes")
