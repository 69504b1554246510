"""The page of every study by its ID."""

from __future__ import annotations

from collections.abc import Mapping

from allpass.report.results import complexity, examples, homophily, rank
from allpass.report.results.depth import page as depth
from allpass.report.results.page import Builder
from allpass.report.results.synthetic import page as synthetic
from allpass.report.results.tables import accuracy, bars, few_labels

PAGES: Mapping[str, Builder] = {
    "table1": few_labels.page,
    "acm-random": accuracy.page,
    "acm-fixed": accuracy.page,
    "acm-deezer": accuracy.page,
    "acm-bars": bars.page,
    "ablation": accuracy.page,
    "homophily": homophily.page,
    "synthetic": synthetic.page,
    "rank": rank.page,
    "depth": depth.page,
    "examples": examples.page,
    "complexity": complexity.page,
}
"""What makes the page of a study of its rows."""
