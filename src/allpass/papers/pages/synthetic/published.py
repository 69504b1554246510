"""Accuracies on synthetic graphs beside the published ones: how many agree, which do not, and all of them by level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import numpy as np

from allpass.papers.pages.page import Block, Table, Text
from allpass.papers.pages.tables.cells import number, signed, spread
from allpass.papers.study import Row
from allpass.papers.synthetic.study import SyntheticStudy

CRITERION = 0.9
"""The share of levels that has to be within the tolerance."""

EASY = 5.0
"""Points from chance, or from all right, within which a published mean is easy to meet."""

ONE_SIDE = 0.025
"""The share of 95% intervals that lie on one side of 0 by chance."""

AT_CHANCE = 2.0
"""Points from chance within which a published network has learned nothing."""


def agreement(study: SyntheticStudy, compared: Sequence[Row]) -> Iterator[Block]:
    """How many levels agree, by features and network, and those that do not.

    Args:
        study: The study.
        compared: Its rows that have a published value.
    """
    chance = 100 / study.spec.classes
    yield Text(
        "\n\n".join((_claim(study, compared), _fair(study, compared, chance), _significant(study, compared)))
    )
    yield _counts(study, compared)
    far = [row for row in compared if not _close(study, [row])]
    if far:
        yield Table(
            f"The levels further away than {study.spec.tolerance:g} points, with the interval of the difference.",
            ("features, network, level", "published", "ours", "difference"),
            tuple((f"{row['base']}, {row['what']}, {_level(row)}", *_three(row)) for row in far),
        )
    learned_nothing = [row for row in compared if abs(_published(row) - chance) <= AT_CHANCE]
    if learned_nothing:
        yield Text(_at_chance(study, learned_nothing))


def finding(study: SyntheticStudy, compared: Sequence[Row]) -> tuple[str, ...]:
    """How many levels agree, in sentences; arguments of :func:`agreement`."""
    hard = _hard(compared, 100 / study.spec.classes)
    first = (
        f"Levels within {study.spec.tolerance:g} points of the published mean: {_share(study, compared)} "
        f"({_by_model(study, compared)}).{_short(study, compared)}"
    )
    rest = (
        f"Of those neither at chance nor near 100%: {_share(study, hard)} ({_by_model(study, hard)})."
        if hard
        else ""
    )
    return tuple(filter(None, (first, rest, _significant(study, compared))))


def by_level(study: SyntheticStudy, compared: Sequence[Row]) -> Iterator[Table]:
    """Every published mean beside ours, a table for the features of each dataset; arguments of :func:`agreement`."""
    for base in study.spec.bases:
        mine = {(row["level"], row["what"]): row for row in compared if row["base"] == base}
        models = [name for name in study.spec.models if any(what == name for _, what in mine)]
        levels = sorted(
            {level for level, _ in mine if level is not None}, key=lambda level: cast(float, level)
        )
        if not mine:
            continue
        yield Table(
            f"Features of {base}: mean and deviation over graphs in percent, and the difference with its interval.",
            (
                "level",
                *(
                    f"{name}, {kind}"
                    for model in models
                    for name, kind in (
                        (study.spec.models[model].printed, "published"),
                        (model, "ours"),
                        (model, "difference"),
                    )
                ),
            ),
            tuple(
                (
                    "any" if level is None else f"{cast(float, level):g}",
                    *(cell for model in models for cell in _three(mine.get((level, model)))),
                )
                for level in (*levels, *([None] if any(level is None for level, _ in mine) else []))
            ),
        )


def _claim(study: SyntheticStudy, compared: Sequence[Row]) -> str:
    furthest = max(compared, key=lambda row: abs(_difference(row)))
    return (
        f"Our criterion: within {study.spec.tolerance:g} points of the published mean on at least {CRITERION:.0%} of "
        f"the levels. It is so on {_share(study, compared)} of all networks together.{_short(study, compared)} The "
        f"largest difference is {signed(_difference(furthest))} points, of {furthest['what']} with features of "
        f"{furthest['base']}, {_level(furthest)}."
    )


def _short(study: SyntheticStudy, compared: Sequence[Row]) -> str:
    """The networks that do not meet the criterion by themselves, in a sentence behind another one."""
    by_model = {
        model: [row for row in compared if row["what"] == model] for model in _models(study, compared)
    }
    short = [
        f"{model} with {_share(study, rows)}"
        for model, rows in by_model.items()
        if _close(study, rows) < CRITERION * len(rows)
    ]
    return f" Below the {CRITERION:.0%} of our criterion by itself: {', '.join(short)}." if short else ""


def _fair(study: SyntheticStudy, compared: Sequence[Row], chance: float) -> str:
    """The same without what is met easily, and without what settings were fixed on."""
    hard = _hard(compared, chance)
    unseen = [row for row in compared if row["base"] != study.spec.fixed_on]
    said = []
    if hard:
        said.append(
            f"Many levels are easy to meet, at chance ({chance:g}%) or near 100%: on those whose published mean lies "
            f"between {chance + EASY:g} and {100 - EASY:g}% it is {_share(study, hard)} ({_by_model(study, hard)})."
        )
    if unseen:
        said.append(
            f"Settings were fixed on features of {study.spec.fixed_on}: on the other features it is "
            f"{_share(study, unseen)}."
        )
    return " ".join(said)


def _hard(compared: Sequence[Row], chance: float) -> list[Row]:
    return [row for row in compared if chance + EASY < _published(row) < 100 - EASY]


def _by_model(study: SyntheticStudy, rows: Sequence[Row]) -> str:
    counts = []
    for model in _models(study, rows):
        mine = [row for row in rows if row["what"] == model]
        counts.append(f"{model} {_close(study, mine)} of {len(mine)}")
    return ", ".join(counts)


def _significant(study: SyntheticStudy, compared: Sequence[Row]) -> str:
    """Three points are a wide margin where graphs differ little: how many intervals leave out 0."""
    by_model = (
        f"{model} {_outside([row for row in compared if row['what'] == model])}"
        for model in _models(study, compared)
    )
    return (
        f"Levels on which the interval of the difference leaves out 0, in brackets how many would by chance: "
        f"{'; '.join(by_model)}; in all {_outside(compared)}."
    )


def _outside(rows: Sequence[Row]) -> str:
    """How many intervals lie below 0 and above it, and how many would if no mean differed."""
    below = sum((number(row, "high") or 0.0) < 0 for row in rows)
    above = sum((number(row, "low") or 0.0) > 0 for row in rows)
    return f"{below} below and {above} above of {len(rows)} (about {len(rows) * ONE_SIDE:.1f} on each side)"


def _counts(study: SyntheticStudy, compared: Sequence[Row]) -> Table:
    models = _models(study, compared)
    lines = []
    for base in (*study.spec.bases, ""):
        cells = []
        for model in models:
            mine = [row for row in compared if row["what"] == model and base in ("", row["base"])]
            cells.append(f"{_close(study, mine)} of {len(mine)}" if mine else "–")
        lines.append((base or "all", *cells))
    return Table(
        f"Levels on which our mean is within {study.spec.tolerance:g} points of the published one, by features and "
        "network.",
        ("features of", *models),
        tuple(lines),
    )


def _at_chance(study: SyntheticStudy, rows: Sequence[Row]) -> str:
    parts = []
    for model in _models(study, rows):
        mine = [_difference(row) for row in rows if row["what"] == model]
        ours = np.mean([number(row, "mean") for row in rows if row["what"] == model])
        parts.append(
            f"{signed(float(np.mean(mine)))} points for {model} ({len(mine)} levels, {ours:.2f}% on average)"
        )
    return (
        f"Where the published mean is within {AT_CHANCE:g} points of chance, the mean difference is "
        f"{' and '.join(parts)}. The published settings are the best of a grid on test nodes, which lifts the "
        "mean of a network that has learned nothing; how much of the difference that explains was not measured. Such "
        "a network can fall below chance: its epoch is chosen by the validation nodes, and a class that is frequent "
        "among these is rare among test nodes, which are what is left of it."
    )


def _models(study: SyntheticStudy, rows: Iterable[Row]) -> list[str]:
    found = {row["what"] for row in rows}
    return [name for name in study.spec.models if name in found]


def _share(study: SyntheticStudy, rows: Sequence[Row]) -> str:
    close = _close(study, rows)
    return f"{close} of {len(rows)} ({close / len(rows):.1%})"


def _close(study: SyntheticStudy, rows: Sequence[Row]) -> int:
    """How many are within the tolerance."""
    return sum(abs(_difference(row)) <= study.spec.tolerance for row in rows)


def _difference(row: Row) -> float:
    return cast(float, row["difference"])


def _published(row: Row) -> float:
    return cast(float, row["published"])


def _level(row: Row) -> str:
    return "any graph" if row["level"] is None else f"level {row['level']:g}"


def _three(row: Row | None) -> tuple[str, str, str]:
    if row is None:
        return ("", "", "")
    low, high = number(row, "low"), number(row, "high")
    interval = "" if low is None or high is None else f" [{signed(low, 1)}, {signed(high, 1)}]"
    return (
        spread([number(row, "published"), number(row, "published_deviation")], 1),
        spread([number(row, "mean"), number(row, "deviation")], 1),
        signed(_difference(row), 1) + interval,
    )
