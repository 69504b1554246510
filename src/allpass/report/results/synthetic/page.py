"""The page of the synthetic graphs: ours beside the published accuracies, and which metric ranks accuracy best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from allpass.experiments.study import Row, Study
from allpass.experiments.synthetic.graphs import METRICS_TASK
from allpass.experiments.synthetic.study import SyntheticStudy
from allpass.report.results.head import head
from allpass.report.results.page import Block, Heading, Page, Text
from allpass.report.results.synthetic.curves import all_curves, by_series
from allpass.report.results.synthetic.figures import picture
from allpass.report.results.synthetic.published import agreement, by_level
from allpass.report.results.synthetic.ranks import ranks
from allpass.report.results.synthetic.shapes import shapes


def page(study: Study, rows: Sequence[Row]) -> Page:
    """The page of the study ``synthetic``.

    Args:
        study: The study.
        rows: Its rows.
    """
    drawn = cast(SyntheticStudy, study)
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
    blocks += [Heading("Notes"), Text("\n".join(f"- {note}" for note in study.notes))]
    return Page(study.title, tuple(blocks))


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
