"""What choosing settings on test nodes is worth, measured where settings were searched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from allpass.data.draft import many
from allpass.experiments.study import Row
from allpass.experiments.tables.spec import Column
from allpass.report.results.page import Block, Heading, Table, Text
from allpass.report.results.tables.cells import Results, data_of, number

_BOUND = (
    "The lift is a lower bound of what such a choice is worth: validation nodes of one split are test nodes of "
    "another, so that a choice by the validation nodes of all splits has seen test nodes too."
)


class Bias(NamedTuple):
    """By how much choosing settings on test nodes lifts the mean of a dataset.

    Args:
        dataset: Its name.
        mean: The mean lift over models, in points.
        low: The smallest.
        high: The largest.
        models: How many models it was measured with.
        apart: The mean lift over settings that each split chose by its own validation nodes, and of how many models.
    """

    dataset: str
    mean: float
    low: float
    high: float
    models: int
    apart: tuple[float, int] | None


def bias_of(results: Results, column: Column) -> Bias | None:
    """The selection bias of a column, averaged over its models; nothing where none was measured.

    Args:
        results: The rows of the table.
        column: The column.
    """
    rows = [results.get(results.cell(row, column), "honest") for row in results.spec.rows]
    lifts, apart = (_lifts(rows, name) for name in ("mean", "chosen_apart"))
    if not lifts:
        return None
    told = (fmean(apart), len(apart)) if apart else None
    return Bias(data_of(column), fmean(lifts), min(lifts), max(lifts), len(lifts), told)


def _lifts(rows: Sequence[Row | None], name: str) -> list[float]:
    """The best on test nodes minus another number, where both are known."""
    return [
        best - other
        for row in rows
        if (best := number(row, "best_on_test")) is not None and (other := number(row, name)) is not None
    ]


def selection(results: Results) -> tuple[Block, ...]:
    """The selection bias of every column; empty where none was measured.

    Args:
        results: The rows of the table.
    """
    biases = [(column, bias_of(results, column)) for column in results.spec.columns]
    lines = [
        (
            column.name,
            bias.dataset,
            str(bias.models),
            f"{bias.mean:.2f}",
            f"{bias.low:.2f} to {bias.high:.2f}",
            "–" if bias.apart is None else f"{bias.apart[0]:.2f} ({many(bias.apart[1], 'model')})",
        )
        for column, bias in biases
        if bias is not None
    ]
    if not lines:
        return ()
    return (
        Heading("What choosing settings on test nodes is worth"),
        Text(" ".join(filter(None, (_BOUND, _fewer(results), _elsewhere(results))))),
        Table(
            "The best mean on test nodes among the settings that were tried, minus the mean of the setting that is "
            "best on validation nodes, in points: averaged over models, and its range. One setting is chosen for all "
            "splits, by the mean over their validation nodes. The last column has each split choose by its own "
            "validation nodes, for rows run since that was kept.",
            ("column", "data", "models", "mean lift", "range", "mean lift, each split choosing"),
            tuple(lines),
        ),
    )


def _fewer(results: Results) -> str:
    """Told where fewer settings were tried than the grid of the source has."""
    honest = results.spec.honest
    grid = math.prod(map(len, honest.space.values()))
    if honest.trials >= grid:
        return ""
    return (
        f"The best of {honest.trials} settings stands here for the best of the {grid} in the grid of the source, and "
        "the best of more is at least as high."
    )


def _elsewhere(results: Results) -> str:
    """The columns that were measured on other data than the published number is of."""
    names = [
        column.name
        for column in results.spec.columns
        if column.corrected is not None and bias_of(results, column) is not None
    ]
    if not names:
        return ""
    return (
        f"On corrected data, and so on other data than the published numbers are of, it was measured for "
        f"{', '.join(names)}."
    )
