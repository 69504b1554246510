"""What the three proposed networks of the table with few labels reach: GCN, the other rows, what was published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from statistics import fmean

from allpass.papers.pages.page import Block, Heading, Table, Text, listed
from allpass.papers.pages.tables.cells import Results, compared, number, scores_of, signed, spread
from allpass.papers.pages.tables.pairs import Ahead
from allpass.papers.pages.tables.shortfall import shortfalls
from allpass.papers.study import Row
from allpass.papers.tables.asked import Kind
from allpass.papers.tables.cell import Cell, Column
from allpass.papers.tables.verdicts import AGREES, BETTER
from allpass.train.statistics import paired

PROPOSED = ("linear Snowball", "Snowball", "truncated Krylov")
BASELINE = "GCN"
_YARDSTICKS = ("published", "beside")  # in the table, and beside the settings
_OURS: tuple[Kind, ...] = ("same", "honest")
_AGAINST: dict[Kind, str] = {"honest": "with honest ones", "same": "with its default ones"}
"""Whose settings our own GCN has, and how they are told."""

_ABOUT = (
    "“Same” is with the settings of the November 2019 manuscript for the three proposed networks, and with the "
    "defaults of our models for the rows of other papers. “Honest” is with one setting for all label rates of a graph, "
    "chosen on validation nodes of the other two graphs."
)


def finding(results: Results) -> tuple[str, ...]:
    """What becomes of the gain over GCN, which rows are best, and how near the proposed ones come to the published.

    Args:
        results: The rows of ``table1``.
    """
    cells = [cell for cell in results.spec.cells if cell.row in PROPOSED]
    known = [(cell, row) for cell in cells if (row := results.get(cell, "same")) is not None]
    if not known:
        return ()
    near, beside = (sum(_reaches(results, cell, row, one) for cell, row in known) for one in _YARDSTICKS)
    pairs = [(cell.column, number(row, "mean") or 0.0, _printed(results, cell.column)) for cell, row in known]
    own = [
        (column, mean, _printed(results, column))
        for column in results.spec.columns
        if (mean := results.mean(results.cell(BASELINE, column), "same")) is not None
    ]
    won, of = _won(_best(results, None))
    ours, of_ours = _won(_best(results, "same"))
    found = (
        _lost_gain(results),
        _honest_gain(results),
        f"A proposed network is the best row in {won} of {of} columns as published, in {ours} of {of_ours} of ours.",
        f"At or above the published {BASELINE}: {_at_or_above(pairs)[0]} of their cells; so is our own {BASELINE} in "
        f"{_at_or_above(own)[0]}. Within {results.spec.near:g} points of the published value, or no worse than the "
        f"authors' own code: {near} of {len(known)} ({beside} by the number printed beside the settings).",
    )
    return tuple(filter(None, found))


def reached(results: Results) -> list[Block]:
    """The heading and all that stands below it.

    Args:
        results: The rows of ``table1``.
    """
    return [
        Heading("What the proposed networks reach"),
        Text(_ABOUT),
        _against_baselines(results),
        *_of_baseline(results),
        *_winners(results),
        *_near(results),
        *(_of_proposed(results, row) for row in PROPOSED),
    ]


def _lost_gain(results: Results) -> str:
    """The mean gain of the proposed networks over GCN as published and as ours, and of which part the rest is."""
    parts = []
    for cell in (cell for cell in results.spec.cells if cell.row in PROPOSED):
        theirs, mean = _printed(results, cell.column), results.mean(cell, "same")
        own = results.mean(results.cell(BASELINE, cell.column), "same")
        if theirs is not None and mean is not None and own is not None:
            parts.append((cell.published[0] - theirs, mean - own, own - theirs, mean - cell.published[0]))
    if not parts:
        return ""
    published, ours, baseline, proposed = (signed(fmean(part), 1) for part in zip(*parts, strict=True))
    return (
        f"Mean gain of the proposed networks over {BASELINE}: {published} points as published, {ours} with the "
        f"settings of the manuscript. Against what was published our {BASELINE} is {baseline} points, and the proposed "
        f"networks are {proposed}."
    )


def _honest_gain(results: Results) -> str:
    """The same with honest settings, against our GCN with honest and with default ones."""
    cells = [cell for cell in results.spec.cells if cell.row in PROPOSED]
    parts = []
    for of, words in _AGAINST.items():
        gains = [gain for cell in cells if (gain := _gain(results, cell, "honest", of))]
        if gains:
            mean = signed(fmean(gain.points for gain in gains), 1)
            parts.append(f"{mean} over {BASELINE} {words} (by 95% intervals above it in {_sides(gains)})")
    return f"With honest settings the gain is {', '.join(parts)}." if parts else ""


def _of_baseline(results: Results) -> tuple[Block, ...]:
    """What an honest search does to our GCN, where that is known."""
    cells = [cell for cell in results.spec.cells if cell.row == BASELINE]
    gains = {cell.column.name: gain for cell in cells if (gain := _gain(results, cell, "honest", "same"))}
    if not gains:
        return ()
    worst = min(gains, key=lambda name: gains[name].points)
    return (
        Text(
            f"Honest {BASELINE} minus {BASELINE} with its default settings: in the mean "
            f"{signed(fmean(gain.points for gain in gains.values()), 1)} points, at worst "
            f"{signed(gains[worst].points, 1)} ({worst}), by 95% intervals above in {_sides(list(gains.values()))}."
        ),
    )


def _against_baselines(results: Results) -> Table:
    """In how many columns the proposed networks reach the GCN, as published and as ours."""
    lines: list[tuple[str, ...]] = []
    for row in PROPOSED:
        for kind in _OURS:
            cells = [
                cell for column in results.spec.columns if (cell := results.cell(row, column)) is not None
            ]
            means = [(cell.column, mean) for cell in cells if (mean := results.mean(cell, kind)) is not None]
            theirs = [(column, mean, _printed(results, column)) for column, mean in means]
            gains = {cell.column.name: gain for cell in cells if (gain := _gain(results, cell, kind))}
            below = [f"{name} ({signed(gain.points, 1)})" for name, gain in gains.items() if gain.points < 0]
            plain = [
                gain for cell in cells if kind != "same" and (gain := _gain(results, cell, kind, "same"))
            ]
            lines.append(
                (
                    row,
                    kind,
                    f"{len(means)} of {len(cells)}",
                    *(_at_or_above(theirs) if means else ("–", "–")),
                    _sides(list(gains.values())),
                    ", ".join(below) or ("none" if gains else "–"),
                    _sides(plain),
                )
            )
    return Table(
        "The proposed networks against GCN: the published one, to the digit that was printed; and ours on the same "
        "splits. Intervals (95%) are not corrected for how many there are.",
        (
            "network",
            "kind",
            "columns run",
            "at or above the published GCN",
            "below it in",
            "above our own GCN by intervals",
            "mean below it in",
            "above GCN with its default settings by intervals",
        ),
        tuple(lines),
    )


def _sides(gains: Sequence[Ahead]) -> str:
    """On which side of 0 intervals lie."""
    sides = [gain.side for gain in gains]
    return f"{sides.count(1)} of {len(sides)}, below in {sides.count(-1)}" if sides else "–"


def _gain(results: Results, cell: Cell, kind: Kind, of: Kind | None = None) -> Ahead | None:
    """A network minus our own GCN, of the same kind or of another, on the splits that both have: the first ones."""
    ours, gcn = results.get(cell, kind), results.get(results.cell(BASELINE, cell.column), of or kind)
    if ours is None or gcn is None:
        return None
    first, second = map(scores_of, (ours, gcn))
    both = min(len(first), len(second))
    if both < 2:
        return None
    ahead = paired(first[:both], second[:both])
    return Ahead(ahead.mean, (ahead.low, ahead.high))


def _winners(results: Results) -> tuple[Block, ...]:
    """In how many columns a proposed network is the best of all rows, and which rows are so in the others."""
    lines = []
    for title, kind in (("Published", None), *((f"Ours, {kind}", kind) for kind in _OURS)):
        best = _best(results, kind)
        if not best:
            continue
        rows = _with_numbers(results, kind)
        others = Counter(row for row in best if row not in PROPOSED)
        rest = ", ".join(f"{row} ({number})" for row, number in others.most_common())
        few, listing = 2 * len(rows) <= len(results.spec.rows), ", ".join(rows)
        won, of = _won(best)
        lines.append(
            f"{title}: the best of {len(rows)} rows{f' ({listing})' if few else ''} is a "
            f"proposed network in {won} of {of} columns{f'; in the others it is {rest}' if rest else ''}."
            f"{_among(results, rows) if kind == 'honest' else ''}"
        )
    return (listed(lines),) if lines else ()


def _among(results: Results, rows: Collection[str]) -> str:
    """The same count at the same settings, where fewer rows have honest numbers."""
    if len(rows) == len(_with_numbers(results, "same")):
        return ""
    won, of = _won(_best(results, "same", rows))
    return f" Of these rows with their “same” settings: in {won} of {of}." if of else ""


def _with_numbers(results: Results, kind: Kind | None) -> list[str]:
    """The rows that have a number in some column."""
    known = {row for column in results.spec.columns for row in _by_row(results, column, kind)}
    return [row for row in results.spec.rows if row in known]


def _best(results: Results, kind: Kind | None, rows: Collection[str] | None = None) -> list[str]:
    """The best row of every column with a proposed network and another: ours of a kind, or the published ones."""
    columns = [_by_row(results, column, kind) for column in results.spec.columns]
    if rows is not None:
        columns = [{row: mean for row, mean in known.items() if row in rows} for known in columns]
    fair = [known for known in columns if len(known) > 1 and not known.keys().isdisjoint(PROPOSED)]
    return [max(known.items(), key=lambda item: item[1])[0] for known in fair]


def _won(best: Sequence[str]) -> tuple[int, int]:
    return sum(row in PROPOSED for row in best), len(best)


def _by_row(results: Results, column: Column, kind: Kind | None) -> dict[str, float]:
    """The means of a column by row: ours of a kind, or the published ones."""
    found = {}
    for row in results.spec.rows:
        cell = results.cell(row, column)
        mean = results.mean(cell, kind) if kind else cell.published[0] if cell and cell.published else None
        if mean is not None:
            found[row] = mean
    return found


def _printed(results: Results, column: Column) -> float | None:
    cell = results.cell(BASELINE, column)
    return cell.published[0] if cell is not None and cell.published else None


def _at_or_above(pairs: Sequence[tuple[Column, float, float | None]]) -> tuple[str, str]:
    """How many reach the other number, to the one digit that is printed; and those that do not."""
    gaps = [(column, round(mean - other, 1)) for column, mean, other in pairs if other is not None]
    below = [f"{column.name} ({signed(gap, 1)})" for column, gap in gaps if gap < 0]
    return f"{len(gaps) - len(below)} of {len(gaps)}", ", ".join(below) or "none"


def _near(results: Results) -> tuple[Block, ...]:
    """Whether ours is near the published value, or else reaches the authors' own code; and what of the others."""
    lines, far = [], []
    for row in PROPOSED:
        cells = [cell for cell in results.spec.cells if cell.row == row]
        known = [(cell, ours) for cell in cells if (ours := results.get(cell, "same")) is not None]
        near, beside = (
            sum(_reaches(results, cell, ours, one) for cell, ours in known) for one in _YARDSTICKS
        )
        far += [(cell, ours) for cell, ours in known if not _reaches(results, cell, ours, "published")]
        lines.append(
            f"{row}, same: within {results.spec.near:g} points of the published value or above it, or as good as the "
            f"authors' own code, in {near} of {len(known)} columns; by the number that was printed beside the "
            f"settings, in {beside}."
        )
    text = listed(lines)
    if not far:
        return (text,)
    heading = Heading(
        f"Cells more than {results.spec.near:g} points below the published value, and worse than the authors' own code"
    )
    return text, heading, *shortfalls(results, far, BASELINE)


def _reaches(results: Results, cell: Cell, row: Row, yardstick: str) -> bool:
    mean, printed = number(row, "mean"), getattr(cell, yardstick) or cell.published
    if mean is None:
        return False
    return mean >= printed[0] - results.spec.near or row["rerun_verdict"] in (AGREES, BETTER)


def _of_proposed(results: Results, row: str) -> Table:
    lines: list[tuple[str, ...]] = []
    for column in results.spec.columns:
        cell = results.cell(row, column)
        if cell is None:
            continue
        same, honest = (results.get(cell, kind) for kind in ("same", "honest"))
        theirs = _printed(results, column)
        lines.append(
            (
                column.name,
                spread(cell.published, 1),
                spread(cell.beside),
                spread(cell.rerun),
                results.text(cell, "same"),
                "" if same is None else compared(same),
                _minus(number(same, "mean"), theirs),
                str(_gain(results, cell, "same") or ""),
                results.text(cell, "honest"),
                _minus(number(honest, "mean"), theirs),
                str(_gain(results, cell, "honest") or ""),
            )
        )
    return Table(
        f"{row}. The difference of the same settings is to what was printed beside them; GCN stands for the published "
        "GCN, our GCN for ours of the same kind on the same splits, with the 95% interval over them. All in points of "
        "accuracy.",
        (
            "column",
            "published",
            "beside its settings",
            "authors' code",
            "ours, same settings",
            "minus that beside",
            "same minus GCN",
            "same minus our GCN",
            "ours, honest",
            "honest minus GCN",
            "honest minus our GCN",
        ),
        tuple(lines),
    )


def _minus(first: float | None, second: float | None) -> str:
    return "" if first is None or second is None else signed(first - second, 1)
