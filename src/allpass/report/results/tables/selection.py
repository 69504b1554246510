"""What choosing settings on test nodes is worth, measured where settings were searched."""

from __future__ import annotations

from statistics import fmean
from typing import NamedTuple

from allpass.experiments.tables.spec import Column
from allpass.report.results.page import Block, Heading, Table
from allpass.report.results.tables.cells import Results, data_of, number


class Bias(NamedTuple):
    """By how much choosing settings on test nodes lifts the mean of a dataset.

    Args:
        dataset: Its name.
        mean: The mean lift over models, in points.
        low: The smallest.
        high: The largest.
        models: How many models it was measured with.
    """

    dataset: str
    mean: float
    low: float
    high: float
    models: int


def bias_of(results: Results, column: Column) -> Bias | None:
    """The selection bias of a column, averaged over its models; nothing where none was measured.

    Args:
        results: The rows of the table.
        column: The column.
    """
    rows = [results.get(results.cell(row, column), "honest") for row in results.spec.rows]
    lifts = [
        best - mean
        for row in rows
        if (best := number(row, "best_on_test")) is not None and (mean := number(row, "mean")) is not None
    ]
    if not lifts:
        return None
    return Bias(data_of(column), fmean(lifts), min(lifts), max(lifts), len(lifts))


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
        )
        for column, bias in biases
        if bias is not None
    ]
    if not lines:
        return ()
    return (
        Heading("What choosing settings on test nodes is worth"),
        Table(
            "The best mean on test nodes among the settings that were tried, minus the mean of the setting that is "
            "best on validation nodes, in points: averaged over models, and its range.",
            ("column", "data", "models", "mean lift", "range"),
            tuple(lines),
        ),
    )
