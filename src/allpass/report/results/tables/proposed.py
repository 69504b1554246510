"""What the three proposed networks of the table with few labels reach: GCN, the other rows, what was published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from allpass.experiments.study import Row
from allpass.experiments.tables.spec import Cell, Column
from allpass.experiments.tables.study import Kind
from allpass.report.results.page import Block, Heading, Table, listed
from allpass.report.results.tables.cells import Results, compared, number, scores_of, signed, spread
from allpass.report.results.tables.pairs import Ahead
from allpass.report.results.tables.shortfall import NEAR, shortfalls
from allpass.train.statistics import paired

PROPOSED = ("linear Snowball", "Snowball", "truncated Krylov")
BASELINE = "GCN"
_YARDSTICKS = ("published", "beside")  # in the table, and beside the settings
_OURS: tuple[Kind, ...] = ("same", "honest")
_PAIRS: dict[tuple[Kind, Kind], str] = {
    ("same", "same"): "with the same settings",
    ("honest", "honest"): "with honest ones",
    ("honest", "same"): "with honest ones against its default ones",
}
"""Whose settings a network has and whose our own GCN, and how they are told."""


def finding(results: Results) -> str:
    """Which rows are best, how near the proposed ones come to what was published, and whether they reach a GCN.

    Args:
        results: The rows of ``table1``.
    """
    cells = [cell for cell in results.spec.cells if cell.row in PROPOSED]
    known = [(cell, row) for cell in cells if (row := results.get(cell, "same")) is not None]
    if not known:
        return ""
    near, beside = (sum(_reaches(cell, row, one) for cell, row in known) for one in _YARDSTICKS)
    pairs = [(cell.column, number(row, "mean") or 0.0, _printed(results, cell.column)) for cell, row in known]
    own = [
        (column, mean, _printed(results, column))
        for column in results.spec.columns
        if (mean := results.mean(results.cell(BASELINE, column), "same")) is not None
    ]
    won, of = _won(_best(results, None))
    ours, of_ours = _won(_best(results, "same"))
    return (
        f"A proposed network is the best row in {won} of {of} columns as published, in {ours} of {of_ours} of ours. "
        f"Their cells within {NEAR:g} points of the published value, or not below the authors' own code: {near} of "
        f"{len(known)} ({beside} by the number printed beside the settings). At or above the published {BASELINE}: "
        f"{_at_or_above(pairs)[0]}; so is our own {BASELINE}: {_at_or_above(own)[0]}.{_over_own(results)}"
    )


def reached(results: Results) -> list[Block]:
    """The heading and all that stands below it.

    Args:
        results: The rows of ``table1``.
    """
    return [
        Heading("What the proposed networks reach"),
        _against_baselines(results),
        *_winners(results),
        *_near(results),
        *(_of_proposed(results, row) for row in PROPOSED),
    ]


def _over_own(results: Results) -> str:
    """In how many columns the proposed networks are above or below our own GCN by intervals."""
    parts = []
    cells = [cell for cell in results.spec.cells if cell.row in PROPOSED]
    for (kind, of), words in _PAIRS.items():
        gains = [gain for cell in cells if (gain := _gain(results, cell, kind, of))]
        if gains:
            parts.append(f"{words} {_sides(gains)}")
    return f" Above our own {BASELINE} by 95% intervals: {', '.join(parts)}." if parts else ""


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
            plain = [gain for cell in cells if (gain := _gain(results, cell, kind, "same"))]
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
        "Accuracies of the proposed networks against GCN: the published one; and on the same splits our own of the "
        "same kind, and our own with its default settings, which its “same” has. Surely: by 95% intervals.",
        (
            "network",
            "kind",
            "columns run",
            "at or above the published GCN",
            "below it in",
            "surely above our own GCN",
            "mean below it in",
            "surely above our GCN with its default settings",
        ),
        tuple(lines),
    )


def _sides(gains: Sequence[Ahead]) -> str:
    """On which side of 0 intervals lie."""
    sides = [gain.side for gain in gains]
    return f"{sides.count(1)} of {len(sides)} ({sides.count(-1)} below)" if sides else "–"


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
        others = Counter(row for row in best if row not in PROPOSED)
        rest = ", ".join(f"{row} ({number})" for row, number in others.most_common())
        won, of = _won(best)
        lines.append(
            f"{title}: the best {_among(results, kind)} is a proposed network in {won} of {of} "
            f"columns{f'; in the others it is {rest}' if rest else ''}."
        )
    return (listed(lines),) if lines else ()


def _among(results: Results, kind: Kind | None) -> str:
    """The rows that have a number in some column: by name where that is not most of them."""
    rows = results.spec.rows
    known = {row for column in results.spec.columns for row in _by_row(results, column, kind)}
    if 2 * len(known) > len(rows):
        return (
            f"of {len(known)} rows" if len(known) == len(rows) else f"of the {len(known)} rows that are run"
        )
    return f"of the {len(known)} rows that are run ({', '.join(row for row in rows if row in known)})"


def _best(results: Results, kind: Kind | None) -> list[str]:
    """The best row of every column with a proposed network and another: ours of a kind, or the published ones."""
    columns = [_by_row(results, column, kind) for column in results.spec.columns]
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
        near, beside = (sum(_reaches(cell, ours, one) for cell, ours in known) for one in _YARDSTICKS)
        far += [(cell, ours) for cell, ours in known if not _reaches(cell, ours, "published")]
        lines.append(
            f"{row}, same settings: within {NEAR:g} points of the published value or above it, or not below the "
            f"authors' own code, in {near} of {len(known)} columns that are run; by the number that was printed beside "
            f"the settings, in {beside}."
        )
    text = listed(lines)
    if not far:
        return (text,)
    heading = Heading(
        f"Cells more than {NEAR:g} points below the published value, and below the authors' own code"
    )
    return text, heading, *shortfalls(results, far, BASELINE)


def _reaches(cell: Cell, row: Row, yardstick: str) -> bool:
    mean, printed = number(row, "mean"), getattr(cell, yardstick) or cell.published
    if mean is None:
        return False
    return mean >= printed[0] - NEAR or (bool(cell.rerun) and mean >= cell.rerun[0])


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
