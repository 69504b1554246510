"""How lucky a printed mean would have to be: as the best of how many equally good settings it could be expected."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev

from allpass.papers.pages.tables.best_of import best_among, told
from allpass.papers.pages.tables.cells import Results, scores_of
from allpass.papers.study import Row
from allpass.papers.tables.cell import Cell


@dataclass(frozen=True)
class Chance:
    """A printed mean beside what its settings are worth, in percent.

    Args:
        printed: The printed mean.
        worth: The mean of ours.
        own: Its standard error.
        error: That of a mean like the printed one, by its seeds (and, where the splits of the source are not known, by
            its splits too).
        tried: How many settings the published grid has.
        seeds: With how many other seeds ours was run on the splits of the source; 0 where it is of other splits.
    """

    printed: float
    worth: float
    own: float
    error: float
    tried: int
    seeds: int = 0

    @classmethod
    def of(cls, results: Results, cell: Cell, row: Row) -> Chance | None:
        """From rows; nothing where other seeds were not run on the splits of the source, or the grid is not known.

        Args:
            results: The rows of the table.
            cell: What was printed.
            row: Ours with the same settings.
        """
        again, printed = results.get(cell, "again"), (cell.beside or cell.published)[0]
        grid = results.spec.honest.grid(cell.model, cell.fixed, cell.space)
        if any((cell.settings or {}).get(name) not in values for name, values in grid.items()):
            return None  # its settings are of another one
        tried = math.prod(len(values) for values in grid.values())
        if again is not None:
            means = scores_of(again)
            error = stdev(means)
            return cls(printed, fmean(means), error / math.sqrt(len(means)), error, tried, len(means))
        scores = scores_of(row)
        if cell.on_splits_of_source or len(scores) < 2:
            return None
        own, error = (stdev(scores) / math.sqrt(runs) for runs in (len(scores), cell.runs))
        return cls(printed, fmean(scores), own, error, tried)

    @property
    def settings(self) -> float:
        """The best of how many equally good settings would be expected to reach what is printed."""
        error = math.hypot(self.own, self.error)
        return best_among((self.printed - self.worth) / error) if error > 0 else math.inf

    @property
    def enough(self) -> bool:
        """Whether the source tried as many."""
        return self.settings <= self.tried

    def told(self) -> str:
        """As a sentence."""
        seeds = (
            f"{self.seeds} means of other seeds on these splits give {self.worth:.2f} ± {self.error:.2f}. "
        )
        return (
            f"{seeds if self.seeds else ''}By chance the best of {told(self.settings)} equally good settings would be "
            f"expected to reach what is printed; the published grid has {self.tried}."
        )
