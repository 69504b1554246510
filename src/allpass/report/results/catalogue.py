"""The page of every study by its ID."""

from __future__ import annotations

from collections.abc import Mapping

from allpass.report.results import accuracy, bars, few_labels
from allpass.report.results.page import Builder

PAGES: Mapping[str, Builder] = {
    "table1": few_labels.page,
    "acm-random": accuracy.page,
    "acm-fixed": accuracy.page,
    "acm-deezer": accuracy.page,
    "acm-bars": bars.page,
    "ablation": accuracy.page,
}
"""What makes the page of a study of its rows."""
