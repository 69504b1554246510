"""How results show themselves: a few lines at a prompt, a table or a page in a notebook."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from html import escape
from importlib import import_module

LINES, WIDTH = 5, 100
"""The most that a ``repr`` prints."""

_PAGES = {
    "Diagnosis": ("allpass.report", "render"),
    "TabularMDP": ("allpass.report.rl.page", "render_process"),
    "Spread": ("allpass.report.rl.page", "render_spread"),
    "Reconstruction": ("allpass.report.rl.reconstruction", "render_reconstruction"),
}
"""Who draws the page of a result; by name, as ``import allpass`` finds its parts, for it stands above the result."""

_KEPT = "\N{NO-BREAK SPACE}"
_NUMBER = re.compile(r"[+−<-]?\d[\d.,e+-]*%?( ± .+| \(.+ to .+\))?")


def brief(title: str, *parts: str) -> str:
    """A title, and under it parts that begin on lines of their own; what does not fit ends in dots.

    Example:
        >>> print(brief("Run of gcn on cora", "done after 120 epochs"))
        Run of gcn on cora
          done after 120 epochs
    """
    wanted = [line for part in parts for line in textwrap.wrap(part, WIDTH - 2)]
    shown = wanted[: LINES - 1]
    if len(wanted) > len(shown):
        shown[-1] = textwrap.shorten(f"{shown[-1]} {'.' * WIDTH}", WIDTH - 2, placeholder=" ...")
    title = textwrap.shorten(title, WIDTH, placeholder=" ...")
    return "\n".join((title, *(f"  {line}" for line in shown))).replace(_KEPT, " ")


def listed(items: Iterable[str]) -> str:
    """Items with commas between them, none of which :func:`brief` breaks over two lines."""
    return ", ".join(item.replace(" ", _KEPT) for item in items)


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> str:
    """An HTML table for a notebook; columns of numbers stand to the right.

    Args:
        headers: One for each column.
        rows: Cells; they are written as text.
        title: A line above the table.
    """
    cells = [[str(cell) for cell in row] for row in rows]
    columns = zip(*cells, strict=True) if cells else [()] * len(headers)
    right = [all(map(_NUMBER.fullmatch, filter(None, column))) for column in columns]
    lines = [f"<p>{escape(title)}</p>"] if title else []
    lines += ["<table>", f"<thead>{_row('th', headers, right)}</thead>", "<tbody>"]
    lines += [_row("td", row, right) for row in cells]
    return "\n".join((*lines, "</tbody>", "</table>"))


def _row(tag: str, cells: Sequence[str], right: Sequence[bool]) -> str:
    sides = ("right" if side else "left" for side in right)
    written = (
        f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>'
        for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{''.join(written)}</tr>"


def page(result: object) -> str:
    """The page of a result, one HTML document."""
    room, function = _PAGES[type(result).__name__]
    return getattr(import_module(room), function)(result)


def framed(document: str, height: int = 640) -> str:
    """A whole HTML document as part of another: its style stays inside.

    Args:
        document: What is shown.
        height: Of the frame, in pixels; the document scrolls in it.
    """
    style = f"width: 100%; height: {height}px; border: 1px solid #8886; border-radius: 6px"
    return f'<iframe sandbox srcdoc="{escape(document)}" style="{style}"></iframe>'
