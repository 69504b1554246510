"""The page of the synthetic graphs: ours beside the published accuracies, and which metric ranks accuracy best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

import numpy as np

from allpass.experiments.study import Row, Study
from allpass.experiments.synthetic.ranking import Floats, Interval, in_order, largest_fall, rankings, valley
from allpass.experiments.synthetic.study import SyntheticStudy
from allpass.metrics import METRICS
from allpass.report.canvas import in_style
from allpass.report.results.head import head
from allpass.report.results.page import Block, Heading, Page, Picture, Table, Text
from allpass.report.results.tables.cells import number, signed, spread
from allpass.report.theme import light
from allpass.report.wording import words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLOSE = 3.0
"""Points within which a mean counts as reproduced."""

CLAIMED = "modified_aggregation_homophily"
OLDER = ("edge_homophily", "node_homophily", "class_homophily")
_LINES = (("low", "-", "o"), ("high", "-", "s"), ("muted", ":", ""), ("both", "--", "^"), ("bad", "-.", "v"))


@dataclass(frozen=True)
class _Curves:
    """What was found on one list of levels with the features of one dataset.

    Args:
        series: The list of levels.
        base: The dataset.
        rows: Rows of networks and metrics by name and level.
        flat: Rows of networks that see no graph.
    """

    series: str
    base: str
    rows: Mapping[str, Mapping[float, Row]]
    flat: Mapping[str, Row]

    @cached_property
    def levels(self) -> list[float]:
        """Levels of which all is known that is known of any."""
        return sorted(set.intersection(*(set(by_level) for by_level in self.rows.values())))

    def values(self, what: str) -> Floats:
        """By level and graph."""
        return np.array(
            [
                [float(value) for value in str(self.rows[what][level]["values"]).split()]
                for level in self.levels
            ]
        )

    @cached_property
    def metrics(self) -> dict[str, Floats]:
        """Values by metric."""
        return {what: self.values(what) for what in self.rows if what in METRICS}

    @cached_property
    def networks(self) -> dict[str, Floats]:
        """Accuracies by network, in percent."""
        return {what: self.values(what) for what in self.rows if what not in METRICS}

    @cached_property
    def ranked(self) -> dict[str, tuple[dict[str, Interval], dict[str, Interval]]]:
        """How each metric ranks the accuracy of each network, and how far the claimed one leads."""
        against = CLAIMED if CLAIMED in self.metrics else ""
        return {name: rankings(self.metrics, values, against) for name, values in self.networks.items()}

    @property
    def enough(self) -> bool:
        """Whether there are levels, metrics and networks to speak of."""
        return len(self.levels) > 1 and bool(self.metrics) and bool(self.networks)


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``synthetic``.

    Args:
        study: The study.
        rows: Its rows.
    """
    drawn = cast(SyntheticStudy, study)
    curves = [found for found in _all_curves(drawn, rows) if found.enough]
    compared = [row for row in rows if row["difference"] is not None]
    blocks: list[Block] = [*head(study, rows)]
    if compared:
        blocks += [Text(_agreement(compared)), _agreement_table(drawn, compared)]
    if curves:
        blocks += [
            Heading("Which metric ranks accuracy best"),
            *_verdict(curves),
            _lead(curves),
            *(_correlations(drawn, curves, series) for series in _series(curves)),
            *_published_correlations(curves),
            Heading("Is the curve a U, and is it monotone"),
            *(_shapes(drawn, curves, series) for series in _series(curves)),
            Heading("The curves"),
            *(_picture(drawn, found) for found in curves),
        ]
    if compared:
        blocks += [Heading("Level by level"), *_levels(drawn, compared)]
    blocks += [Heading("Notes"), Text("\n".join(f"- {note}" for note in study.notes))]
    return Page(study.title, tuple(blocks))


def _all_curves(study: SyntheticStudy, rows: Sequence[Row]) -> Iterable[_Curves]:
    for series in study.spec.series:
        for base in study.spec.bases:
            found: dict[str, dict[float, Row]] = {}
            for row in rows:
                if row["series"] == series and row["base"] in ("", base):
                    found.setdefault(str(row["what"]), {})[cast(float, row["level"])] = row
            flat = {str(row["what"]): row for row in rows if not row["series"] and row["base"] == base}
            if any(what not in METRICS for what in found):
                yield _Curves(series, base, found, flat)


def _series(curves: Sequence[_Curves]) -> list[str]:
    return list(dict.fromkeys(found.series for found in curves))


def _symbol(metric: str) -> str:
    return METRICS[metric].symbol


def _agreement(compared: Sequence[Row]) -> str:
    close = [row for row in compared if _close(row)]
    share = len(close) / len(compared)
    furthest = max(compared, key=lambda row: abs(cast(float, row["difference"])))
    where = f" at level {furthest['level']:g}" if furthest["level"] is not None else ""
    return (
        f"The claim: ours is within {CLOSE:g} points of the published mean on at least 90% of the levels. It is on "
        f"{len(close)} of {len(compared)} ({share:.1%}). The largest difference is "
        f"{signed(cast(float, furthest['difference']))} points, of {furthest['what']} with features of "
        f"{furthest['base']}{where}."
    )


def _close(row: Row) -> bool:
    return abs(cast(float, row["difference"])) <= CLOSE


def _agreement_table(study: SyntheticStudy, compared: Sequence[Row]) -> Table:
    models = [name for name in study.spec.models if any(row["what"] == name for row in compared)]
    lines = []
    for base in (*study.spec.bases, ""):
        cells = []
        for model in models:
            mine = [row for row in compared if row["what"] == model and base in ("", row["base"])]
            cells.append(f"{sum(map(_close, mine))} of {len(mine)}" if mine else "–")
        lines.append((base or "all", *cells))
    return Table(
        f"Levels on which our mean is within {CLOSE:g} points of the published one, by features and network.",
        ("features of", *models),
        tuple(lines),
    )


def _verdict(curves: Sequence[_Curves]) -> tuple[Text, Table]:
    measure = Text(
        "The measure is Spearman's correlation between a metric and the accuracy over the levels, each level standing "
        "for the mean over its graphs. Intervals are of 95%, from levels and graphs drawn anew. A metric ranks better "
        "or worse than another where the interval of the difference leaves out 0. The source makes its claim for SGC-1 "
        "and GCN, which average; the other networks are beside them."
    )
    networks = list(dict.fromkeys(network for found in curves for network in found.networks))
    table = Table(
        f"In how many cases {_symbol(CLAIMED)} ranks accuracy better than another metric of the source, in how many "
        "worse, and in how many that is open. A case is a list of levels with the features of a dataset.",
        ("network", *(f"against {_symbol(older)}" for older in OLDER)),
        tuple((network, *(_cases(curves, network, older) for older in OLDER)) for network in networks),
    )
    return measure, table


def _cases(curves: Sequence[_Curves], network: str, older: str) -> str:
    ranked = [found.ranked[network][1] for found in curves if network in found.networks]
    leads = [lead[older] for lead in ranked if older in lead]
    better, worse = sum(lead.low > 0 for lead in leads), sum(lead.high < 0 for lead in leads)
    return f"{better} better, {worse} worse, {len(leads) - better - worse} open"


def _lead(curves: Sequence[_Curves]) -> Table:
    older = [metric for metric in curves[0].metrics if metric != CLAIMED]
    return Table(
        f"The correlation of {_symbol(CLAIMED)} less that of each other metric, with its interval; above 0 it ranks "
        "accuracy better.",
        ("levels, features, network", *map(_symbol, older)),
        tuple(
            (
                f"{found.series}, {found.base}, {network}",
                *(_interval(lead[metric]) if metric in lead else "–" for metric in older),
            )
            for found in curves
            for network, (_, lead) in found.ranked.items()
        ),
    )


def _correlations(study: SyntheticStudy, curves: Sequence[_Curves], series: str) -> Table:
    mine = [found for found in curves if found.series == series]
    return Table(
        f"Spearman's correlation of each metric with accuracy on {study.spec.titles[series]}.",
        ("features, network", *map(_symbol, mine[0].metrics)),
        tuple(
            (f"{found.base}, {network}", *(_interval(found_one) for found_one in correlations.values()))
            for found in mine
            for network, (correlations, _) in found.ranked.items()
        ),
    )


def _published_correlations(curves: Sequence[_Curves]) -> list[Table]:
    """The same of the printed means, whose graphs are not ours: only levels are drawn anew."""
    lines = []
    for found in curves:
        for network in found.networks:
            printed = [number(found.rows[network][level], "published") for level in found.levels]
            if any(value is None for value in printed):
                continue
            means = {name: values.mean(1, keepdims=True) for name, values in found.metrics.items()}
            ranked, _ = rankings(means, np.array(printed, dtype=np.float64)[:, None])
            lines.append((f"{found.base}, {network}", *map(_interval, ranked.values())))
    if not lines:
        return []
    return [
        Table(
            "The same for the published accuracies, against our metrics at the same levels.",
            ("features, network", *map(_symbol, curves[0].metrics)),
            tuple(lines),
        )
    ]


def _shapes(study: SyntheticStudy, curves: Sequence[_Curves], series: str) -> Table:
    mine = [found for found in curves if found.series == series]
    shown = [metric for metric in (*OLDER, CLAIMED) if metric in mine[0].metrics]
    lines = []
    for found in mine:
        for network, accuracy in found.networks.items():
            lowest = valley(accuracy)
            row = found.rows[network][found.levels[lowest.place]]
            turn = study.turning_point(cast(int, row["intra_degree"]))
            lines.append(
                (
                    f"{found.base}, {network}",
                    f"{row['level']:g} ({turn:.3f})",
                    _interval(lowest.depth, 1),
                    *(f"{largest_fall(found.metrics[metric], accuracy):.1f}" for metric in shown),
                )
            )
    return Table(
        f"On {study.spec.titles[series]}: the level of the lowest accuracy (in brackets the homophily at which theory "
        "expects it for averaging), how many points it is below the lower end of the curve (a U where that is above "
        "0), and the most that accuracy falls while a metric rises (0: monotone).",
        (
            "features, network",
            "lowest at",
            "depth of the U",
            *(f"fall along {_symbol(metric)}" for metric in shown),
        ),
        tuple(lines),
    )


def _levels(study: SyntheticStudy, compared: Sequence[Row]) -> Iterable[Table]:
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
                *(f"{model}, {kind}" for model in models for kind in ("published", "ours", "difference")),
            ),
            tuple(
                (
                    "any" if level is None else f"{cast(float, level):g}",
                    *(cell for model in models for cell in _three(mine.get((level, model)))),
                )
                for level in (*levels, *([None] if any(level is None for level, _ in mine) else []))
            ),
        )


def _three(row: Row | None) -> tuple[str, str, str]:
    if row is None:
        return ("", "", "")
    low, high = number(row, "low"), number(row, "high")
    interval = "" if low is None or high is None else f" [{signed(low, 1)}, {signed(high, 1)}]"
    return (
        spread([number(row, "published"), number(row, "published_deviation")], 1),
        spread([number(row, "mean"), number(row, "deviation")], 1),
        signed(cast(float, row["difference"]), 1) + interval,
    )


def _interval(found: Interval, digits: int = 2) -> str:
    if np.isnan(found.value):
        return "–"
    return f"{signed(found.value, digits)} [{signed(found.low, digits)}, {signed(found.high, digits)}]"


def _picture(study: SyntheticStudy, found: _Curves) -> Picture:
    shown = [metric for metric in (*OLDER, CLAIMED) if metric in found.metrics]
    return Picture(
        f"synthetic-{found.series}-{found.base}",
        f"Accuracy against {', '.join(map(_symbol, shown))} on {study.spec.titles[found.series]}, features of "
        f"{found.base}: a point is the mean over the graphs of a level, points are joined in the order of the metric, "
        "shades are one deviation over graphs.",
        partial(_draw, found, tuple(study.spec.models), shown),
    )


@in_style
def _draw(found: _Curves, models: Sequence[str], shown: Sequence[str]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.8, 2.9 * ((len(shown) + 1) // 2)), layout="constrained")
    panels = figure.subplots((len(shown) + 1) // 2, 2, sharey=True, squeeze=False).flat
    for axes, metric in zip(panels, shown, strict=False):
        for model, (role, line, marker) in zip(models, _LINES, strict=False):
            if model in found.networks:
                _curve(axes, found.metrics[metric], found.networks[model], light(role), line, marker, model)
            elif model in found.flat:
                axes.axhline(
                    cast(float, found.flat[model]["mean"]), color=light(role), ls=line, lw=1.3, label=model
                )
        _finish(axes, metric)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(models))
    return figure


def _curve(
    axes: Axes, metric: Floats, accuracy: Floats, colour: str, line: str, marker: str, name: str
) -> None:
    order = in_order(metric, accuracy)
    x, mean, deviation = metric.mean(1)[order], accuracy.mean(1)[order], accuracy.std(1)[order]
    axes.plot(x, mean, line, marker=marker, color=colour, markersize=3, linewidth=1.3, label=name)
    axes.fill_between(x, mean - deviation, mean + deviation, color=colour, alpha=0.15, linewidth=0)


def _finish(axes: Axes, metric: str) -> None:
    axes.set(xlabel=f"{words(metric)}, {_symbol(metric)}", ylabel="test accuracy, %", ylim=(0, 103))
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
