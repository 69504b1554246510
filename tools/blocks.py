"""Generated parts of Markdown files: where they stand, and putting new text between their markers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"<!-- generated: ([\w-]+) -->\n(.*?)<!-- end: \1 -->", re.DOTALL)


def pages(root: Path = ROOT) -> Iterator[Path]:
    """The files that may hold generated blocks."""
    yield from sorted((root / "docs").rglob("*.md"))


def names(text: str) -> list[str]:
    """The names of the blocks of a page, in order."""
    unclosed = set(re.findall(r"<!-- generated: ([\w-]+) -->", text)) - {
        found[1] for found in _BLOCK.finditer(text)
    }
    if unclosed:
        raise ValueError(f"The block {min(unclosed)!r} has no end marker: <!-- end: {min(unclosed)} -->.")
    return [found[1] for found in _BLOCK.finditer(text)]


def fill(text: str, content: Callable[[str], str | None]) -> str:
    """The page with every block's content renewed; where ``content`` gives nothing, the old one stays."""

    def renew(found: re.Match[str]) -> str:
        fresh = content(found[1])
        if fresh is None:
            return found[0]
        return f"<!-- generated: {found[1]} -->\n{fresh.strip()}\n<!-- end: {found[1]} -->"

    return _BLOCK.sub(renew, text)


def starts(text: str) -> list[tuple[str, int]]:
    """The names of the blocks and where they begin."""
    return [(found[1], found.start()) for found in _BLOCK.finditer(text)]


def table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; columns whose header ends in ``>`` stand to the right."""
    lines = [
        [header.removesuffix(">") for header in headers],
        ["--:" if header.endswith(">") else "---" for header in headers],
        *([str(cell).replace("|", "\\|") for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
