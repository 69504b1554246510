"""What the page of a table of accuracies says: counts of cells that agree, gaps between rows, and the matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from allpass.papers.tables.result import Accuracy, Kind
from allpass.papers.tables.spec import Cell, Spec
from allpass.papers.tables.verdicts import INCOMPARABLE
from allpass.train.statistics import paired

if TYPE_CHECKING:
    from pandas import DataFrame

Facts: TypeAlias = Callable[[Spec, Sequence[Accuracy]], Mapping[str, object]]
MAJORITY = "majority class"
FAMILY = "ACM"
"""What the names of networks with several channels begin with; where a table has some, agreement is counted on them."""
PLAIN = ("MLP-2", "GCN")
"""A network that sees no graph, and one that averages."""
MARKS = {"worse": " ▼", "better": " ▲"}
IDLE = "°"


class Results:
    """The rows of a table by their places.

    Args:
        spec: The table.
        results: The rows.
    """

    def __init__(self, spec: Spec, results: Sequence[Accuracy]) -> None:
        self.spec = spec
        self._found = {(one.name, one.column, one.kind): one for one in results}

    def of(self, cell: Cell, kind: Kind) -> Accuracy | None:
        """Our number of a cell, if it was run."""
        return self._found.get((cell.name, cell.column.name, kind))

    @property
    def main(self) -> Kind:
        """The kind of number that the page shows: with the published settings, or tuned where there are none."""
        settled = any(self.of(cell, "same") is not None for cell in self.cells)
        return "same" if settled else "tuned"

    @property
    def cells(self) -> list[Cell]:
        """The numbers of the source, without variants of ours."""
        return [cell for cell in self.spec.cells if cell.in_source]

    def column(self, row: str, kind: Kind | None) -> dict[str, float]:
        """The means of a row by column: published ones where no kind is given."""
        found = {}
        for cell in self.spec.cells:
            ours = None if kind is None else self.of(cell, kind)
            if cell.name == row and kind is None and cell.published:
                found[cell.column.name] = cell.published[0]
            elif cell.name == row and ours is not None and ours.mean is not None:
                found[cell.column.name] = ours.mean
        return found


def facts(spec: Spec, results: Sequence[Accuracy]) -> dict[str, object]:
    """The numbers that the words of every table may name.

    Args:
        spec: The table.
        results: Its rows.
    """
    found = Results(spec, results)
    acm = [cell for cell in found.cells if cell.row.startswith(FAMILY)] or found.cells
    same = [one for cell in acm if (one := found.of(cell, "same")) is not None]
    pairs = [(found.of(cell, "same"), found.of(cell, "fresh")) for cell in acm]
    both = [(one, other) for one, other in pairs if one and other and one.agrees is not None]
    shown = [one for cell in found.cells if (one := found.of(cell, found.main)) is not None]
    compared = [one.published for one in same if one.published.verdict != INCOMPARABLE]
    points = [one.difference for one in compared if one.difference is not None]
    tempted = [
        one.best_on_test - one.mean for one in results if one.best_on_test and one.mean and one.variant == ""
    ]
    by_column: dict[str, list[Accuracy]] = {}
    for one in shown:
        by_column.setdefault(one.column.lower(), []).append(one)
    majority = {name: [one.majority for one in mine if one.majority] for name, mine in by_column.items()}
    tuned = {cell.row: one for cell in found.cells if (one := found.of(cell, "tuned")) is not None}
    return {
        "agree": share(one.agrees for one in same if one.agrees is not None),
        "agree_same": share(one.agrees for one, _ in both),
        "agree_fresh": share(other.agrees for _, other in both),
        "lower": share(value < 0 for value in points),
        "difference": signed(points),
        "idle": share(not one.learns for one in shown),
        "optimism": signed(tempted),
        "above_acm": above_both(found, "ACM-GCN"),
        **{f"majority_{name}": f"{fmean(values):.0f}" for name, values in majority.items() if values},
        **{f"idle_{name}": share(not one.learns for one in mine) for name, mine in by_column.items()},
        **{
            f"tuned_{row.lower().replace('-', '_')}": f"{one.mean:.1f}"
            for row, one in tuned.items()
            if one.mean
        },
    }


def no_facts(spec: Spec, results: Sequence[Accuracy]) -> Mapping[str, object]:  # noqa: ARG001
    """No further facts."""
    return {}


def above_both(found: Results, row: str) -> str:
    """On which graphs a tuned row is above both plain networks by the 95% intervals of paired differences."""
    by_column: dict[str, dict[str, Accuracy]] = {}
    for cell in found.cells:
        ours = found.of(cell, "tuned")
        if ours is not None:
            by_column.setdefault(cell.column.name, {})[cell.row] = ours
    known = {name: rows for name, rows in by_column.items() if {row, *PLAIN} <= rows.keys()}
    above = [
        name
        for name, rows in known.items()
        if rows[row].learns and all(_gap(rows[row], rows[plain]) > 0 for plain in PLAIN)
    ]
    return f"{len(above)} of {len(known)} graphs" + (f" ({', '.join(above)})" if above else "")


def _gap(one: Accuracy, other: Accuracy) -> float:
    """The lower end of the 95% interval of the difference on the same splits."""
    first, second = ([float(score) for score in result.scores.split()] for result in (one, other))
    return paired(first, second, overlap=one.overlap).low if len(first) == len(second) else float("nan")


def gap(found: Results, rows: Iterable[str], base: str, kind: Kind | None) -> str:
    """The mean difference of some rows from another one over all columns; of published means without a kind."""
    baseline = found.column(base, kind)
    means = [item for row in rows for item in found.column(row, kind).items()]
    return signed([mean - baseline[column] for column, mean in means if column in baseline], 1)


def best_rows(found: Results, kind: Kind | None) -> dict[str, str]:
    """The row with the highest mean of each column."""
    by_column: dict[str, dict[str, float]] = {}
    for row in dict.fromkeys(cell.name for cell in found.cells):
        for column, mean in found.column(row, kind).items():
            by_column.setdefault(column, {})[row] = mean
    return {column: max(means, key=lambda row: means[row]) for column, means in by_column.items()}


def share(values: Iterable[object]) -> str:
    """How many of how many hold, and in percent.

    Example:
        >>> share([True, True, False])
        '2 of 3 (67%)'
    """
    held = list(map(bool, values))
    return f"{sum(held)} of {len(held)}" + (f" ({sum(held) / len(held):.0%})" if held else "")


def signed(values: Sequence[float], digits: int = 2) -> str:
    """The mean of some differences with its sign.

    Example:
        >>> signed([1.0, 2.0]), signed([-0.001])
        ('+1.50', '0.00')
    """
    mean = round(fmean(values), digits) if values else 0.0
    return f"{mean:+.{digits}f}".replace("-", "−") if mean else f"{0:.{digits}f}"


def matrix(spec: Spec, results: Sequence[Accuracy]) -> DataFrame:
    """Ours, and the published mean in brackets; a score of the majority class is marked, and never bold.

    Args:
        spec: The table.
        results: Its rows.
    """
    from pandas import DataFrame, Index

    found = Results(spec, results)
    run = [cell for cell in found.cells if found.of(cell, found.main) is not None]
    rows = list(dict.fromkeys(cell.name for cell in run))
    names = [column.name for column in spec.columns if any(cell.column is column for cell in run)]
    columns = {name: _column(found, name) for name in names}
    lines = {name: [texts.get(row, "") for row in [*rows, MAJORITY]] for name, texts in columns.items()}
    return DataFrame(lines, index=Index([*rows, MAJORITY], name="model"))


def _column(found: Results, column: str) -> dict[str, str]:
    cells = [cell for cell in found.cells if cell.column.name == column]
    ours = {cell.name: one for cell in cells if (one := found.of(cell, found.main)) is not None}
    learnt = [one.mean for one in ours.values() if one.learns and one.mean is not None]
    texts = {cell.name: _text(cell, ours.get(cell.name), max(learnt, default=None)) for cell in cells}
    known = [one.majority for one in ours.values() if one.majority is not None]
    return {**texts, MAJORITY: f"{fmean(known):.1f}" if known else "–"}


def _text(cell: Cell, ours: Accuracy | None, best: float | None) -> str:
    published = f" ({cell.published[0]:.1f})" if cell.published else ""
    if ours is None or ours.mean is None:
        return f"–{published}"
    mean = f"**{ours.mean:.1f}**" if ours.mean == best else f"{ours.mean:.1f}"
    return f"{mean}{'' if ours.learns else IDLE}{MARKS.get(ours.published.verdict, '')}{published}"
