"""What was found on one list of levels with the features of one dataset, as curves over the levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from allpass.metrics import METRICS
from allpass.papers.pages.tables.cells import signed
from allpass.papers.study import Row
from allpass.papers.synthetic.ranking import Floats, Interval, leads_here, rankings
from allpass.papers.synthetic.study import SyntheticStudy

CLAIMED = "modified_aggregation_homophily"
"""The metric that the source says ranks accuracy best."""
OLDER = ("edge_homophily", "node_homophily", "class_homophily")
"""Those it is said to rank better than."""


@dataclass(frozen=True)
class Curves:
    """What was found on one list of levels with the features of one dataset.

    Args:
        series: The list of levels.
        base: The dataset.
        rows: Rows of networks and metrics by name and level.
        flat: Rows of networks that see no graph.
    """

    series: str
    base: str
    rows: Mapping[str, Mapping[float, Row]]
    flat: Mapping[str, Row]

    @cached_property
    def levels(self) -> list[float]:
        """Levels of which all is known that is known of any."""
        return sorted(set.intersection(*(set(by_level) for by_level in self.rows.values())))

    def values(self, what: str) -> Floats:
        """By level and graph."""
        return np.array(
            [
                [float(value) for value in str(self.rows[what][level]["values"]).split()]
                for level in self.levels
            ]
        )

    @cached_property
    def metrics(self) -> dict[str, Floats]:
        """Values by metric."""
        return {what: self.values(what) for what in self.rows if what in METRICS}

    @property
    def shown(self) -> list[str]:
        """The metrics of the source."""
        return [metric for metric in (*OLDER, CLAIMED) if metric in self.metrics]

    @cached_property
    def networks(self) -> dict[str, Floats]:
        """Accuracies by network, in percent."""
        return {what: self.values(what) for what in self.rows if what not in METRICS}

    @cached_property
    def ranked(self) -> dict[str, tuple[dict[str, Interval], dict[str, Interval]]]:
        """How each metric ranks the accuracy of each network, and how far the claimed one leads."""
        return {name: rankings(self.metrics, values, self._against) for name, values in self.networks.items()}

    @cached_property
    def leads_here(self) -> dict[str, dict[str, Interval]]:
        """How far the claimed metric leads on these very levels."""
        if not self._against:
            return {name: {} for name in self.networks}
        shown = {name: self.metrics[name] for name in self.shown}
        return {name: leads_here(shown, values, self._against) for name, values in self.networks.items()}

    @property
    def _against(self) -> str:
        return CLAIMED if CLAIMED in self.metrics else ""

    @property
    def enough(self) -> bool:
        """Whether there are levels, metrics and networks to speak of."""
        return len(self.levels) > 1 and bool(self.metrics) and bool(self.networks)


def all_curves(study: SyntheticStudy, rows: Sequence[Row]) -> Iterator[Curves]:
    """Those of every list of levels and dataset of features that has any.

    Args:
        study: The study.
        rows: Its rows.
    """
    for series in study.spec.series:
        for base in study.spec.bases:
            mine = [row for row in rows if row["series"] == series and row["base"] in ("", base)]
            found = {
                what: {cast(float, row["level"]): row for row in mine if row["what"] == what}
                for what in (*study.spec.metrics, *study.spec.models)
            }
            flat = {str(row["what"]): row for row in rows if not row["series"] and row["base"] == base}
            # A network that has only begun has no curve yet: it would cut those of all others short.
            most = max(len(found[what]) for what in study.spec.models)
            done = {
                what: by_level
                for what, by_level in found.items()
                if by_level and (what in METRICS or len(by_level) == most)
            }
            if most:
                yield Curves(series, base, done, flat)


def by_series(curves: Sequence[Curves]) -> dict[str, list[Curves]]:
    """Those of each list of levels together.

    Args:
        curves: What was found.
    """
    return {
        series: [found for found in curves if found.series == series]
        for series in dict.fromkeys(found.series for found in curves)
    }


def symbol(metric: str) -> str:
    """How a metric is written."""
    return METRICS[metric].symbol


def between(found: Interval, digits: int = 2) -> str:
    """A number with its interval, or a dash where there is none."""
    if np.isnan(found.value):
        return "–"
    return f"{signed(found.value, digits)} [{signed(found.low, digits)}, {signed(found.high, digits)}]"
