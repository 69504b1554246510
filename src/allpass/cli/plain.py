"""The tables of this command line: no lines, bold headings."""

from __future__ import annotations

from rich.table import Table


def plain_table() -> Table:
    """A table without lines, still without columns."""
    return Table(box=None, header_style="bold", pad_edge=False)
