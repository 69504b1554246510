"""The rows that stand in docs/results."""

from __future__ import annotations

from allpass.papers.pages.csv_file import read_rows
from allpass.papers.study import Row
from tools.blocks import ROOT

FOLDER = ROOT / "docs" / "results"


def kept(name: str) -> list[Row]:
    """The rows of a study.

    Args:
        name: Its ID.
    """
    path = FOLDER / f"{name}.csv"
    return read_rows(path) if path.exists() else []
