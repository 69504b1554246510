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
        kind: ``"accuracy"`` or ``"metric"``.
        values: The value of each graph.
        settings: The settings that validation nodes chose, as JSON.
        difference: Ours minus the published mean, with its 95% interval.
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
