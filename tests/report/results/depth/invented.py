"""Invented rows of the study of depth, and what a page has of a kind."""

from __future__ import annotations

from collections.abc import Sequence

from allpass.experiments.depth import STUDY
from allpass.experiments.study import Row
from allpass.report.results.depth.findings import Findings
from allpass.report.results.page import Page, Table, Text, Value

DEPTHS = (2, 4, 8)


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
        "scores": f"{mean - 0.1} {mean + 0.1}",
        "epochs": 100.0,
        "difference": None,
        "difference_low": None,
        "difference_high": None,
        "p_value": None,
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


def compared(layers: int, mean: float, difference: float, p_value: float, name: str = "he") -> Row:
    return row(layers, mean, name, difference=difference, p_value=p_value)


ROWS = [
    *(row(depth, mean) for depth, mean in zip(DEPTHS, (86.0, 84.5, 60.0), strict=True)),
    compared(2, 86.0, 0.0, 1.0),
    compared(4, 85.0, 0.5, 0.02),
    compared(8, 84.0, 24.0, 0.001),
]


def findings(rows: Sequence[Row] = ROWS) -> Findings:
    return Findings(STUDY, rows)


def texts(made: Page) -> str:
    return "\n".join(block.text for block in made.blocks if isinstance(block, Text))


def tables(made: Page) -> list[Table]:
    return [block for block in made.blocks if isinstance(block, Table)]


def plain(value: Value | str) -> str:
    return value.text if isinstance(value, Value) else value
