"""What others reach with the rivals of a table on the same graphs: how strong the rows are that ACM is held against."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from allpass.papers.pages.page import Block, Heading, Table, Text
from allpass.papers.pages.tables.cells import Results, title_of
from allpass.papers.tables.cell import Column
from allpass.papers.tables.elsewhere import Elsewhere

_ABOUT = (
    "The source of this table has no numbers for these graphs. Others publish stronger networks on them than the "
    "rivals here, which stand as the source has them elsewhere: two layers of 64 channels, without residual "
    "connections and normalisation. So what ACM gains over these rivals is no gain over the best that is known."
)


class Beside(NamedTuple):
    """A graph on which others report networks.

    Args:
        column: The graph.
        others: Who, and what they report.
        ours: Our honest means, by row.
    """

    column: Column
    others: Elsewhere
    ours: dict[str, float]

    def best(self, beginning: str) -> tuple[str, float] | None:
        """Our best row whose name begins so, if there is one."""
        found = {name: mean for name, mean in self.ours.items() if name.startswith(beginning)}
        return max(found.items(), key=lambda item: item[1]) if found else None


def elsewhere(results: Results) -> tuple[Block, ...]:
    """The section; nothing where the table has no such numbers.

    Args:
        results: The rows of the table.
    """
    lines = []
    for column, others, ours in (places := [*_places(results)]):
        theirs = ", ".join(f"{name} {mean:.1f}" for name, mean in others.means[column.name].items())
        own = ", ".join(f"{name} {mean:.1f}" for name, mean in ours.items())
        lines.append((title_of(column, "honest"), theirs, f"{others.source}: {others.about}", own))
    if not places:
        return ()
    header = ("graph", "elsewhere", "by whom, and with what", "ours, honest")
    return Heading("What others reach"), Text(_ABOUT), Table("Means in percent.", header, tuple(lines))


def told_elsewhere(results: Results) -> tuple[str, ...]:
    """On which graphs a GCN of others is no worse than our best ACM network; nothing where there is none.

    Args:
        results: The rows of the table.
    """
    told: dict[str, str] = {}
    for place in _places(results):
        theirs, acm = place.others.means[place.column.name].get("GCN"), place.best("ACM")
        if theirs is not None and acm is not None and theirs >= acm[1]:
            name = title_of(place.column, "honest")
            rivals = [f"{row} {mean:.1f}" for row, mean in place.ours.items() if row == "GCN"]
            told[name] = f"{name}: {theirs:.1f} (here {', '.join([*rivals, f'{acm[0]} {acm[1]:.1f}'])})"
    if not told:
        return ()
    return (
        "A GCN with residual connections and normalisation, as others publish it, reaches no less than the best ACM "
        f"network here on {'; '.join(told.values())}.",
    )


def _places(results: Results) -> Iterator[Beside]:
    for others in results.spec.elsewhere:
        for column in results.spec.columns:
            if column.name in others.means:
                cells = [results.cell(row, column) for row in results.spec.rows]
                means = {cell.row: results.mean(cell, "honest") for cell in cells if cell is not None}
                yield Beside(column, others, {row: mean for row, mean in means.items() if mean is not None})
