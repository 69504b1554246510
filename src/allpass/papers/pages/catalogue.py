"""The page of every study by its ID."""

from __future__ import annotations

from collections.abc import Mapping

from allpass.papers.pages import complexity, examples, homophily, rank
from allpass.papers.pages.depth import page as depth
from allpass.papers.pages.page import Builder
from allpass.papers.pages.synthetic import page as synthetic
from allpass.papers.pages.tables import accuracy, bars, few_labels

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
