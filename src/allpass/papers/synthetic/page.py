"""What the page of the synthetic graphs says: levels that agree, how metrics rank accuracy, and the curves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from allpass.metrics import METRICS
from allpass.papers.synthetic.level import Level
from allpass.papers.synthetic.ranking import Floats, lead, spearman
from allpass.papers.synthetic.spec import SyntheticSpec
from allpass.report.canvas import in_style, legend, panels
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

CLAIMED = "modified_aggregation_homophily"
"""The metric that is said to rank accuracy best."""
OLDER = ("edge_homophily", "node_homophily", "class_homophily")
"""Those it is said to rank better than."""
AVERAGING = ("SGC-1", "GCN", "ACM-GCN")
"""The networks whose accuracy is ranked."""
_LINES = {"SGC-1": ("low", "-", "o"), "GCN": ("high", "-", "s"), "ACM-GCN": ("both", "--", "^")}


class Curves:
    """The values of networks and metrics over the levels of one series with the features of one dataset.

    Args:
        results: All rows.
        series: The list of levels.
        base: The dataset.
    """

    def __init__(self, results: Sequence[Level], series: str, base: str) -> None:
        self.rows: dict[str, dict[float, Level]] = {}
        for one in results:
            if one.series == series and one.base in ("", base) and one.level is not None:
                self.rows.setdefault(one.what, {})[one.level] = one

    def values(self, what: str, levels: Sequence[float]) -> Floats:
        """By level and graph."""
        rows = self.rows[what]
        return np.array([[float(value) for value in str(rows[level].values).split()] for level in levels])

    def levels(self, *whats: str) -> list[float]:
        """The levels at which all of some are known."""
        return sorted(set.intersection(*(set(self.rows.get(what, {})) for what in whats)))


def facts(spec: SyntheticSpec, results: Sequence[Level]) -> dict[str, object]:
    """The numbers that the words name.

    Args:
        spec: What was run.
        results: The rows.
    """
    compared = [one for one in results if one.difference is not None]
    hard = [one for one in compared if 25 <= (one.published or 0) <= 95]
    by_network = {name: [one for one in compared if one.what == name] for name in spec.models}
    found: dict[str, object] = {"within": _within(spec, compared), "hard": _within(spec, hard)}
    for name, mine in by_network.items():
        found[f"within_{name.lower().replace('-', '_').replace(' ', '_')}"] = _within(spec, mine)
    for series in spec.series:
        worse = 0
        for older in OLDER:
            better = 0
            for base, network in product(spec.bases, AVERAGING):
                curves = Curves(results, series, base)
                whats = (CLAIMED, older, network)
                levels = curves.levels(*whats)
                if len(levels) > 2:
                    claimed, other, scores = (curves.values(what, levels) for what in whats)
                    _, low, high = lead(claimed, other, scores)
                    better, worse = better + (low > 0), worse + (high < 0)
            found[f"{series}_{older.removesuffix('_homophily')}_better"] = better
        found[f"{series}_worse"] = worse
    return found


def matrix(spec: SyntheticSpec, results: Sequence[Level]) -> DataFrame:
    """Levels that agree, and the rank correlation of accuracy with each metric over the first series."""
    from pandas import DataFrame, Index

    series, lines = next(iter(spec.series)), []
    for network in AVERAGING:
        for base in spec.bases:
            curves = Curves(results, series, base)
            if network not in curves.rows:
                continue
            mine = [one for one in curves.rows[network].values() if one.difference is not None]
            worst = max((one.difference or 0.0 for one in mine), key=abs, default=0.0)
            ranks = (_rank(curves, metric, network) for metric in (*OLDER, CLAIMED))
            lines.append((network, base, _within(spec, mine), f"{worst:+.1f}".replace("-", "−"), *ranks))
    agreement = [f"levels within {spec.tolerance:g} points", "largest difference"]
    symbols = [f"rank corr. with {METRICS[metric].symbol}" for metric in (*OLDER, CLAIMED)]
    names = ["network", "features of", *agreement, *symbols]
    return DataFrame(lines, columns=Index(names)).set_index("network")


@in_style
def picture(spec: SyntheticSpec, results: Sequence[Level]) -> Figure:
    """Accuracy against edge homophily and against the claimed metric, with the features of the first dataset.

    Args:
        spec: What was run.
        results: The rows.
    """
    curves = Curves(results, next(iter(spec.series)), spec.bases[0])
    figure, (grid,) = panels(1, 2, 3.3, sharey=True)
    for panel, metric in zip(grid, (OLDER[0], CLAIMED), strict=True):
        for network, (role, line, marker) in _LINES.items():
            levels = curves.levels(network, metric)
            if not levels:
                continue
            x, accuracy = (curves.values(what, levels).mean(1) for what in (metric, network))
            order = np.argsort(x, kind="stable")
            panel.plot(
                x[order], accuracy[order], line, marker=marker, color=light(role), markersize=3, label=network
            )
            printed = np.array([curves.rows[network][level].published for level in levels], dtype=float)
            hollow, *_ = panel.plot(x, printed, marker, markersize=6, markeredgewidth=0.7)
            hollow.set(markerfacecolor="none", markeredgecolor=light(role))
        panel.set(xlabel=METRICS[metric].symbol, ylim=(0, 103))
        panel.grid(axis="y")
    grid[0].set_ylabel("accuracy on test nodes, %")
    legend(figure, [grid])
    return figure


def _within(spec: SyntheticSpec, rows: Sequence[Level]) -> str:
    return f"{sum(abs(one.difference or 0.0) <= spec.tolerance for one in rows)} of {len(rows)}"


def _rank(curves: Curves, metric: str, network: str) -> str:
    levels = curves.levels(network, metric)
    if len(levels) < 3:
        return "–"
    value = float(spearman(*(curves.values(what, levels).mean(1) for what in (metric, network))))
    return "–" if np.isnan(value) else f"{value:.2f}".replace("-", "−")
