"""The page of costs: parameters and operations by formula and counted, and times of an epoch beside the base model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from allpass.papers.complexity.study import ComplexityStudy
from allpass.papers.pages.head import head, notes
from allpass.papers.pages.page import Block, Heading, Page, Picture, Table, Text, of_kind
from allpass.papers.study import Row, Study
from allpass.report.canvas import in_style, panels
from allpass.report.theme import light
from allpass.report.wording import count, sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_Rows: TypeAlias = Mapping[tuple[str, str], Row]
_NOTHING = "–"
_COUNTED = (
    "Counted are dense and sparse products, sums, additions and multiplications of one pass forward, as they are asked "
    "of torch; activations and softmax are not."
)
_LOOKS = (("low", "o"), ("high", "s"), ("both", "^"))


class Timed(NamedTuple):
    """How many times as long an epoch of a model takes as that of its base, by dataset.

    Args:
        model: The model.
        base: Its base.
        ours: As measured.
        published: As published, where it was.
        tables: Where that was.
    """

    model: str
    base: str
    ours: Sequence[float]
    published: Sequence[float]
    tables: str


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``complexity``.

    Args:
        study: The study.
        rows: Its rows.
    """
    costs = of_kind(study, ComplexityStudy)
    found = {(str(row["model"]), str(row["dataset"])): row for row in rows}
    blocks: list[Block] = [*head(study, rows)]
    if rows:
        blocks += [
            Heading("Parameters"),
            Text(sentence(_parameters(rows))),
            _by_dataset("Parameters, counted.", found, lambda row: count(_whole(row, "parameters_counted"))),
            _by_dataset(
                "The printed formula minus the true count, in percent.",
                found,
                partial(_excess, name="parameters"),
            ),
            Heading("Operations"),
            Text(f"{sentence(_operations(rows))} {_COUNTED}"),
            _by_dataset(
                "Operations of one pass forward, counted, in millions.",
                found,
                lambda row: f"{_whole(row, 'flops_counted') / 1e6:,.1f}",
            ),
            _by_dataset(
                "The printed formula minus what was counted, in percent.",
                found,
                partial(_excess, name="flops"),
            ),
            Heading("Time of an epoch"),
            *_times(costs, rows),
            *_picture(costs, found),
            *(_family(costs, found, base) for base in _bases(costs, found)),
        ]
    blocks += notes(study, rows)
    return Page(study.title, tuple(blocks), _findings(costs, rows) if rows else ())


def _picture(study: ComplexityStudy, found: _Rows) -> list[Block]:
    """The times as multiples, where there are any."""
    bases = list(dict.fromkeys(str(row["base"]) for row in found.values() if row["ratio"] is not None))
    caption = (
        "Time of an epoch as a multiple of the base model's. Full marks are ours, with the middle half of the rounds; "
        "hollow ones are published; the dotted line is the base model."
    )
    return [Picture("complexity-times", caption, partial(_ratios, study, found, bases))] if bases else []


def _findings(study: ComplexityStudy, rows: Sequence[Row]) -> tuple[str, ...]:
    return (
        f"Parameters: {_parameters(rows)}",
        f"Operations: {_operations(rows)}",
        *_told_times(_timed(study, rows)),
    )


def _told_times(timed: Sequence[Timed]) -> tuple[str, ...]:
    """The shortest and the longest of the medians, as ours and as published."""
    if not timed:
        return ()
    ours = _range([median(one.ours) for one in timed])
    published = [median(one.published) for one in timed if one.published]
    theirs = f" (published {_range(published)})" if published else ""
    return (
        f"Time of an epoch with channels, in the median over datasets: {ours} times that of the base model{theirs}.",
    )


def _parameters(rows: Sequence[Row]) -> str:
    exact = sum(row["parameters_counted"] == row["parameters_formula"] for row in rows)
    printed = [row for row in rows if row["parameters_printed"] is not None]
    right = sum(row["parameters_counted"] == row["parameters_printed"] for row in printed)
    mixed = sum(
        bool(row["base"]) and row["parameters_counted"] == row["parameters_printed"] for row in printed
    )
    return (
        f"the printed formula gives what is counted in {right} of {len(printed)} cases, {mixed} of them with channels; "
        f"the formula by the definition of each layer in {exact} of {len(rows)}."
    )


def _operations(rows: Sequence[Row]) -> str:
    """How far the count is from the formulas."""
    away = [_whole(row, "flops_counted") / _whole(row, "flops_formula") - 1 for row in rows]
    exact = sum(difference == 0 for difference in away)
    return (
        f"what is counted and what the definition gives are the same in {exact} of {len(rows)} cases, and at most "
        f"{100 * max(map(abs, away)):.3f}% apart in the others."
    )


def _times(study: ComplexityStudy, rows: Sequence[Row]) -> tuple[Block, ...]:
    timed = _timed(study, rows)
    if not timed:
        return (Text("No model was timed beside its base."),)
    return (
        Table(
            "How many times as long an epoch takes as that of the base model: the median over datasets, and from the "
            "lowest to the highest of them.",
            ("model", "base", "ours", "published", "published in"),
            tuple(
                (
                    one.model,
                    one.base,
                    _spread(one.ours),
                    *((_spread(one.published), one.tables) if one.published else (_NOTHING, _NOTHING)),
                )
                for one in timed
            ),
        ),
    )


def _timed(study: ComplexityStudy, rows: Sequence[Row]) -> list[Timed]:
    """How long an epoch takes beside that of the base model, for each model that was timed."""
    found = []
    for title, model in study.models.items():
        mine = [row for row in rows if row["model"] == title and row["ratio"] is not None]
        ours, published = (
            [_number(row, name) for row in mine if row[name] is not None]
            for name in ("ratio", "published_ratio")
        )
        if ours:
            tables = " and ".join(dict.fromkeys((model.table, study.models[model.base].table)))
            found.append(Timed(title, model.base, ours, published, tables))
    return found


def _range(values: Sequence[float]) -> str:
    low, high = (f"{choose(values):.2f}" for choose in (min, max))
    return low if low == high else f"{low} to {high}"


def _spread(values: Sequence[float]) -> str:
    middle = f"{median(values):.2f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):.2f} to {max(values):.2f})"


def _whole(row: Row, name: str) -> int:
    return int(cast(int, row[name]))


def _number(row: Row, name: str) -> float:
    return float(cast(float, row[name]))


def _excess(row: Row, name: str) -> str:
    if row[f"{name}_printed"] is None:
        return _NOTHING
    more = 100 * (_whole(row, f"{name}_printed") / _whole(row, f"{name}_counted") - 1)
    return f"{more:+.2f}".replace("-", "−") if round(more, 2) else "0"


def _by_dataset(caption: str, found: _Rows, text: Callable[[Row], str]) -> Table:
    """A row for each model, a column for each dataset."""
    models, datasets = (tuple(dict.fromkeys(key[place] for key in found)) for place in (0, 1))
    lines = (
        (model, *(text(found[model, name]) if (model, name) in found else _NOTHING for name in datasets))
        for model in models
    )
    return Table(caption, ("model", *datasets), tuple(lines))


def _bases(study: ComplexityStudy, found: _Rows) -> list[str]:
    there = {model for model, _ in found}
    return [title for title, model in study.models.items() if not model.base and title in there]


def _family(study: ComplexityStudy, found: _Rows, base: str) -> Table:
    """Times of a base model, and of those that are compared with it as multiples."""
    others = [title for title, model in study.models.items() if model.base == base and _any(found, title)]
    datasets = [dataset for model, dataset in found if model == base]
    lines = []
    for dataset in datasets:
        line = [dataset, _milliseconds(found[base, dataset])]
        for title in others:
            row = found.get((title, dataset))
            line += [_NOTHING, _NOTHING] if row is None else [_ratio(row), _published(row)]
        lines.append(tuple(line))
    header = [text for title in others for text in (f"{title}, ours", "published")]
    return Table(
        f"{base}: milliseconds of an epoch (the middle half of the rounds)"
        + ", and how many times as long others take." * bool(others)
        + "." * (not others),
        ("dataset", f"{base}, ms", *header),
        tuple(lines),
    )


def _any(found: _Rows, title: str) -> bool:
    return any(model == title for model, _ in found)


def _milliseconds(row: Row) -> str:
    middle, low, high = (_number(row, f"epoch_ms{end}") for end in ("", "_low", "_high"))
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def _ratio(row: Row) -> str:
    if row["ratio"] is None:
        return _NOTHING
    middle, low, high = (_number(row, name) for name in ("ratio", "ratio_low", "ratio_high"))
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def _published(row: Row) -> str:
    return _NOTHING if row["published_ratio"] is None else f"{row['published_ratio']:.2f}"


@in_style
def _ratios(study: ComplexityStudy, found: _Rows, bases: Sequence[str]) -> Figure:
    """A panel for each base model, a mark for each dataset and model."""
    figure, (line,) = panels(1, len(bases), 3.4, sharey=True)
    for panel, base in zip(line, bases, strict=True):
        datasets = [dataset for model, dataset in found if model == base]
        others = [title for title, model in study.models.items() if model.base == base and _any(found, title)]
        for number, (title, look) in enumerate(zip(others, _LOOKS[: len(others)], strict=True)):
            shift = 0.24 * (number - (len(others) - 1) / 2)
            rows = [(place + shift, found.get((title, name))) for place, name in enumerate(datasets)]
            _marks(panel, [(place, row) for place, row in rows if row is not None], title, look)
        panel.axhline(1, color=light("muted"), linewidth=0.8, linestyle=(0, (2, 3)))
        panel.set_xticks(range(len(datasets)), datasets, rotation=55, ha="right", rotation_mode="anchor")
        panel.set_title(f"beside {base}", fontsize=9, loc="left")
        panel.grid(axis="y")
        panel.legend(loc="lower left", fontsize=7)
    line[0].set_ylim(bottom=0)
    line[0].set_ylabel("time of an epoch / base model's")
    return figure


def _marks(panel: Axes, rows: Sequence[tuple[float, Row]], title: str, look: tuple[str, str]) -> None:
    colour, marker = light(look[0]), look[1]
    style: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 4.5}
    for place, row in rows:
        if row["ratio"] is not None:
            ends = [_number(row, "ratio_low"), _number(row, "ratio_high")]
            panel.plot([place, place], ends, color=colour, linewidth=1.2)
            panel.plot([place], [_number(row, "ratio")], **style)
        if row["published_ratio"] is not None:
            panel.plot([place], [_number(row, "published_ratio")], **style, markerfacecolor="none")
    panel.plot([], [], **style, linestyle="none", label=title)
