"""How far below a printed mean ours is, and how much of that splits and a search by test accuracy may explain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from allpass.papers.pages.page import Block, Table, Text
from allpass.papers.pages.tables.best_of import best_among, best_of, told
from allpass.papers.pages.tables.cells import Results, measured, number, printed, scores_of, signed
from allpass.papers.pages.tables.missed import reasons
from allpass.papers.study import Row
from allpass.papers.tables.cell import Cell
from allpass.papers.tables.verdicts import WORSE
from allpass.train.statistics import paired

TRIED = 1000
"""Settings that a source is granted to have tried, where it does not say how many."""

_LUCK = (
    "Our splits: {yardstick} was run on more splits than the first ones, on which all other numbers stand. A network "
    "that does well on a split mostly does so where {yardstick} does (over the {cells} cells below with ten runs or "
    "more, the correlation is {low:.2f} to {high:.2f}, in the mean {correlation:.2f}). So what {yardstick} gains on "
    "the first ones is taken as the luck of our splits, and what a network is worth on all of them as its mean gain "
    "over {yardstick}, split by split, plus the mean of {yardstick} on all. Cells that were themselves run on more "
    "splits have their own luck."
)
_SEARCH = (
    "Their search: the code of the source hands nothing but the mean test accuracy of ten runs, on ten splits drawn "
    "anew, to the search for settings; so what is printed is presumably the best of many such means. Of a hundred "
    "settings that are equally good the best mean is expected {hundred:.1f} standard errors above what each of them is "
    "worth, of a thousand {thousand:.1f}. How many were tried is not known, nor how good they were: so a search is not "
    "shown to explain anything. The table says of how many equally good settings the best would be expected to be "
    "better than ours by the difference that is left without the luck of our splits. Where that takes over a thousand, "
    "even if ours is two standard errors too low by chance, no reason is known."
)
_RERUN = (
    "Their code: run again with the settings here, it gives less than was published too: {parts}. A search does not "
    "explain what is more."
)


@dataclass(frozen=True)
class Shortfall:
    """A mean of ours against the printed one, in points.

    Args:
        difference: Ours minus the printed one.
        luck: What the splits of ours are worth more than others; nothing where that was not measured.
        own_error: The standard error of ours, without the luck.
        their_error: That of a printed mean, whose runs are taken to differ as ours do.
        code: What the authors' own code gives, minus the printed one; nothing where it was not run again.
    """

    difference: float
    luck: float | None
    own_error: float
    their_error: float
    code: float | None = None

    @classmethod
    def of(cls, cell: Cell, row: Row, yardstick: Row | None, more: Row | None = None) -> Shortfall | None:
        """From rows; nothing where there are too few runs for an error.

        Args:
            cell: What was printed.
            row: Ours with the same settings.
            yardstick: Another network on many splits, of which the first ones are those of ours.
            more: Ours on many splits, where it was run on such too: then no yardstick is needed.
        """
        scores = _scores(row)
        if len(scores) < 2 or row["quick"] or row["diverged"] or not cell.published:
            return None
        difference = float(scores.mean()) - cell.published[0]
        code = cell.rerun[0] - cell.published[0] if cell.rerun else None
        if more is not None:
            on_all = _scores(more)
            spread, luck = float(on_all.std(ddof=1)), float(scores.mean() - on_all.mean())
            own, theirs = (spread / math.sqrt(runs) for runs in (len(on_all), cell.runs))
            return cls(difference, luck, own, theirs, code)
        theirs = float(scores.std(ddof=1)) / math.sqrt(cell.runs)
        if yardstick is None or len(many := _scores(yardstick)) <= len(scores):
            own = float(scores.std(ddof=1)) / math.sqrt(len(scores))
            return cls(difference, None, own, theirs, code)
        first = many[: len(scores)]
        own = _error_of_gain(scores - first, first, many)
        return cls(difference, float(first.mean() - many.mean()), own, theirs, code)

    @property
    def rest(self) -> float:
        """The difference that is left without the luck of the splits."""
        return self.difference - (self.luck or 0.0)

    def settings(self, errors: float = 0.0) -> float:
        """The best of how many settings, all as good as ours, would be expected to stand so far above ours.

        Args:
            errors: How many standard errors ours is granted to be too low.
        """
        return best_among((-self.rest - errors * self.own_error) / self.their_error)

    @property
    def below_code(self) -> tuple[float, float] | None:
        """How far ours, without the luck of the splits, is from the authors' own code, and the error of that."""
        return (
            None
            if self.code is None
            else (self.rest - self.code, math.hypot(self.own_error, self.their_error))
        )


def shortfalls(results: Results, far: Sequence[tuple[Cell, Row]], yardstick: str) -> tuple[Block, ...]:
    """The cells that are far below the printed numbers, each with what is known of it.

    Args:
        results: The rows of the table.
        far: Those cells, with our rows.
        yardstick: The row that is run on many splits.
    """
    of_column = {
        cell.column.name: results.get(results.cell(yardstick, cell.column), "fresh") for cell, _ in far
    }
    lines = []
    for cell, row in far:
        found = Shortfall.of(cell, row, of_column[cell.column.name], results.get(cell, "fresh"))
        lines.append(
            (
                f"{cell.row}, {cell.column.name}",
                measured(row),
                printed(cell),
                *(_numbers(found) if found else ("",) * 4),
                " ".join(
                    [
                        *reasons(results, cell, row),
                        *_settings(results, cell, row),
                        *_beside(results, cell, row),
                        *_explained(found, row),
                    ]
                ),
            )
        )
    table = Table(
        "The difference is to the published table; ± is a standard error of ours.",
        (
            "cell",
            "ours, same settings",
            "published",
            "difference",
            "luck of our splits",
            "without it",
            "the best of how many settings",
            "what is known of it",
        ),
        tuple(lines),
    )
    pairs = [(_scores(row), of_column[cell.column.name]) for cell, row in far]
    return (
        *_of_luck([(ours, _scores(many)) for ours, many in pairs if many is not None], yardstick),
        Text(_SEARCH.format(hundred=best_of(100), thousand=best_of(TRIED))),
        *_of_code(results),
        table,
    )


def _of_luck(
    pairs: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]], yardstick: str
) -> tuple[Block, ...]:
    """What is assumed of the splits, and how far that holds."""
    found = [float(np.corrcoef(ours, many[: len(ours)])[0, 1]) for ours, many in pairs if len(ours) >= 10]
    if not found:
        return ()
    told = _LUCK.format(
        yardstick=yardstick,
        cells=len(found),
        correlation=np.nanmean(found),
        low=np.nanmin(found),
        high=np.nanmax(found),
    )
    return (Text(told),)


def _of_code(results: Results) -> tuple[Block, ...]:
    """Where the authors' own code does not reach the published number either."""
    again = []
    for cell in results.spec.cells:
        if cell.rerun and cell.published and cell.rerun[0] < cell.published[0]:
            row = results.get(cell, "same")
            found = None if row is None else Shortfall.of(cell, row, None)
            worth = (
                f" (a thousand settings are worth {best_of(TRIED) * found.their_error:.1f})" if found else ""
            )
            short = signed(cell.rerun[0] - cell.published[0], 1)
            again.append(f"{cell.row} on {cell.column.name} {short} points{worth}")
    return (Text(_RERUN.format(parts=", ".join(again))),) if again else ()


def _numbers(found: Shortfall) -> tuple[str, str, str, str]:
    return (
        signed(found.difference, 1),
        "not measured" if found.luck is None else signed(found.luck, 1),
        f"{signed(found.rest, 1)} ± {found.own_error:.1f}",
        told(found.settings()),
    )


def _settings(results: Results, cell: Cell, row: Row) -> tuple[str, ...]:
    """Told where honest settings do better on the same splits: the printed ones are not good here."""
    honest = results.get(cell, "honest")
    ours, other = scores_of(row), () if honest is None else scores_of(honest)
    if len(ours) != len(other) or len(ours) < 2:
        return ()
    gain = paired(other, ours)
    told = f"{signed(gain.mean, 1)} [{signed(gain.low, 1)}, {signed(gain.high, 1)}]"
    return (f"The honest setting is better on these splits: {told}.",) if gain.low > 0 else ()


def _beside(results: Results, cell: Cell, row: Row) -> tuple[str, ...]:
    """Told where ours is near the other number that was printed."""
    mean = number(row, "mean")
    near = mean is not None and bool(cell.beside) and mean >= cell.beside[0] - results.spec.near
    return (f"Within {results.spec.near:g} points of what was printed beside its settings.",) if near else ()


def _explained(found: Shortfall | None, row: Row) -> tuple[str, ...]:
    if row["rerun_verdict"] == WORSE:
        return (_against_code(found),)
    if found is None:
        return ()
    if found.rest >= 0:
        return ("Without the luck of our splits nothing is missing.",)
    settings = found.settings()
    if settings <= TRIED:
        return (
            f"The best of {told(settings)} equally good settings would be expected to be so much better.",
        )
    if found.settings(errors=2) <= TRIED:
        return (
            "The best of a thousand equally good settings would be expected to be so much better only if ours is up to "
            "two standard errors too low by chance.",
        )
    return ("No reason is known that explains all of it.",)


def _against_code(found: Shortfall | None) -> str:
    """Said where ours is worse than their code, which was run on other splits than ours."""
    if found is None or found.luck is None or found.below_code is None:
        return "Ours is below their code too, which no search explains; no reason is known."
    rest, error = found.below_code
    told = f"Without the luck of our splits ours minus their code is {signed(rest, 1)} ± {error:.1f}"
    if abs(rest) <= 2 * error:
        return f"{told}, which may be chance."
    return f"{told}, which no search explains; no reason is known."


def _error_of_gain(gain: NDArray[np.float64], first: NDArray[np.float64], many: NDArray[np.float64]) -> float:
    """The standard error of the mean gain on some splits plus the mean of the yardstick on all of them."""
    variance = gain.var(ddof=1) / len(gain) + many.var(ddof=1) / len(many)
    shared = 2 * float(np.cov(gain, first)[0, 1]) / len(many)  # the first splits are among all
    return math.sqrt(max(float(variance) + shared, 0.0))


def _scores(row: Row) -> NDArray[np.float64]:
    return np.array(scores_of(row), dtype=np.float64)
