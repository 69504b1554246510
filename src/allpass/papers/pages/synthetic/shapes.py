"""Whether accuracy over the levels is a U, and whether it is monotone along a metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from allpass.papers.pages.page import Table
from allpass.papers.pages.synthetic.curves import Curves, between, symbol
from allpass.papers.synthetic.ranking import largest_fall, valley
from allpass.papers.synthetic.study import SyntheticStudy


def shapes(study: SyntheticStudy, curves: Sequence[Curves]) -> Table:
    """Where each curve is lowest, how deep it is there, and how far it falls along each metric of the source.

    Args:
        study: The study.
        curves: What was found on one list of levels.
    """
    shown = curves[0].shown
    lines = []
    for found in curves:
        for network, accuracy in found.networks.items():
            lowest = valley(accuracy)
            row = found.rows[network][found.levels[lowest.place]]
            turn = study.turning_point(cast(int, row["intra_degree"]))
            lines.append(
                (
                    f"{found.base}, {network}",
                    f"{row['level']:g} ({turn:.3f})",
                    between(lowest.depth, 1),
                    *(f"{largest_fall(found.metrics[metric], accuracy):.1f}" for metric in shown),
                )
            )
    return Table(
        f"On {study.spec.titles[curves[0].series]}: the level of the lowest accuracy (in brackets the homophily at "
        "which theory expects it for averaging), how many points it is below the lower end of the curve (a U where "
        "that is above 0), and the most that accuracy falls while a metric rises (0: monotone). Levels of one value "
        "count as no fall: a metric that says little falls little.",
        (
            "features, network",
            "lowest at",
            "depth of the U",
            *(f"fall along {symbol(metric)}" for metric in shown),
        ),
        tuple(lines),
    )
