"""The page of the synthetic graphs: ours beside the published accuracies, and which metric ranks accuracy best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from allpass.papers.pages.head import head, notes
from allpass.papers.pages.page import Block, Heading, Page, Text, of_kind
from allpass.papers.pages.synthetic.curves import all_curves, by_series
from allpass.papers.pages.synthetic.figures import picture
from allpass.papers.pages.synthetic.published import agreement, by_level, finding
from allpass.papers.pages.synthetic.ranks import ranks, told_ranks
from allpass.papers.pages.synthetic.shapes import shapes
from allpass.papers.study import Row, Study
from allpass.papers.synthetic.spec import Place
from allpass.papers.synthetic.study import ALL_METRICS, SyntheticStudy


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``synthetic``.

    Args:
        study: The study.
        rows: Its rows.
    """
    drawn = of_kind(study, SyntheticStudy)
    curves = [found for found in all_curves(drawn, rows) if found.enough]
    compared = [row for row in rows if row["difference"] is not None]
    blocks: list[Block] = [*head(study, rows), *_progress(drawn, rows)]
    if compared:
        blocks += agreement(drawn, compared)
    if curves:
        blocks += [
            Heading("Which metric ranks accuracy best"),
            *ranks(drawn, curves),
            Heading("Is the curve a U, and is it monotone"),
            *(shapes(drawn, mine) for mine in by_series(curves).values()),
            Heading("The curves"),
            *(picture(drawn, found) for found in curves),
        ]
    if compared:
        blocks += [Heading("Level by level"), *by_level(drawn, compared)]
    blocks += notes(study, rows)
    found = finding(drawn, compared) if compared else ()
    return Page(study.title, tuple(blocks), (*found, *told_ranks(drawn, curves)))


def _progress(study: SyntheticStudy, rows: Sequence[Row]) -> list[Text]:
    """The levels that have not run yet, by network or metric and list of levels."""
    spec = study.spec
    there = Counter((row["what"], row["series"], row["base"]) for row in rows)
    measured = any(row["kind"] == "metric" for row in rows)
    lines = []
    for what in (*spec.models, *(spec.metrics if measured else ())):
        sees_graph = what not in spec.models or spec.models[what].graph
        for series, places in spec.series.items() if sees_graph else (("", [Place()]),):
            known = {base: there[what, series, base] for base in study.bases_of(what)}
            lacking = [f"{base} ({found})" for base, found in known.items() if found < len(places)]
            if lacking:
                where = f" on {spec.titles[series]}" if series else ""
                features = "features of " * any(known)  # a metric of labels sees none
                bases = f"{features}{', '.join(lacking).strip()}" if any(known.values()) else "all"
                lines.append(f"- {what}{where}: {bases}")
    if not measured:
        lines.append(f"- {ALL_METRICS}: all")
    if not rows or not lines:
        return []
    return [Text("\n".join(("Not run yet (in brackets the number of levels that are there):\n", *lines)))]
