"""The table of columns on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from allpass.cli.roles import show_roles
from allpass.data.tables.roles import Role


def shown(*roles: Role) -> list[list[str]]:
    out = Console(file=io.StringIO(), width=150)
    show_roles(roles, out)
    return [line.split("  ") for line in out.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_a_row_a_column_with_the_flags_of_this_command_line() -> None:
    rows = shown(
        Role("page_id", "id", "its name says id, and all values differ", 0, "numbers=, categories="),
        Role("kind [b]", "category", "3 different values", 3, "text=, drop="),
    )
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert cells == [
        ["column", "role", "features", "why", "to change it"],
        ["page_id", "id", "its name says id, and all values differ", "--number, --category"],
        ["kind [b]", "category", "3", "3 different values", "--text, --drop"],
    ]


def test_long_runs_of_alike_columns_are_one_row() -> None:
    words = [Role(f"w{k}", "number", "numbers", 1, "drop=") for k in range(1433)]
    rows = shown(Role("id", "id", "is called so"), *words, Role("y", "label", "called so"))
    assert [row[0].strip() for row in rows] == ["column", "id", "w0 and 1,432 more", "y"]
    assert "1,433" in " ".join(rows[2])


def test_nothing_is_shown_of_graphs_without_tables() -> None:
    assert shown() == []
