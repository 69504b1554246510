"""Docstrings as Markdown: their formulas, roles and tables, so that the documentation site can show them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from html import escape

from tools.mathml import to_mathml

_MATH_BLOCK = re.compile(r"^( *)\.\. math::(.*\n(?:\1 +\S.*\n?| *\n)*)", re.MULTILINE)
_MATH = re.compile(r":math:`([^`]+)`")
_ROLE = re.compile(r":(func|class|meth|attr|mod|data|exc|obj):`(~?)([\w.]+)`")
_LINK = re.compile(r"`([^`<]+?)\s+<(https?://[^>\s]+)>`__?")
_TABLE = re.compile(
    r"^( *)=+(?: +=+)+\n(?:.*\n)*?\1=+(?: +=+)+(?:\n(?:\1\S.*\n| *\S.*\n)*?\1=+(?: +=+)+)?$", re.MULTILINE
)


def to_markdown(text: str, resolve: Callable[[str, str], str] = lambda _, name: name) -> str:
    """A docstring's reStructuredText parts as Markdown.

    Args:
        text: The docstring, dedented.
        resolve: The full path of what a role names: from its kind (``"func"``) and its name.
    """
    text = re.sub(
        r"^Example:$", "Examples:", text, flags=re.MULTILINE
    )  # the heading under which doctests are shown
    text = _TABLE.sub(lambda found: _table(found[0]), f"{text}\n")
    text = _LINK.sub(r"[\1](\2)", text)
    text = _MATH_BLOCK.sub(_formula, text)
    # a line that begins with <math> would end its paragraph: Markdown takes that for a block
    text = _MATH.sub(lambda found: f"<span>{to_mathml(found[1])}</span>", text)
    return _ROLE.sub(lambda found: _reference(found, resolve), text).rstrip("\n")


def _formula(found: re.Match[str]) -> str:
    return f'\n{found[1]}<div class="formula">{to_mathml(textwrap.dedent(found[2]), block=True)}</div>\n\n'


def _reference(found: re.Match[str], resolve: Callable[[str, str], str]) -> str:
    kind, short, name = found.groups()
    shown = name.rsplit(".", 1)[-1] if short else name
    return f'<autoref optional identifier="{escape(resolve(kind, name))}"><code>{shown}</code></autoref>'


def _table(text: str) -> str:
    """A simple table; a row whose first cell is empty, or follows a comma there, continues the one above."""
    lines = text.splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    borders = [place for place, line in enumerate(lines) if set(line.strip()) <= {"=", " "} and line.strip()]
    width = len(lines[0].split())
    header = [_cells(line[indent:], width) for line in lines[1 : borders[1]]] if len(borders) > 2 else []
    rows: list[list[str]] = []
    for line in lines[borders[-2] + 1 : borders[-1]]:
        cells = _cells(line[indent:], width)
        if rows and (not cells[0] or rows[-1][0].endswith(",")):
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    head = header[0] if header else [""] * width
    marked = [head, ["---"] * width, *rows]
    return "\n".join(" " * indent + "| " + " | ".join(cells) + " |" for cells in marked)


def _cells(line: str, width: int) -> list[str]:
    """Cells stand two or more spaces apart; a formula in one may be longer than its column is drawn."""
    first = [""] if line.startswith("  ") else []
    cells = first + re.split(r" {2,}", line.strip())
    return (cells + [""] * width)[:width]
