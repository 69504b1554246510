"""The page of the synthetic graphs: ours beside the published accuracies, and which metric ranks accuracy best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

import numpy as np

from allpass.experiments.study import Row, Study
from allpass.experiments.synthetic.graphs import METRICS_TASK
from allpass.experiments.synthetic.ranking import (
    Floats,
    Interval,
    in_order,
    largest_fall,
    rankings,
    valley,
)
from allpass.experiments.synthetic.study import SyntheticStudy
from allpass.metrics import METRICS
from allpass.report.canvas import in_style
from allpass.report.results.head import head
from allpass.report.results.page import Block, Heading, Page, Picture, Table, Text
from allpass.report.results.synthetic_published import agreement, by_level
from allpass.report.results.tables.cells import number, signed
from allpass.report.theme import light
from allpass.report.wording import words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLAIMED = "modified_aggregation_homophily"
OLDER = ("edge_homophily", "node_homophily", "class_homophily")
_LINES = (
    ("low", "-", "o"),
    ("high", "-", "s"),
    ("muted", ":", ""),
    ("both", "--", "^"),
    ("bad", "-.", "v"),
)
"""Colour, line and marker of every network, in the order of the spec."""


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
        return {name: rankings(self.metrics, values, self._against) for name, values in self.networks.items()}

    @cached_property
    def leads_here(self) -> dict[str, dict[str, Interval]]:
        """How far the claimed metric leads on these very levels."""
        shown = {name: self.metrics[name] for name in _shown(self)}
        return {
            name: rankings(shown, values, self._against, same_levels=True)[1]
            for name, values in self.networks.items()
        }

    @property
    def _against(self) -> str:
        return CLAIMED if CLAIMED in self.metrics else ""

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
    blocks: list[Block] = [*head(study, rows), *_progress(drawn, rows)]
    if compared:
        blocks += agreement(drawn, compared)
    if curves:
        blocks += [
            Heading("Which metric ranks accuracy best"),
            *_verdict(curves),
            _ties(curves),
            _lead(curves),
            *(_correlations(drawn, curves, series) for series in _series(curves)),
            *_published_correlations(curves),
            Heading("Is the curve a U, and is it monotone"),
            *(_shapes(drawn, curves, series) for series in _series(curves)),
            Heading("The curves"),
            *(_picture(drawn, found) for found in curves),
        ]
    if compared:
        blocks += [Heading("Level by level"), *by_level(drawn, compared)]
    blocks += [Heading("Notes"), Text("\n".join(f"- {note}" for note in study.notes))]
    return Page(study.title, tuple(blocks))


def _all_curves(study: SyntheticStudy, rows: Sequence[Row]) -> Iterable[_Curves]:
    for series in study.spec.series:
        for base in study.spec.bases:
            mine = [row for row in rows if row["series"] == series and row["base"] in ("", base)]
            found = {
                what: {cast(float, row["level"]): row for row in mine if row["what"] == what}
                for what in (*study.spec.metrics, *study.spec.models)
            }
            flat = {str(row["what"]): row for row in rows if not row["series"] and row["base"] == base}
            # A network that has only begun has no curve yet: it would cut those of all others short.
            most = max(len(found[what]) for what in study.spec.models)
            done = {
                what: by_level
                for what, by_level in found.items()
                if by_level and (what in METRICS or len(by_level) == most)
            }
            if most:
                yield _Curves(series, base, done, flat)


def _series(curves: Sequence[_Curves]) -> list[str]:
    return list(dict.fromkeys(found.series for found in curves))


def _shown(found: _Curves) -> list[str]:
    return [metric for metric in (*OLDER, CLAIMED) if metric in found.metrics]


def _symbol(metric: str) -> str:
    return METRICS[metric].symbol


def _progress(study: SyntheticStudy, rows: Sequence[Row]) -> list[Text]:
    """What has not run yet, and the command of what has."""
    spec = study.spec
    names = {str(row[name]) for row in rows for name in ("series", "base", "what")}
    names |= {METRICS_TASK} if any(row["kind"] == "metric" for row in rows) else set()
    axes = (tuple(spec.bases), (METRICS_TASK, *spec.models), tuple(spec.series))
    left = [name for axis in axes for name in axis if name not in names]
    if not rows or not left:
        return []
    partly = [axis for axis in axes if not names.issuperset(axis)]
    done = ",".join(name for axis in partly for name in axis if name in names)
    missing = ", ".join(spec.titles.get(name, name) for name in left)
    return [
        Text(
            f"Not run yet: {missing}. What stands here came from: allpass reproduce {study.id} --cells {done}"
        )
    ]


def _verdict(curves: Sequence[_Curves]) -> Iterable[Block]:
    yield Text(
        "The measure is Spearman's correlation between a metric and the accuracy over the levels, each level standing "
        "for the mean over its graphs. A metric ranks better or worse than another where the interval (95%) of the "
        "difference leaves out 0. There are two questions: what holds for levels like these, where levels and graphs "
        "are drawn anew, and what holds for these very levels, where graphs alone are. The source makes its claim for "
        "SGC-1 and GCN, which average."
    )
    networks = list(dict.fromkeys(network for found in curves for network in found.networks))
    questions: list[tuple[str, Callable[[_Curves, str], Mapping[str, Interval]]]] = [
        ("levels like these", lambda found, network: found.ranked[network][1]),
        ("these very levels", lambda found, network: found.leads_here[network]),
    ]
    yield Table(
        f"In how many cases {_symbol(CLAIMED)} ranks accuracy better than another metric of the source, in how many "
        "worse, and in how many that is open. A case is a list of levels with the features of a dataset.",
        ("network, question", *(f"against {_symbol(older)}" for older in OLDER)),
        tuple(
            (
                f"{network}, {question}",
                *(
                    _cases([lead(found, network) for found in curves if network in found.networks], older)
                    for older in OLDER
                ),
            )
            for question, lead in questions
            for network in networks
        ),
    )


def _cases(leads: Sequence[Mapping[str, Interval]], older: str) -> str:
    known = [lead[older] for lead in leads if older in lead]
    better, worse = sum(lead.low > 0 for lead in known), sum(lead.high < 0 for lead in known)
    return f"{better} better, {worse} worse, {len(known) - better - worse} open"


def _ties(curves: Sequence[_Curves]) -> Table:
    """How much a metric leaves unsaid: levels to which it gives one value."""
    lines = []
    for series in _series(curves):
        mine = [found for found in curves if found.series == series]
        for metric in _shown(mine[0]):
            values, sizes = np.unique(mine[0].metrics[metric].mean(1), return_counts=True)
            accuracies = [
                accuracy.mean(1)[found.metrics[metric].mean(1) == values[sizes.argmax()]]
                for found in mine
                for accuracy in found.networks.values()
            ]
            lines.append(
                (
                    f"{series}, {_symbol(metric)}",
                    f"{len(values)} of {len(mine[0].levels)}",
                    f"{sizes.max()} at {values[sizes.argmax()]:.3f}",
                    f"{np.concatenate(accuracies).min():.1f} to {np.concatenate(accuracies).max():.1f}",
                )
            )
    return Table(
        "What a metric does not tell apart: its different values among the levels, the most levels with one value, "
        "and the accuracies on those levels, of all networks and features. Accuracy is not ranked within them.",
        ("levels, metric", "different values", "most levels with one value", "accuracy there, %"),
        tuple(lines),
    )


def _lead(curves: Sequence[_Curves]) -> Table:
    older = [metric for metric in curves[0].metrics if metric != CLAIMED]
    return Table(
        f"For levels like these: the correlation of {_symbol(CLAIMED)} less that of each other metric, with its "
        "interval. Signs count: a metric that falls as accuracy rises, by its definition or because it speaks of "
        "high-pass filters, has a negative correlation and may rank as well all the same.",
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
    shown = _shown(mine[0])
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
        "0), and the most that accuracy falls while a metric rises (0: monotone). Levels of one value count as no "
        "fall: a metric that says little falls little.",
        (
            "features, network",
            "lowest at",
            "depth of the U",
            *(f"fall along {_symbol(metric)}" for metric in shown),
        ),
        tuple(lines),
    )


def _interval(found: Interval, digits: int = 2) -> str:
    if np.isnan(found.value):
        return "–"
    return f"{signed(found.value, digits)} [{signed(found.low, digits)}, {signed(found.high, digits)}]"


def _picture(study: SyntheticStudy, found: _Curves) -> Picture:
    shown = _shown(found)
    return Picture(
        f"synthetic-{found.series}-{found.base}",
        f"Accuracy against {', '.join(map(_symbol, shown))} on {study.spec.titles[found.series]}, features of "
        f"{found.base}: a point is the mean over the graphs of a level, points are joined in the order of the metric "
        "and, where that is the same, of accuracy; shades are one deviation over graphs.",
        partial(_draw, found, tuple(study.spec.models), shown),
    )


@in_style
def _draw(found: _Curves, models: Sequence[str], shown: Sequence[str]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.8, 2.9 * ((len(shown) + 1) // 2)), layout="constrained")
    panels = figure.subplots((len(shown) + 1) // 2, 2, sharey=True, squeeze=False).flat
    for axes, metric in zip(panels, shown, strict=False):
        for model, (role, line, marker) in zip(models, _LINES, strict=True):
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
