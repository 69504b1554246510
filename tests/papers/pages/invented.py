"""Rows of tables that were never trained."""

from __future__ import annotations

import random
from statistics import fmean, pstdev

from allpass.papers.study import Plan, Row
from allpass.papers.tables.asked import Kind
from allpass.papers.tables.cell import Cell
from allpass.papers.tables.study import TableStudy
from allpass.papers.tables.verdicts import INCOMPARABLE, verdict


def row_of(
    cell: Cell, kind: Kind, scores: list[float], *, quick: bool = False, lift: float | None = 0.5
) -> Row:
    """The row of a cell as a study gives it, for scores in percent."""
    column = cell.column.honest if kind == "honest" else cell.column
    row: Row = {
        "row": cell.row,
        "column": cell.column.name,
        "kind": kind,
        "dataset": column.dataset,
        "model": cell.model,
        "strategy": cell.strategy,
        "splits": str(cell.protocol.splits["name"]),
        "score": column.score or "accuracy",
        "settings": "{}",
        "runs": len(scores),
        "diverged": 0,
        "mean": round(fmean(scores), 3),
        "deviation": round(pstdev(scores), 3),
        "validation": round(fmean(scores), 3),
        "scores": " ".join(f"{score:.2f}" for score in scores),
        "epochs": 100.0,
        "tried": 60 if kind == "honest" else 0,
        "best_on_test": None if lift is None or kind != "honest" else round(fmean(scores) + lift, 3),
        "chosen_apart": None if lift is None or kind != "honest" else round(fmean(scores) - 0.25, 3),
    }
    row |= {"majority": None if column.score else 25.0, "overlap": 0.25}
    printed = (cell.beside or cell.published) if kind == "same" else cell.published
    for name, numbers in (("published", printed), ("rerun", cell.rerun)):
        can = numbers and kind != "again"
        found = verdict(scores, numbers, runs=cell.runs, spread=cell.spread) if can else None
        moved = name == "published" and bool(cell.incomparable)
        moved |= kind == "honest" and cell.column.corrected is not None
        row |= {
            name: numbers[0] if numbers else None,
            f"{name}_deviation": numbers[1] if len(numbers) > 1 else None,
            f"{name}_difference": None if found is None else round(found.difference, 3),
            f"{name}_low": None if found is None else round(found.low, 3),
            f"{name}_high": None if found is None else round(found.high, 3),
            f"{name}_verdict": "" if found is None else INCOMPARABLE if moved else found.word,
        }
    return row | {
        "quick": quick,
        "seconds": 12.5,
        "allpass": "0.1.0",
        "torch": "2.13.0",
        "device": "a machine",
        "ended": "2026-11-15",
    }


def rows_of(study: TableStudy, seed: int = 0, *, share: float = 1.0) -> list[Row]:
    """A row for all cells of a study, or a share of them, near what was published."""
    draw = random.Random(seed)
    found = []
    for cell, kind in study.asked(Plan()):
        level = cell.published[0] if cell.published else 70.0
        middle = level - draw.choice([0.0, 0.5, 3.0]) - (1.0 if kind == "honest" else 0.0)
        scores = [round(min(max(draw.gauss(middle, 1.5), 0), 100), 2) for _ in range(10)]
        if draw.random() < share:
            lift = round(draw.uniform(0, 2), 2) if study.spec.honest.choose == "own" else None
            found.append(row_of(cell, kind, scores, lift=lift))
    return found
