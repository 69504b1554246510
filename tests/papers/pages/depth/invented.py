"""Invented rows of the study of depth, and what a page has of a kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from allpass.papers.depth import STUDY
from allpass.papers.pages.depth.findings import Findings
from allpass.papers.pages.page import Page, Table, Text, Value
from allpass.papers.study import Row

DEPTHS = (2, 4, 8)
GLOROT = dict(zip(DEPTHS, (86.0, 84.5, 60.0), strict=True))
SPREAD = np.tile([-0.1, 0.1], 5)
_PATTERN = stats.zscore(np.arange(10.0), ddof=1)


def row(layers: int, mean: float, initialisation: str = "glorot", **changed: object) -> Row:
    line = " ".join(f"{-0.5 * layer:.2f}" for layer in range(1, layers + 1))
    steep = " ".join(f"{-1.0 * layer:.2f}" for layer in range(1, layers + 1))
    flat = " ".join(["0.00"] * layers)
    measured = {
        f"{m}_{q}": line for m in ("start", "end") for q in ("variance", "gradient_variance", "energy")
    }
    predicted = {f"independent_{q}": steep for q in ("variance", "gradient_variance", "energy")}
    found: Row = {
        "dataset": "cora",
        "activation": "relu",
        "initialisation": initialisation,
        "layers": layers,
        "lr": 0.01,
        "runs": 10,
        "diverged": 0,
        "tried": 20,
        "tried_diverged": 0,
        "tried_exploded": 0,
        "mean": mean,
        "low": mean - 1,
        "high": mean + 1,
        "validation": mean,
        "train": mean + 5,
        "majority": 30.0,
        "scores": " ".join(f"{mean + spread}" for spread in SPREAD),
        "epochs": 100.0,
        "overlap": 0.0,
        **measured,
        **predicted,
        "alike_variance": flat,
        "alike_energy": flat,
        "quick": False,
        "seconds": 1.0,
        "allpass": "0",
        "torch": "2",
        "device": "none",
        "ended": "2026-01-01",
    }
    return {**found, **changed}  # type: ignore[dict-item]


def compared(layers: int, difference: float, p_value: float, name: str = "he") -> Row:
    """A row that is so far ahead of glorot, with just this p-value of a paired t test."""
    mean, t = GLOROT[layers] + difference, stats.t.isf(p_value / 2, 9)
    noise = _PATTERN * (abs(difference) * 10**0.5 / t if difference else 1.0)
    return row(layers, mean, name, scores=" ".join(str(score) for score in mean + SPREAD + noise))


ROWS = [
    *(row(depth, mean) for depth, mean in GLOROT.items()),
    compared(2, 0.0, 1.0),
    compared(4, 0.5, 0.02),
    compared(8, 24.0, 0.001),
]


def findings(rows: Sequence[Row] = ROWS) -> Findings:
    return Findings(STUDY, rows)


def texts(made: Page) -> str:
    return "\n".join(block.text for block in made.blocks if isinstance(block, Text))


def tables(made: Page) -> list[Table]:
    return [block for block in made.blocks if isinstance(block, Table)]


def plain(value: Value | str) -> str:
    return value.text if isinstance(value, Value) else value
