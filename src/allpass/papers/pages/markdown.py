"""A page of results as Markdown, as GitHub and MkDocs read it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from allpass.papers.pages.page import Block, Heading, Page, Picture, Table, Text, Value
from allpass.report.wording import clean

_MARKS = re.compile(r"[\\`*\[\]|]|(?<!\w)_|_(?!\w)")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "~": "&#126;"}
_ENTITY = re.compile(r"[<>~]|&(?=#?\w+;)")
_OPENING = re.compile(r"^(#|[-+](?=\s)|-+$|=+$)|^(\d+)([.)])(?=\s)")


def markdown(page: Page) -> str:
    """The page as text.

    Args:
        page: What to show. Shades are left out; the best of a column is bold; pictures are files beside the page.
    """
    parts = [f"# {_inline(page.title)}", *(part for block in page.below_title() for part in _block(block))]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> Iterable[str]:
    match block:
        case Heading(text):
            yield f"## {_inline(text)}"
        case Text():
            for part in block.parts():
                yield _line(part) if isinstance(part, str) else "\n".join(f"- {_line(item)}" for item in part)
        case Table(caption, header):
            yield f"*{_inline(caption)}*"
            lines = [
                map(_inline, header),
                ["---"] * len(header),
                *(map(_cell, row) for row in block.values()),
            ]
            yield "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        case Picture(name, caption):
            yield f"![{_inline(caption)}]({name}.svg)"
            yield f"*{_inline(caption)}*"


def _cell(value: Value) -> str:
    text = _inline(value.text)
    return f"**{text}**" if value.best and text else text


def _line(text: str) -> str:
    """Text at the front of a line, where more signs mean something."""
    return _OPENING.sub(
        lambda found: f"{found[2]}\\{found[3]}" if found[2] else f"\\{found[1]}", _inline(text)
    )


def _inline(text: str) -> str:
    if not text.strip():
        return ""
    escaped = _MARKS.sub(lambda found: "\\" + found[0], clean(text))
    return _ENTITY.sub(lambda found: _ENTITIES.get(found[0], "&amp;"), escaped)
