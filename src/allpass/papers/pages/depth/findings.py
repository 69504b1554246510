"""What the rows of the study of depth say: how deep a network trains, what helps, and how far predictions hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import stats

from allpass.papers.depth import DepthStudy
from allpass.papers.depth.grid import Combination
from allpass.papers.pages.page import of_kind
from allpass.papers.pages.tables.cells import number, scores_of
from allpass.papers.study import Row, Study
from allpass.train.statistics import Difference, holm, paired

LEVEL = 0.05
"""Up to which chance of any false alarm a difference is called significant."""

_EQUAL = 1e-9
Verdict: TypeAlias = Literal["better", "worse", ""]


@dataclass(frozen=True)
class Growth:
    """By how much a size changes from one hidden layer to the next, in powers of ten.

    Args:
        measured: At the start, between the first hidden layer and the last.
        independent: As derived for neighbours that are independent.
        alike: As derived for neighbours that are the same; of gradients that was not derived.
    """

    measured: float
    independent: float
    alike: float | None = None


class Reach(NamedTuple):
    """The depth to which a network keeps the accuracy of the shallowest one, 0 where that one learns nothing.

    Args:
        sure: To where the 95% interval of what it loses, split by split, stays within the tolerance.
        possible: To where some of that interval does.
    """

    sure: int
    possible: int

    def __str__(self) -> str:
        return f"{self.sure}" if self.sure == self.possible else f"{self.sure}–{self.possible}"


class Findings:
    """The rows of the study by their combinations.

    Args:
        study: The study.
        rows: Its rows.
    """

    def __init__(self, study: Study, rows: Sequence[Row]) -> None:
        self.grid, self.rows = of_kind(study, DepthStudy).spec, rows
        self.found: Mapping[Combination, Row] = {combination_of(row): row for row in rows}
        self._ahead = self._compare()
        self._verdicts = self._judge()

    @property
    def depths(self) -> list[int]:
        """The numbers of layers that there are rows of."""
        return sorted({place.layers for place in self.found})

    def present(self, axis: str) -> list[str]:
        """The names on an axis that there are rows of, in the order of the grid.

        Args:
            axis: A name of the grid's axes.
        """
        held = {"datasets": "dataset", "activations": "activation", "initialisations": "initialisation"}[axis]
        there = {getattr(place, held) for place in self.found}
        return [name for name in self.grid.axes[axis] if name in there]

    def row(self, dataset: str, activation: str, initialisation: str, layers: int) -> Row | None:
        """The row of a combination, if there is one."""
        return self.found.get(Combination(dataset, activation, initialisation, layers))

    def networks(self, initialisation: str, layers: int) -> list[Combination]:
        """What was run from an initialisation with a number of layers, on all datasets with all activations."""
        return [
            place for place in self.found if (place.initialisation, place.layers) == (initialisation, layers)
        ]

    @property
    def compared(self) -> list[Combination]:
        """What is compared with the baseline: not what diverges, of which there is nothing to ask."""
        return [place for place in self._ahead if not self.diverges(place)]

    def has_rival(self, combination: Combination) -> bool:
        """Whether there is a baseline to compare with.

        Args:
            combination: The network.
        """
        return combination in self._ahead

    def ahead(self, combination: Combination) -> Difference:
        """How far a network is ahead of the baseline, split by split, corrected for the nodes that splits share.

        Args:
            combination: One with a baseline.
        """
        return self._ahead[combination]

    def verdict(self, combination: Combination) -> Verdict:
        """Whether an initialisation differs from the baseline, by Holm over a dataset with an activation."""
        return self._verdicts.get(combination, "")

    def reach(self, dataset: str, activation: str, initialisation: str) -> Reach | None:
        """How deep a combination trains; depths that were not run are passed over.

        Args:
            dataset: Where.
            activation: With what.
            initialisation: From what.

        Returns:
            Nothing where the shallowest network was not run.
        """
        shallowest, *deeper = self.grid.depths
        shallow = self.row(dataset, activation, initialisation, shallowest)
        if shallow is None:
            return None
        if not self.learns(combination_of(shallow)):
            return Reach(0, 0)
        rows = [row for depth in deeper if (row := self.row(dataset, activation, initialisation, depth))]
        kept = [(int(row["layers"] or 0), self._kept(row, shallow)) for row in rows]

        def deepest(side: int) -> int:
            return max((depth for depth, _ in takewhile(lambda one: one[1][side], kept)), default=shallowest)

        return Reach(deepest(0), deepest(1))

    def _kept(self, row: Row, shallow: Row) -> tuple[bool, bool]:
        """Whether a network surely, and whether it possibly keeps the accuracy of a shallow one."""
        ahead = paired(scores_of(row), scores_of(shallow))
        return ahead.low >= -self.grid.tolerance, ahead.high >= -self.grid.tolerance

    def may_grow(self, dataset: str, activation: str, initialisation: str) -> bool:
        """Whether networks deeper than that depth are there to be run, and none of them is.

        Args:
            dataset: Where.
            activation: With what.
            initialisation: From what.
        """
        reach = self.reach(dataset, activation, initialisation)
        deeper = [depth for depth in self.grid.depths if reach and depth > reach.possible > 0]
        rows = (self.row(dataset, activation, initialisation, depth) for depth in deeper)
        return bool(deeper) and all(row is None for row in rows)

    def lost(self) -> tuple[int, int]:
        """How many combinations lose accuracy by depth, and how many of those lose it on the training nodes too."""
        lost = unfitted = 0
        for place, row in self.found.items():
            shallow = self.found.get(place._replace(layers=self.grid.depths[0]))
            if shallow is None or not _below(row, shallow, "mean", self.grid.tolerance):
                continue
            lost += 1
            unfitted += _below(row, shallow, "train", self.grid.tolerance)
        return lost, unfitted

    def growth(self, combination: Combination, quantity: str = "variance") -> Growth | None:
        """The growth of a size; nothing without two hidden layers that hold numbers.

        Args:
            combination: Of which network.
            quantity: ``"variance"``, ``"gradient_variance"`` or ``"energy"``.
        """
        row = self.found.get(combination, {})
        derived = [of for of in ("independent", "alike") if f"{of}_{quantity}" in row]
        slopes = [self.slope(combination, f"{of}_{quantity}") for of in ("start", *derived)]
        known = [slope for slope in slopes if slope is not None]
        return Growth(*known) if derived and len(known) == len(slopes) else None

    def slope(self, combination: Combination, name: str) -> float | None:
        """By how much a size changes from one hidden layer to the next, in powers of ten, on average over them.

        Args:
            combination: Of which network.
            name: The column, such as ``"start_variance"``.

        Returns:
            Nothing without two hidden layers that hold numbers.
        """
        row = self.found.get(combination)
        hidden = [] if row is None else series(row, name)[:-1]
        if len(hidden) < 2:
            return None
        slope = (hidden[-1] - hidden[0]) / (len(hidden) - 1)
        return slope if math.isfinite(slope) else None

    def diverges(self, combination: Combination) -> bool:
        """Whether all runs of a network diverged.

        Args:
            combination: The network.
        """
        row = self.found[combination]
        return row["diverged"] == row["runs"]

    def learns(self, combination: Combination) -> bool:
        """Whether the 95% interval of a network's accuracy lies above what the most frequent class gives.

        Args:
            combination: The network.
        """
        row = self.found[combination]
        return (number(row, "low") or 0.0) > (number(row, "majority") or 0.0)

    def without_rival(self, combination: Combination) -> bool:
        """Whether the baseline that a network is compared with does no better than the most frequent class.

        Args:
            combination: The network.
        """
        return not self.learns(combination._replace(initialisation=self.grid.baseline))

    def needed(self) -> float:
        """How large a difference has to be, as the largest of its family, to be significant: half of all need more."""
        found = []
        for family in self._families():
            for ahead in map(self.ahead, family):
                usual, strict = stats.t.isf([0.025, LEVEL / 2 / len(family)], ahead.count - 1)
                found.append(ahead.margin * strict / usual)
        return float(np.median(found))

    def _compare(self) -> dict[Combination, Difference]:
        """The differences of all that has a baseline and runs enough."""
        found = {}
        for place, row in self.found.items():
            baseline = self.found.get(place._replace(initialisation=self.grid.baseline))
            if baseline is not None and baseline is not row and len(scores_of(row)) > 1:
                overlap = number(row, "overlap") or 0.0
                found[place] = paired(scores_of(row), scores_of(baseline), overlap=overlap)
        return found

    def _families(self) -> list[list[Combination]]:
        """What is compared with the baseline, by what is corrected together: a dataset with an activation."""
        families: dict[tuple[str, str], list[Combination]] = {}
        for place in self.compared:
            families.setdefault((place.dataset, place.activation), []).append(place)
        return list(families.values())

    def _judge(self) -> dict[Combination, Verdict]:
        found: dict[Combination, Verdict] = {}
        for family in self._families():
            raised = holm([_p_value(self.ahead(place)) for place in family])
            for place, p in zip(family, raised, strict=True):
                found[place] = "" if p >= LEVEL else "better" if self.ahead(place).mean > 0 else "worse"
        return found


def failures(rows: Sequence[Row]) -> tuple[int, int, int]:
    """How many runs diverged, how many exploded, and how many there were, with all learning rates.

    Args:
        rows: Of which networks.
    """
    diverged, exploded, tried = (
        sum(int(row[name] or 0) for row in rows) for name in ("tried_diverged", "tried_exploded", "tried")
    )
    return diverged, exploded, tried


def combination_of(row: Row) -> Combination:
    """The combination that a row is of."""
    return Combination(
        str(row["dataset"]), str(row["activation"]), str(row["initialisation"]), int(row["layers"] or 0)
    )


def series(row: Row, name: str) -> list[float]:
    """What a row has layer by layer, in powers of ten.

    Args:
        row: The row.
        name: The column.
    """
    return [float(value) for value in str(row[name] or "").split()]


def _p_value(ahead: Difference) -> float:
    """Student's t knows nothing of differences that are equal but for rounding."""
    return ahead.p_value if ahead.deviation > _EQUAL else ahead.p_flipped


def _below(row: Row, shallow: Row, name: str, tolerance: float) -> bool:
    return (number(row, name) or 0.0) < (number(shallow, name) or 0.0) - tolerance
