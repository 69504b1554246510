from __future__ import annotations

import io

from rich.console import Console

from allpass.cli.plain import plain_table


def test_a_table_has_no_lines() -> None:
    table, out = plain_table(), io.StringIO()
    table.add_column("name")
    table.add_column("size", justify="right")
    table.add_row("texas", "183")
    Console(file=out, width=40).print(table)
    assert out.getvalue().splitlines() == ["name   size", "texas   183"]
