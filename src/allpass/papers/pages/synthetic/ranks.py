"""Which metric ranks accuracy best: correlations over the levels, with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from allpass.papers.pages.page import Block, Table, Text
from allpass.papers.pages.synthetic.curves import CLAIMED, OLDER, Curves, between, by_series, symbol
from allpass.papers.pages.tables.cells import number
from allpass.papers.synthetic.ranking import Interval, rankings
from allpass.papers.synthetic.study import SyntheticStudy

_QUESTIONS: Mapping[str, Callable[[Curves, str], Mapping[str, Interval]]] = {
    "levels like these": lambda found, network: found.ranked[network][1],
    "these very levels": lambda found, network: found.leads_here[network],
}
"""By what is asked, how far the claimed metric leads the others in ranking a network."""
_WIDER = "levels like these"


def ranks(study: SyntheticStudy, curves: Sequence[Curves]) -> Iterator[Block]:
    """How often the claimed metric leads, by how much, and all correlations.

    Args:
        study: The study.
        curves: What was found.
    """
    yield from _verdict(study, curves)
    yield _ties(curves)
    yield _lead(curves)
    for series, mine in by_series(curves).items():
        yield _correlations(study.spec.titles[series], mine)
    yield from _published_correlations(curves)


def _verdict(study: SyntheticStudy, curves: Sequence[Curves]) -> Iterator[Block]:
    yield Text(
        "The measure is Spearman's correlation between a metric and the accuracy over the levels, each level standing "
        "for the mean over its graphs. A metric ranks better or worse than another where the interval (95%) of the "
        "difference leaves out 0. Intervals are percentiles of resamplings. For “levels like these” whole levels "
        "are drawn anew, each with its graphs: would the order hold on other levels? For “these very levels” only "
        "graphs are: does it hold here, whatever graphs were drawn? The source makes its claim for SGC-1 and GCN, "
        "which average. Networks of which it has no accuracies are left out of the count: one that does not average "
        "may rank the other way round."
    )
    networks = _published_networks(study, curves)
    yield Table(
        f"In how many cases {symbol(CLAIMED)} ranks accuracy better than another metric of the source, in how many "
        "worse, and in how many that is open. A case is a list of levels with the features of a dataset; cases of one "
        "list share their graphs.",
        ("network, question, list", *(f"against {symbol(older)}" for older in OLDER)),
        tuple(
            (
                f"{network}, {question}, {series}",
                *(_cases(_leads(question, [network], mine), older) for older in OLDER),
            )
            for question in _QUESTIONS
            for network in networks
            for series, mine in by_series(curves).items()
        ),
    )
    newer = [metric for metric in _measured(curves) if metric not in (CLAIMED, *OLDER)]
    if newer and networks:
        yield Table(
            f"The same against metrics that came later, on {_WIDER}; signs count, so one that falls as accuracy rises "
            "counts as worse.",
            ("network", *map(symbol, newer)),
            tuple(
                (network, *(_cases(_leads(_WIDER, [network], curves), metric) for metric in newer))
                for network in networks
            ),
        )


def told_ranks(study: SyntheticStudy, curves: Sequence[Curves]) -> tuple[str, ...]:
    """In how many cases the claimed metric ranks better or worse than each older one; arguments of :func:`ranks`."""
    networks, told = _published_networks(study, curves), []
    for series, mine in by_series(curves).items():
        leads = {question: _leads(question, networks, mine) for question in _QUESTIONS}
        if any(leads.values()):
            cases = "; ".join(
                f"against {symbol(older)} "
                + ", and ".join(f"{_cases(found, older)} on {question}" for question, found in leads.items())
                for older in OLDER
            )
            told.append(
                f"{symbol(CLAIMED)} in ranking the accuracy of {', '.join(networks)} over {study.spec.titles[series]} "
                f"(95% intervals): {cases}."
            )
    return tuple(told)


def _leads(question: str, networks: Sequence[str], curves: Sequence[Curves]) -> list[Mapping[str, Interval]]:
    """How far the claimed metric leads in each case."""
    return [
        _QUESTIONS[question](found, network)
        for found in curves
        for network in networks
        if network in found.networks
    ]


def _measured(curves: Sequence[Curves]) -> list[str]:
    """The metrics of any of the curves: one that has only begun is not in all of them."""
    return list(dict.fromkeys(metric for found in curves for metric in found.metrics))


def _told(metrics: Sequence[str], found: Mapping[str, Interval]) -> list[str]:
    return [between(found[metric]) if metric in found else "–" for metric in metrics]


def _published_networks(study: SyntheticStudy, curves: Sequence[Curves]) -> list[str]:
    """The networks that the source has accuracies of."""
    published = {name for by_network in study.spec.published.values() for name in by_network}
    return [
        name
        for name, network in study.spec.models.items()
        if network.printed in published and any(name in found.networks for found in curves)
    ]


def _cases(leads: Sequence[Mapping[str, Interval]], older: str) -> str:
    known = [lead[older] for lead in leads if older in lead]
    better, worse = sum(lead.low > 0 for lead in known), sum(lead.high < 0 for lead in known)
    return f"{better} better, {worse} worse, {len(known) - better - worse} open"


def _ties(curves: Sequence[Curves]) -> Table:
    """How much a metric leaves unsaid: levels to which it gives one value."""
    lines = []
    for series, mine in by_series(curves).items():
        for metric in mine[0].shown:
            values, sizes = np.unique(mine[0].metrics[metric].mean(1), return_counts=True)
            accuracies = [
                accuracy.mean(1)[found.metrics[metric].mean(1) == values[sizes.argmax()]]
                for found in mine
                for accuracy in found.networks.values()
            ]
            lines.append(
                (
                    f"{series}, {symbol(metric)}",
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


def _lead(curves: Sequence[Curves]) -> Table:
    others = [metric for metric in _measured(curves) if metric != CLAIMED]
    return Table(
        f"For levels like these: the correlation of {symbol(CLAIMED)} less that of each other metric, with its "
        "interval. Signs count: a metric that falls as accuracy rises, by its definition or because it speaks of "
        "high-pass filters, has a negative correlation and may rank as well all the same.",
        ("levels, features, network", *map(symbol, others)),
        tuple(
            (f"{found.series}, {found.base}, {network}", *_told(others, lead))
            for found in curves
            for network, (_, lead) in found.ranked.items()
        ),
    )


def _correlations(levels: str, curves: Sequence[Curves]) -> Table:
    metrics = _measured(curves)
    return Table(
        f"Spearman's correlation of each metric with accuracy on {levels}, with the interval of levels like these.",
        ("features, network", *map(symbol, metrics)),
        tuple(
            (f"{found.base}, {network}", *_told(metrics, correlations))
            for found in curves
            for network, (correlations, _) in found.ranked.items()
        ),
    )


def _published_correlations(curves: Sequence[Curves]) -> Iterator[Table]:
    """The same of the printed means, whose graphs are not ours: only levels are drawn anew."""
    metrics, lines = _measured(curves), []
    for found in curves:
        for network in found.networks:
            printed = [number(found.rows[network][level], "published") for level in found.levels]
            if any(value is None for value in printed):
                continue
            means = {name: values.mean(1, keepdims=True) for name, values in found.metrics.items()}
            ranked, _ = rankings(means, np.array(printed, dtype=np.float64)[:, None])
            lines.append((f"{found.base}, {network}", *_told(metrics, ranked)))
    if lines:
        yield Table(
            "The same for the published accuracies, against our metrics at the same levels.",
            ("features, network", *map(symbol, metrics)),
            tuple(lines),
        )
