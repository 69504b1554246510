"""A row of the synthetic study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from allpass.papers.result import Result


@dataclass(frozen=True, kw_only=True)
class Level(Result):
    """A network or a metric on all graphs of one level.

    Args:
        series: The list of levels; empty for a network that sees no graph.
        base: The dataset that lends its features; empty for a metric of labels.
        level: The edge homophily.
        intra_degree: Neighbours of each node in its own class.
        kind: ``"accuracy"`` or ``"metric"``.
        what: The network or the metric.
        runs: How many graphs.
        quick: Whether it is of a quick run.
        mean: The mean over graphs.
        deviation: The deviation over graphs.
        values: The value of each graph.
        settings: The settings that validation nodes chose, as JSON.
        epochs: The mean number of epochs.
        published: The published mean.
        published_deviation: Its deviation.
        difference: Ours minus it.
        low: The lower end of its 95% interval.
        high: The upper end.
        verdict: The word.
    """

    place: ClassVar[tuple[str, ...]] = ("series", "base", "level", "kind", "what")

    series: str
    base: str
    level: float | None
    intra_degree: int | None
    kind: str
    what: str
    runs: int
    quick: bool
    mean: float | None
    deviation: float | None
    values: str
    settings: str
    epochs: float | None
    published: float | None
    published_deviation: float | None
    difference: float | None
    low: float | None
    high: float | None
    verdict: str | None
