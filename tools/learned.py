"""The generated table of an adjacency learner's settings: what changing one of them did to the accuracy."""

from __future__ import annotations

from allpass.models import MODELS
from allpass.papers.adjacency.generated import FAMILY_OF_OPTIONS, OPTIONS, STUDY
from allpass.papers.adjacency.trials import points
from allpass.papers.result import read_results
from tools.blocks import ROOT, table


def options() -> str:
    """Each option of stability with its paired effect, from the committed rows of the study of drawn graphs."""
    rows = read_results(ROOT / "docs" / "results" / f"{STUDY.id}.csv", STUDY.result)
    entry, before = MODELS["adjacency-gcn"], STUDY.arms[f"{FAMILY_OF_OPTIONS}/top-k"]["fixed"]
    known = {**entry.settings, **entry.training, **before}
    found = []
    for name, changed in OPTIONS.items():
        gain = STUDY.gain(rows, FAMILY_OF_OPTIONS, name, "top-k")
        was = ", ".join(f"{known[setting]}" for setting in changed)
        now = ", ".join(f"{value}" for value in changed.values())
        settings = ", ".join(f"`{setting}`" for setting in changed)
        found.append((settings, was, now, points(gain)))
    return table(("setting", "from>", "to>", "accuracy, points [95% interval]>"), found)
