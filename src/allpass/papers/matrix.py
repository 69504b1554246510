"""The table of a page: a pandas DataFrame of texts as Markdown and as LaTeX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

_BOLD = re.compile(r"\*\*(.+?)\*\*")
_LATEX = {
    "▲": r"$\uparrow$",
    "▼": r"$\downarrow$",
    "±": r"$\pm$",
    "−": "$-$",
    "°": r"$^\circ$",
    "–": "--",
    "Â": r"$\hat{A}$",
    "×": r"$\times$",
}


def to_markdown(frame: DataFrame) -> str:
    """The frame as a Markdown table, with its index as the first columns.

    Example:
        >>> import pandas as pd
        >>> print(to_markdown(pd.DataFrame({"Cora": ["**81.0**"]}, index=pd.Index(["GCN"], name="model"))))
        | model | Cora |
        | --- | --- |
        | GCN | **81.0** |
    """
    whole = frame.reset_index()
    lines = [[str(name) for name in whole.columns], ["---"] * whole.shape[1]]
    lines += [[str(cell) for cell in row] for row in whole.itertuples(index=False)]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def to_latex(frame: DataFrame, caption: str) -> str:
    """The frame as a LaTeX table that needs the package booktabs.

    Args:
        frame: The frame.
        caption: The caption.
    """
    text: str = frame.reset_index().to_latex(index=False, escape=True, caption=_plain(caption))
    for sign, written in _LATEX.items():
        text = text.replace(sign, written)
    return _BOLD.sub(r"\\textbf{\1}", text)


def _plain(text: str) -> str:
    return re.sub(r"([&%$#_{}])", r"\\\1", text)
