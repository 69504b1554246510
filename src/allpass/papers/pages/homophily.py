"""The page of homophily: what was printed, ours by the authors' convention and by the definition, and newer metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from allpass.metrics import METRICS
from allpass.papers.homophily import COUNTS, NEWER, PUBLISHED, HomophilyStudy
from allpass.papers.pages.head import head, notes
from allpass.papers.pages.page import Block, Heading, Page, Picture, Table, Text, of_kind
from allpass.papers.pages.tables.cells import number, signed
from allpass.papers.study import Row, Study
from allpass.report.canvas import in_style, legend, panels
from allpass.report.theme import light
from allpass.report.wording import count, words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN = ("edge_homophily", "node_homophily", "class_homophily")
_THEIRS = "the authors' convention"
_GIVES = {
    "both": "both",
    "printed": _THEIRS,
    "definition": "the definition",
    "between": "neither, it lies between",
    "neither": "neither",
}
_KINDS = {"metrics": PUBLISHED, "sizes": COUNTS}
_MARKS = (
    ("definition", "ours, by the definition", "low", "o", 10.0),  # a ring around the others where all agree
    ("printed", f"ours, by {_THEIRS}", "high", "D", 4.5),
    ("published", "published", "ink", "x", 6.0),
)


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``homophily``.

    Args:
        study: The study.
        rows: Its rows.
    """
    both = [row for row in rows if row["published"] is not None and row["printed"] is not None]
    blocks: list[Block] = [*head(study, rows)]
    if both:
        blocks += [
            Text(_summary(both)),
            _which(both, _tolerance(of_kind(study, HomophilyStudy), both)),
            *_pictures(both),
            Heading("Metric by metric"),
            *(_table(both, metric) for metric in PUBLISHED if _of(both, metric)),
            Heading("Sizes"),
            *(_table(both, metric) for metric in COUNTS if _of(both, metric)),
        ]
    elsewhere = [row for row in rows if row["published"] is not None and row["printed"] is None]
    if elsewhere:
        blocks += [Heading("Published elsewhere, by the definition"), _elsewhere(elsewhere)]
    if rows:
        blocks += [Heading("All datasets by the definitions"), _newer(rows)]
    blocks += notes(study, rows, *_remarks(rows))
    return Page(study.title, tuple(blocks), _findings(both) if both else ())


def _pictures(both: Sequence[Row]) -> list[Picture]:
    if not any(row["metric"] in DRAWN for row in both):
        return []
    caption = (
        "Three metrics of every dataset with published values. Where the circle is away from the cross, the printed "
        "number is not what the text defines."
    )
    return [Picture("homophily-conventions", caption, partial(_conventions, both))]


def _of(rows: Sequence[Row], metric: str) -> list[Row]:
    return [row for row in rows if row["metric"] == metric]


def _remarks(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(f"{row['title']}: {row['note']}" for row in rows if row["note"]))


def _symbol(metric: str) -> str:
    return METRICS[metric].symbol if metric in METRICS else metric


def _called(row: Row) -> str:
    return f"{_symbol(str(row['metric']))} of {row['title']}"


def _findings(both: Sequence[Row]) -> tuple[str, ...]:
    """How many of the published metrics, and how many of the published sizes, one of the conventions gives."""
    kinds = {name: [row for row in both if row["metric"] in of] for name, of in _KINDS.items()}
    return tuple(_finding(name, rows) for name, rows in kinds.items() if rows)


def _finding(name: str, rows: Sequence[Row]) -> str:
    by = Counter(str(row["by"]) for row in rows)
    given = by.total() - by["between"] - by["neither"]
    text = (
        f"Of {name}, {given} of {by.total()} published values are given by one of two conventions: {by['both']} by "
        f"both, {by['printed']} by {_THEIRS} alone, {by['definition']} by the definition alone."
    )
    if by["between"]:
        text += f" {by['between']} between the two{_nearness(rows)}."
    if by["neither"]:
        text += f" {by['neither']} by neither: {', '.join(_called(row) for row in rows if row['by'] == 'neither')}."
    return text


def _summary(both: Sequence[Row]) -> str:
    apart = [row for row in both if row["metric"] in DRAWN and row["by"] == "printed"]
    furthest = max(apart, key=lambda row: abs(number(row, "definition_difference") or 0.0), default=None)
    if furthest is None:
        return ""
    return (
        f"Of what {_THEIRS} alone gives, {_called(furthest)} is furthest from the definition: printed is "
        f"{_digits(furthest, 'published')}, and the definition gives {_digits(furthest, 'definition')}."
    )


def _nearness(metrics: Sequence[Row]) -> str:
    """How far those that lie between the conventions are from the nearer one, at most."""
    near = {
        _called(row): min(abs(number(row, f"{by}_difference") or 0.0) for by in ("printed", "definition"))
        for row in metrics
        if row["by"] == "between"
    }
    furthest = max(near, key=near.__getitem__)
    return f", at most {round(near[furthest], 4):g} from the nearer one ({furthest} is the furthest)"


def _tolerance(study: HomophilyStudy, both: Sequence[Row]) -> str:
    """How far ours may be from a published value that it gives."""
    known = {study.subjects[str(row["title"])].tolerance for row in both}
    return " or ".join(f"{tolerance:.1g}" for tolerance in sorted(known))


def _which(both: Sequence[Row], tolerance: str) -> Table:
    lines = []
    for kind, names in _KINDS.items():
        there = [name for name in names if _of(both, name)]
        groups = [(_symbol(name), [name]) for name in there] + [(f"all {kind}", there)] * (len(there) > 1)
        for title, group in groups:
            by = Counter(str(row["by"]) for row in both if row["metric"] in group)
            lines.append((title, *(str(by[way]) for way in _GIVES)))
    return Table(
        "How many of the published values each convention gives, by metric and size: a metric where ours is within "
        f"{tolerance} of the published value, which has four digits, not always rounded; a size where it is the same.",
        ("metric or size", *_GIVES.values()),
        tuple(lines),
    )


def _table(both: Sequence[Row], metric: str) -> Table:
    meaning = METRICS[metric].meaning if metric in METRICS else f"Number of {metric}."
    return Table(
        f"{_symbol(metric)}: {meaning}" if metric in METRICS else meaning,
        (
            "dataset",
            "published",
            f"ours, by {_THEIRS}",
            "ours, by the definition",
            f"{_THEIRS.removeprefix('the ')} − published",
            "definition − published",
            "given by",
        ),
        tuple(
            (
                str(row["title"]),
                *(_digits(row, name) for name in ("published", "printed", "definition")),
                *(_difference(row, name) for name in ("printed_difference", "definition_difference")),
                _GIVES[str(row["by"])],
            )
            for row in _of(both, metric)
        ),
    )


def _elsewhere(rows: Sequence[Row]) -> Table:
    return Table(
        "Values of other tables and figures, which follow the definitions.",
        ("dataset", "metric", "published", "ours", "difference", "where"),
        tuple(
            (
                str(row["title"]),
                _symbol(str(row["metric"])),
                f"{number(row, 'published'):g}",
                _digits(row, "definition"),
                _difference(row, "definition_difference"),
                str(row["table"]),
            )
            for row in rows
        ),
    )


def _newer(rows: Sequence[Row]) -> Table:
    metrics = [metric for metric in (*PUBLISHED, *NEWER) if _of(rows, metric)]
    by = {(row["title"], row["metric"]): row for row in rows}
    titles = list(dict.fromkeys(str(row["title"]) for row in rows))
    lines = [
        (title, *(_digits(by.get((title, metric)), "definition") for metric in metrics)) for title in titles
    ]
    meanings = "; ".join(f"{_symbol(metric)} is {words(metric)}" for metric in NEWER if _of(rows, metric))
    return Table(
        f"Every metric by its definition. {meanings}.",
        ("dataset", *map(_symbol, metrics)),
        tuple(lines),
    )


def _digits(row: Row | None, name: str) -> str:
    value = number(row, name)
    if row is None or value is None:
        return "–"
    return count(round(value)) if row["metric"] in COUNTS else f"{value:.4f}".replace("-", "−")


def _difference(row: Row, name: str) -> str:
    value = number(row, name)
    return "–" if value is None else signed(value, 0 if row["metric"] in COUNTS else 4)


@in_style
def _conventions(both: Sequence[Row]) -> Figure:
    drawn = [metric for metric in DRAWN if _of(both, metric)]
    titles = list(dict.fromkeys(str(row["title"]) for row in both if row["metric"] in drawn))
    figure, grid = panels(1, len(drawn), max(2.0, 1.1 + 0.3 * len(titles)), sharey=True)
    for axes, metric in zip(grid[0], drawn, strict=True):
        found = {str(row["title"]): row for row in _of(both, metric)}
        for place, title in enumerate(titles):
            ends = [number(found.get(title), name) for name, *_ in _MARKS]
            known = [end for end in ends if end is not None]
            if known:
                axes.plot([min(known), max(known)], [place, place], color=light("neither"), linewidth=2)
        for name, label, role, marker, size in _MARKS:
            marks = [
                (value, place)
                for place, title in enumerate(titles)
                if (value := number(found.get(title), name)) is not None
            ]
            axes.plot(
                [value for value, _ in marks],
                [place for _, place in marks],
                marker,
                color=light(role),
                markersize=size,
                markerfacecolor="none" if name == "definition" else light(role),
                markeredgewidth=1.4,
                label=label,
                clip_on=False,
            )
        axes.set(xlim=(0, 1), ylim=(len(titles) - 0.5, -0.5), xlabel=words(metric))
        axes.set_yticks(range(len(titles)), titles)
        axes.tick_params(axis="y", length=0, labelcolor=light("ink"))
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.spines["left"].set_visible(False)
    legend(figure, grid)
    return figure
