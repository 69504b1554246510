"""A page of results and its rows as files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from allpass.errors import InputError, did_you_mean
from allpass.files import check_writable, write_whole
from allpass.papers.pages.csv_file import csv_text
from allpass.papers.pages.html import html
from allpass.papers.pages.latex import latex
from allpass.papers.pages.markdown import markdown
from allpass.papers.pages.page import Page, Picture
from allpass.papers.study import Row
from allpass.report.canvas import to_bytes

_TEXTS: dict[str, Callable[[Page], str]] = {"md": markdown, "tex": latex, "html": html}
_PICTURES = {"md": ".svg", "tex": ".pdf"}
FORMATS = (*_TEXTS, "csv")
"""The endings of the files that can be written."""


def write(
    page: Page, rows: Sequence[Row], folder: str | Path, name: str, formats: Collection[str] = FORMATS
) -> list[Path]:
    """Write a page in some formats and its rows as CSV; returns the paths. Nothing is written where one cannot be made.

    Args:
        page: The page.
        rows: The rows it was made of.
        folder: Where to; it has to exist.
        name: What the files are called, without an ending: the ID of the study.
        formats: Which of ``FORMATS``. Pictures are written beside Markdown (as SVG) and LaTeX (as PDF); an HTML page
            holds them itself.
    """
    for wanted in formats:
        if wanted not in FORMATS:
            raise InputError(f"There is no format {wanted!r}.", did_you_mean(wanted, FORMATS))
    files: dict[Path, bytes] = {}
    for wanted in formats:
        text = csv_text(rows) if wanted == "csv" else _TEXTS[wanted](page)
        files[Path(folder) / f"{name}.{wanted}"] = text.encode()
    for suffix in [suffix for wanted, suffix in _PICTURES.items() if wanted in formats]:
        for block in page.blocks:
            if isinstance(block, Picture):
                files[Path(folder) / f"{block.name}{suffix}"] = to_bytes(block.draw(), suffix)
    for path in files:
        check_writable(path)
    return [write_whole(path, content) for path, content in files.items()]
