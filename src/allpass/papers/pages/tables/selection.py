"""What choosing settings on test nodes is worth, measured where settings were searched."""

from __future__ import annotations

import math
from statistics import fmean
from typing import NamedTuple

from allpass.papers.pages.page import Block, Heading, Table, Text
from allpass.papers.pages.tables.cells import Results, data_of, number, signed
from allpass.papers.study import Row
from allpass.papers.tables.cell import Column

_BOUND = (
    "The lift is a lower bound of what such a choice is worth: validation nodes of one split are test nodes of "
    "another, so that a choice by the validation nodes of all splits has seen test nodes too."
)


class Apart(NamedTuple):
    """The lift where each split chose settings by its own validation nodes, beside that of one choice for all splits.

    Args:
        models: How many models have both.
        together: Their mean lift over one setting for all splits, in points.
        each: Their mean lift over settings that each split chose.
    """

    models: int
    together: float
    each: float


class Bias(NamedTuple):
    """By how much choosing settings on test nodes lifts the mean of a dataset.

    Args:
        dataset: Its name.
        mean: The mean lift over models, in points.
        low: The smallest.
        high: The largest.
        models: How many models it was measured with.
        apart: The same where each split chose; nothing where no model has that.
    """

    dataset: str
    mean: float
    low: float
    high: float
    models: int
    apart: Apart | None


def bias_of(results: Results, column: Column) -> Bias | None:
    """The selection bias of a column, averaged over its models; nothing where none was measured.

    Args:
        results: The rows of the table.
        column: The column.
    """
    rows = [results.get(results.cell(row, column), "honest") for row in results.spec.rows]
    lifts = [(lift, _lift(row, "chosen_apart")) for row in rows if (lift := _lift(row, "mean")) is not None]
    if not lifts:
        return None
    together = [lift for lift, _ in lifts]
    both = [(lift, each) for lift, each in lifts if each is not None]
    apart = Apart(len(both), *(fmean(values) for values in zip(*both, strict=True))) if both else None
    return Bias(data_of(column), fmean(together), min(together), max(together), len(lifts), apart)


def _lift(row: Row | None, name: str) -> float | None:
    """The best on test nodes minus another number, where both are known."""
    best, other = number(row, "best_on_test"), number(row, name)
    return None if best is None or other is None else best - other


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
            signed(bias.mean),
            f"{signed(bias.low)} to {signed(bias.high)}",
            *_told_apart(bias.apart),
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
            "splits, by the mean over their validation nodes. The last three columns are of the models "
            "whose rows also tell what comes of it if each split chooses by its own validation nodes: how many these "
            "are, and their mean lift by either choice.",
            (
                "column",
                "data",
                "models",
                "mean lift",
                "range",
                "models with both choices",
                "their lift, one choice for all splits",
                "their lift, each split choosing",
            ),
            tuple(lines),
        ),
    )


def _told_apart(apart: Apart | None) -> tuple[str, str, str]:
    return (
        ("0", "–", "–") if apart is None else (str(apart.models), signed(apart.together), signed(apart.each))
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
