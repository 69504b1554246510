"""What the rows of a table of accuracies say of its cells, and how that is written."""

from __future__ import annotations

import math
from collections.abc import Sequence

from allpass.papers.pages.page import Table, of_kind
from allpass.papers.study import Plan, Row, Study
from allpass.papers.tables.asked import Kind, kinds_of
from allpass.papers.tables.cell import Cell, Column
from allpass.papers.tables.study import TableStudy
from allpass.papers.tables.verdicts import INCOMPARABLE

NOT_YET = "not run yet"


class Results:
    """The rows of a table by their places.

    Args:
        study: The table.
        rows: What was measured of it.
    """

    def __init__(self, study: Study, rows: Sequence[Row]) -> None:
        table = of_kind(study, TableStudy)
        self.spec = table.spec
        self.kinds = tuple(kind for kind in kinds_of(table.spec) if kind != "again")  # which has no table
        self.rows = rows
        self._found = {(row["row"], row["column"], row["kind"]): row for row in rows}
        self._asked = {(cell.row, cell.column.name, kind) for cell, kind in table.asked(Plan())}
        self._cells = {(cell.row, cell.column.name): cell for cell in self.spec.cells}

    def cell(self, row: str, column: Column) -> Cell | None:
        """The cell in a place, where the table has one."""
        return self._cells.get((row, column.name))

    def get(self, cell: Cell | None, kind: Kind) -> Row | None:
        """What was measured of a cell, if that is known already."""
        return None if cell is None else self._found.get((cell.row, cell.column.name, kind))

    def mean(self, cell: Cell | None, kind: Kind) -> float | None:
        """The mean of its runs, if there is one."""
        return number(self.get(cell, kind), "mean")

    def text(self, cell: Cell | None, kind: Kind) -> str:
        """What stands in a place: the number and its runs, or why there is none."""
        row = self.get(cell, kind)
        return self.missing(cell, kind) if row is None else measured(row)

    def missing(self, cell: Cell | None, kind: Kind) -> str:
        """Why nothing stands in a place."""
        if cell is None:
            return ""
        if not cell.model:
            return "not run"
        if (cell.row, cell.column.name, kind) in self._asked:
            return NOT_YET
        if kind == "honest":
            return "not searched"
        if kind == "fresh" and not cell.searched:
            return "not run on others"
        if kind == "fresh" and not self._drawn:
            return f"not run on {self.other_splits}"
        return (
            "splits not known" if kind == "fresh" and cell.settings is not None else "no settings published"
        )

    @property
    def _drawn(self) -> bool:
        """Whether splits of the source are known."""
        return any(cell.drawn is not None for cell in self.spec.cells)

    @property
    def other_splits(self) -> str:
        """What the splits of fresh numbers are called; where those of the source are not known ours are among them."""
        return "new splits" if self._drawn else "more splits"

    @property
    def same_settings(self) -> str:
        """What the settings of ours by the same protocol are called; some tables have none for some of their rows."""
        return "published settings or our defaults" if self.spec.defaults else "same settings"


def number(row: Row | None, name: str) -> float | None:
    """A number of a row, if there is one; a mean of runs that diverged may be none."""
    value = None if row is None else row[name]
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def scores_of(row: Row) -> tuple[float, ...]:
    """The score of each split, in their order, in percent."""
    return tuple(map(float, str(row["scores"]).split()))


def spread(numbers: Sequence[float | None], digits: int = 2) -> str:
    """A mean and, if known, its deviation.

    Args:
        numbers: One or two numbers.
        digits: How many after the point.

    Example:
        >>> spread([94.92, 2.88]), spread([71.8]), spread([])
        ('94.92 ± 2.88', '71.80', '')
    """
    return " ± ".join(f"{value:.{digits}f}" for value in numbers if value is not None)


def measured(row: Row) -> str:
    """Our mean, its deviation and how many runs it is of."""
    runs = f"n = {row['runs']}"
    if row["diverged"]:
        runs += f", {row['diverged']} diverged"
    if row["tried"]:
        runs += f", {row['tried']} tried"
    mean = spread([number(row, "mean"), number(row, "deviation")]) or "no mean"
    return f"{mean} ({runs})"


def signed(value: float, digits: int = 2) -> str:
    """A difference with its sign.

    Args:
        value: The difference.
        digits: How many after the point.

    Example:
        >>> signed(0.5), signed(-1.234), signed(-0.001)
        ('+0.50', '−1.23', '0.00')
    """
    if round(value, digits) == 0:
        return f"{0:.{digits}f}"
    return f"{value:+.{digits}f}".replace("-", "−")


def compared(row: Row, with_what: str = "published", *, word: str = "") -> str:
    """A difference, its interval and the verdict; empty where there was nothing to compare with.

    Args:
        row: Our row.
        with_what: ``"published"`` or ``"rerun"``.
        word: What is said in place of the verdict.
    """
    difference = number(row, f"{with_what}_difference")
    if difference is None:
        return ""
    low, high = number(row, f"{with_what}_low"), number(row, f"{with_what}_high")
    interval = "" if low is None or high is None else f" [{signed(low)}, {signed(high)}]"
    return f"{signed(difference)}{interval}, {word or row[f'{with_what}_verdict']}"


def judged(cell: Cell, row: Row) -> str:
    """The difference to the published mean with what may be called of it, or why the two cannot be compared.

    Args:
        cell: What was printed.
        row: Ours, of any kind.
    """
    if row["kind"] == "honest":
        reason = why_incomparable(cell, row)
        return f"not comparable: {reason}" if reason else compared(row)
    return compared(row, word="" if cell.settings is not None else "with our default settings")


def as_table(results: Results) -> Table:
    """Every number of some rows, a line each."""
    lines = []
    for row in results.rows:
        cell = results.spec.cell(str(row["row"]), str(row["column"]))
        lines.append(
            (cell.row, cell.column.name, str(row["kind"]), printed(cell), measured(row), judged(cell, row))
        )
    return Table(
        "Mean ± deviation in percent; the difference is ours minus the published mean, with its 95% interval.",
        ("row", "column", "kind", "published", "ours", "difference"),
        tuple(lines),
    )


def data_of(column: Column) -> str:
    """The data that honest numbers of a column are of."""
    same = column.corrected is not None and column.corrected.dataset == column.dataset
    return f"{column.dataset} corrected" if same else column.honest.dataset


def title_of(column: Column, kind: Kind) -> str:
    """The name of a column; with its score in brackets, or for honest numbers its data, where these are corrected."""
    if column.score:
        return f"{column.name} ({column.score.replace('_', ' ').upper()})"
    if kind != "honest" or column.corrected is None:
        return column.name
    name, data = column.name.lower(), column.corrected.dataset
    told = "filtered" if data == f"{name}-filtered" else "corrected" if data == name else data
    return f"{column.name} ({told})"


def why_incomparable(cell: Cell, row: Row) -> str:
    """Why a number of ours cannot be compared with the published one; empty where it can."""
    if row["published_verdict"] != INCOMPARABLE:
        return ""
    if cell.incomparable:
        return cell.incomparable
    moved = row["kind"] == "honest" and cell.column.corrected is not None
    return f"Other data: {data_of(cell.column)}." if moved else "Too few runs for an interval."


def comparable(cell: Cell, kind: Kind | None) -> bool:
    """Whether a number may be held against those below and above it.

    Args:
        cell: Its place.
        kind: That of ours; nothing for the published one.
    """
    if kind is None and cell.incomparable:
        return False
    changes = cell.row_changes if kind == "honest" else cell.changes
    return changes.get("splits", {}).keys() <= {"count"}  # more or fewer runs are of the same protocol


def shortened(cell: Cell, row: Row) -> bool:
    """Whether a number by the same protocol is of fewer runs than its column plans.

    Args:
        cell: Its place.
        row: Ours.
    """
    planned = (cell.drawn or cell.column.protocol.splits).get("count", 0)
    return row["kind"] == "same" and int(row["runs"] or 0) < planned


def allowed(cell: Cell, row: Row, *, as_many: bool = False) -> float:
    """By how much our mean may be below the printed one and still agree: some standard errors of the difference.

    Runs of a mean that was printed without a deviation are taken to differ as ours do.

    Args:
        cell: What was printed.
        row: Our row.
        as_many: Take ours for a mean of as many runs as the printed one.
    """
    ours, runs = number(row, "deviation"), number(row, "runs")
    if ours is None or runs is None or runs < 2:
        return 0.0
    less = 0 if cell.protocol.deviation == "sample" else 1
    variance, theirs = ours**2 * runs / (runs - less), number(row, "published_deviation")
    own = variance / (cell.runs if as_many else runs)
    other = variance / cell.runs if theirs is None else cell.error_of((0.0, theirs)) ** 2
    return cell.errors * math.sqrt(own + other)


def printed(cell: Cell) -> str:
    """What was published, and what was printed beside the settings where that is another number."""
    text = spread(cell.published) or "not published"
    return f"{text} (beside its settings: {spread(cell.beside)})" if cell.beside else text
