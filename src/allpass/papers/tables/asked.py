"""What a plan asks of a table: the names it may use, the cells that these mean, and why there may be nothing to run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Literal

from allpass.papers.study import Plan
from allpass.papers.tables.cell import Cell
from allpass.papers.tables.spec import Spec

Kind = Literal["same", "again", "fresh", "honest"]
KINDS: tuple[Kind, ...] = ("same", "again", "fresh", "honest")
"""By the same protocol and settings; the same with other seeds; on other splits, or on more of them; honestly."""
_SHOWN = 3  # places that a reason names


def kinds_of(spec: Spec) -> tuple[Kind, ...]:
    """The kinds of numbers that a table has: those of other seeds and splits, where a cell of it is run on such too."""
    has = {
        "again": any(cell.again for cell in spec.cells),
        "fresh": any(cell.has_fresh for cell in spec.cells),
    }
    return tuple(kind for kind in KINDS if has.get(kind, True))


def graphs_of(spec: Spec) -> dict[str, tuple[str, ...]]:
    """The columns of each graph that has several, by the words with which all of them begin.

    Args:
        spec: The table.

    Example:
        >>> from allpass.papers.tables.spec import read_spec
        >>> graphs_of(read_spec("table1"))["PubMed"]
        ('PubMed 0.03%', 'PubMed 0.05%', 'PubMed 0.1%', 'PubMed 0.3%')
    """
    by_dataset = dict[str, list[str]]()
    for column in spec.columns:
        by_dataset.setdefault(column.dataset, []).append(column.name)
    found = {_shared(names): tuple(names) for names in by_dataset.values() if len(names) > 1}
    return {name: columns for name, columns in found.items() if name and name not in columns}


def axes(spec: Spec) -> dict[str, Sequence[str]]:
    """The names that a plan may choose from, by what they name.

    Args:
        spec: The table.
    """
    graphs, cells = graphs_of(spec), [f"{cell.row}/{cell.column.name}" for cell in spec.cells]
    return {
        "row": spec.rows,
        "column": [column.name for column in spec.columns],
        "graph": list(graphs),
        "kind": kinds_of(spec),
        "cell": cells,
        "part": [
            f"{row}/{graph}"
            for row in spec.rows
            for graph, columns in graphs.items()
            if any(f"{row}/{column}" in cells for column in columns)
        ],
    }


class Wanted:
    """Whether a plan names a cell: by ``ROW/COLUMN``, or by its row and column where these are named; and by its kind.

    A graph stands for all of its columns. A quick plan is of a few rows and columns, unless it names some.

    Args:
        spec: The table.
        plan: How much is asked for.
    """

    def __init__(self, spec: Spec, plan: Plan) -> None:
        known, graphs = axes(spec), graphs_of(spec)
        plan.check(spec.id, [name for names in known.values() for name in names])
        wanted = {cell.lower() for cell in plan.cells}
        self.named = {
            axis: {name for name in names if name.lower() in wanted} for axis, names in known.items()
        }
        self.named["column"] |= {column for graph in self.named["graph"] for column in graphs[graph]}
        for row, _, graph in (part.rpartition("/") for part in self.named["part"]):
            self.named["cell"] |= {f"{row}/{column}" for column in graphs[graph]}
        self.lines = bool(self.named["row"] or self.named["column"] or not self.named["cell"])
        for axis in ("row", "column"):
            if plan.quick and not self.named[axis]:
                self.named[axis] = set(spec.quick).intersection(known[axis])

    def __call__(self, cell: Cell, kind: Kind) -> bool:
        return (not self.named["kind"] or kind in self.named["kind"]) and self.place(cell)

    def place(self, cell: Cell) -> bool:
        """Whether numbers of any kind are wanted of a cell."""
        if f"{cell.row}/{cell.column.name}" in self.named["cell"]:
            return True
        return self.lines and all(
            not self.named[axis] or name in self.named[axis]
            for axis, name in (("row", cell.row), ("column", cell.column.name))
        )


def reasons(spec: Spec, plan: Plan) -> list[str]:
    """Why nothing that a plan names can be run, quick or not; each in the words of a sentence.

    Args:
        spec: The table.
        plan: A plan that leaves nothing to do.
    """
    wanted = Wanted(spec, Plan(plan.cells))
    cells = [cell for cell in spec.cells if wanted.place(cell)]
    if not cells:
        return ["the table has no number where these rows and columns meet"]
    asked = [kind for kind in kinds_of(spec) if kind in (wanted.named["kind"] or {"same", "honest"})]
    found = dict[str, dict[str, None]]()
    for cell in cells:
        place = f"{cell.row} on {cell.column.name}"
        if not cell.model:
            numbers = " ± ".join(f"{number:.2f}" for number in cell.published)
            place += f" (published: {numbers})" if numbers else ""
        for kind in asked:
            found.setdefault(_reason(cell, kind), {})[place] = None
    return [reason.format(_some(list(places))) for reason, places in found.items()]


def _reason(cell: Cell, kind: Kind) -> str:
    """Why a cell has no number of a kind."""
    if not cell.model:
        return "allpass has no network for {}"
    if kind == "again" and cell.settings is not None:
        return "other seeds are run of some cells that do not agree, and not of {}"
    if kind == "honest" or (kind == "fresh" and not cell.searched):
        return "only the published settings on the published splits are run of {}"
    if cell.settings is None:
        return "no settings were published of {}"
    return "the splits of the source are not known for {}, so that none can be called fresh"


def _some(places: Sequence[str]) -> str:
    more = len(places) - _SHOWN
    return ", ".join(places[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _shared(names: Sequence[str]) -> str:
    words = zip(*(name.split() for name in names), strict=False)
    return " ".join(same[0] for same in takewhile(lambda same: len(set(same)) == 1, words))
