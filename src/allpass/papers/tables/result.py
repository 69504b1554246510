"""A row of a table of accuracies: one number of ours, and what it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Self

from allpass.papers.result import Cell, Result

Kind = Literal["same", "seeds", "fresh", "tuned"]
KINDS: tuple[Kind, ...] = ("same", "seeds", "fresh", "tuned")
"""The published settings on the splits of the source; the same with other seeds; the same on splits that did not choose
the settings; settings tuned on validation nodes."""

_WRITTEN = {"seeds": "again", "tuned": "honest"}
_READ = {written: kind for kind, written in _WRITTEN.items()}


@dataclass(frozen=True)
class Compared:
    """A printed mean, and ours minus it.

    Args:
        mean: The printed mean, in percent; None where none was printed.
        deviation: What stands behind its ±.
        difference: Ours minus it, in points.
        low: The lower end of the 95% interval of the difference.
        high: The upper end.
        verdict: ``"agrees"``, ``"better"``, ``"worse"``, ``"not comparable"``; or empty.
    """

    mean: float | None = None
    deviation: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: str = ""

    @classmethod
    def of_cells(cls, name: str, cells: dict[str, Any]) -> Self:
        """Takes its columns, which begin with a name, out of the cells of a row."""
        return cls(cells.pop(name), *(cells.pop(f"{name}_{field.name}") for field in fields(cls)[1:]))

    def cells(self, name: str) -> dict[str, Cell]:
        """Its columns, which begin with a name."""
        values = vars(self)
        return {name if field == "mean" else f"{name}_{field}": values[field] for field in values}


@dataclass(frozen=True, kw_only=True)
class Accuracy(Result):
    """One number of ours: a mean score on test nodes, in percent.

    Args:
        variant: What it changes of its row; in ``ablation`` the network; or empty.
        kind: What it is, one of ``KINDS``.
        settings: The settings, as JSON.
        deviation: Of the runs, as the source defines it.
        scores: The score of every split; of other seeds one mean over splits each.
        tried: Among how many settings it was tuned.
        best_on_test: What the best setting by test nodes gives.
        chosen_apart: The mean where each split chooses by its own validation nodes.
        majority: The accuracy of the most frequent class.
        overlap: How much the splits share, for intervals between rows.
        published: Against the source.
        rerun: Against the authors' own code, run again.
    """

    place: ClassVar[tuple[str, ...]] = ("variant", "row", "column", "kind")

    variant: str
    row: str
    column: str
    kind: Kind
    dataset: str
    model: str
    strategy: str
    splits: str
    score: str
    settings: str
    runs: int
    diverged: int
    mean: float | None
    deviation: float | None
    validation: float | None
    scores: str
    epochs: float
    tried: int
    best_on_test: float | None
    chosen_apart: float | None
    majority: float | None
    overlap: float
    published: Compared
    rerun: Compared
    quick: bool

    @property
    def name(self) -> str:
        """Variant and row in one."""
        return joined(self.variant, self.row)

    @property
    def learns(self) -> bool:
        """Whether it is above the most frequent class, as far as that is known."""
        return self.mean is not None and (self.majority is None or self.mean > self.majority)

    @property
    def agrees(self) -> bool | None:
        """Whether it agrees with or exceeds the source or the authors' own code; None where neither can be compared."""
        words = {self.published.verdict, self.rerun.verdict} - {"", "not comparable"}
        return bool(words & {"agrees", "better"}) if words else None

    @classmethod
    def of_cells(cls, cells: Mapping[str, Any]) -> Self:
        """The row with these cells; the old files write variant and row as one name."""
        cells = dict(cells)
        variant, _, row = cells.pop("row").rpartition(": ")
        kind = cells.pop("kind")
        published, rerun = (Compared.of_cells(name, cells) for name in ("published", "rerun"))
        names = {"variant": variant, "row": row, "kind": _READ.get(kind, kind)}
        return cls(**names, **cells, published=published, rerun=rerun)

    def cells(self) -> dict[str, Cell]:
        """The cells of the row, as the old files have them."""
        found: dict[str, Cell] = {}
        for name in type(self).columns()[1:]:
            value = getattr(self, name)
            found |= value.cells(name) if isinstance(value, Compared) else {name: value}
        return {**found, "row": self.name, "kind": _WRITTEN.get(self.kind, self.kind)}


def joined(variant: str, row: str) -> str:
    """The name of a row in the files and on the command line.

    Example:
        >>> joined("Alpha 0.9", "APPNP"), joined("", "APPNP")
        ('Alpha 0.9: APPNP', 'APPNP')
    """
    return f"{variant}: {row}" if variant else row
