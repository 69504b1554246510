"""What all figures share: size, style, and the ways out of matplotlib."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from allpass.errors import InputError
from allpass.files import check_writable, write_whole
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")

WIDTH = 4.4  # inches: near its true size on a phone, half a page on paper
SHEET = 8.8  # inches: a figure of several panels, a page on paper
FORMATS = (".svg", ".pdf", ".png")
_STYLE: dict[str, Any] = {
    "axes.edgecolor": light("line"),
    "axes.labelcolor": light("muted"),
    "axes.labelsize": 8.5,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 8.5,
    "grid.color": light("track"),
    "legend.frameon": False,
    "legend.fontsize": 8,
    "legend.labelcolor": light("ink"),
    "pdf.fonttype": 42,
    "savefig.transparent": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "allpass",
    "text.color": light("ink"),
    "text.parse_math": False,  # a class may be called "$5"
    "xtick.color": light("line"),
    "xtick.labelcolor": light("muted"),
    "xtick.labelsize": 8,
    "ytick.color": light("line"),
    "ytick.labelcolor": light("muted"),
    "ytick.labelsize": 8,
}


@contextmanager
def styled() -> Iterator[None]:
    """The style of allpass over matplotlib's defaults, whatever the reader's own settings are."""
    import matplotlib.style

    with matplotlib.style.context(["default", _STYLE]):
        yield


def in_style(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Run a drawing function under the style."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with styled():
            return draw(*args, **kwargs)

    return drawn


def canvas(height: float, width: float = WIDTH) -> tuple[Figure, Axes]:
    """An empty figure with one pair of axes; sizes in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def panels(rows: int, columns: int, height: float, **options: Any) -> tuple[Figure, list[list[Axes]]]:
    """An empty figure as wide as a sheet, with rows of axes.

    Args:
        rows: How many rows.
        columns: How many in a row.
        height: Of the figure, in inches.
        **options: Of matplotlib's ``subplots``, such as ``sharey``.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(SHEET, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **options).tolist()


def name_outer(grid: Sequence[Sequence[Axes]], below: str, beside: Sequence[str]) -> None:
    """Name the axes at the edge of the panels.

    Args:
        grid: The panels, row by row.
        below: What the lowest say of x.
        beside: What the first of each row says of y.
    """
    for row, words in zip(grid, beside, strict=True):
        row[0].set_ylabel(words)
    for panel in grid[-1]:
        panel.set_xlabel(below)


def legend(figure: Figure, grid: Sequence[Sequence[Axes]], columns: int | None = None) -> None:
    """One legend for all panels, above them; by default in one line."""
    named = {
        label: handle
        for row in grid
        for panel in row
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    if named:
        ncols = columns or len(named)
        figure.legend(list(named.values()), list(named), loc="outside upper center", ncols=ncols)


def to_bytes(figure: Figure, suffix: str) -> bytes:
    """The figure as a file's content; the same figure gives the same bytes."""
    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
    content = io.BytesIO()
    with styled(), warnings.catch_warnings():
        # The reader's fonts draw an SVG's text, so it does not matter what matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(content, format=suffix[1:], metadata=dates[suffix], dpi=200)
    return content.getvalue()


def check_figure(path: str | Path) -> Path:
    """Raise where no figure could be saved; returns the path. For asking before the work, not after."""
    path = check_writable(path)
    if path.suffix.lower() not in FORMATS:
        raise InputError(
            f"Got the ending {path.suffix!r} for a figure.", f"Expected one of {', '.join(FORMATS)}."
        )
    return path


def save(figure: Figure, path: str | Path) -> Path:
    """Save a figure for a paper: ``.svg``, ``.pdf`` or ``.png`` by the name's ending; returns the path."""
    path = check_figure(path)
    return write_whole(path, to_bytes(figure, path.suffix.lower()))
