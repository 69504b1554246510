"""The table that says what each column of people's own tables was taken for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from allpass.cli.plain import plain_table
from allpass.cli.words import in_shell_words

if TYPE_CHECKING:
    from allpass.data.tables.roles import Role

_ALIKE = 5  # features in a row that are shown one by one


def show_roles(roles: Sequence[Role], out: Console) -> None:
    """Print one row a column: its role, how many features it became, why, and the options that change it.

    Of many numbers in a row, such as columns of words, the first is shown. Nothing is printed without roles.
    """
    if not roles:
        return
    table = plain_table()
    for heading in ("column", "role", "features", "why", "to change it"):
        table.add_column(heading, justify="right" if heading == "features" else "left")
    for role, alike in _grouped(roles):
        name = role.column if role.table == "nodes" else f"{role.column} (edges)"
        name += f" and {alike - 1:,} more" * (alike > 1)
        made = f"{role.features * alike:,}" if role.features else ""
        table.add_row(
            *map(Text, (name, role.role, made, in_shell_words(role.reason), in_shell_words(role.change)))
        )
    out.print(table)


def _grouped(roles: Sequence[Role]) -> list[tuple[Role, int]]:
    """Each role with the number of columns it stands for: long runs of the same kind are one."""
    runs: list[list[Role]] = []
    for role in roles:
        if runs and (runs[-1][0].role, runs[-1][0].features, runs[-1][0].reason) == (
            role.role,
            role.features,
            role.reason,
        ):
            runs[-1].append(role)
        else:
            runs.append([role])
    found = []
    for run in runs:
        found += [(run[0], len(run))] if len(run) > _ALIKE else [(role, 1) for role in run]
    return found
