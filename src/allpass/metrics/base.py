"""What a metric is: a named quantity that knows its symbol, range, direction, needs, citation and cost."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from allpass.metrics.labelled import LabelledGraph

Need = Literal["labels", "features", "numbers"]


@dataclass(frozen=True)
class Measurement:
    """A number, and the reason when there is none (then the value is NaN)."""

    value: float
    reason: str = ""

    @classmethod
    def undefined(cls, reason: str) -> Measurement:
        """NaN with its reason."""
        return cls(math.nan, reason)

    @property
    def defined(self) -> bool:
        """Whether there is a number."""
        return not math.isnan(self.value)


@dataclass(frozen=True)
class Metric:
    """A registered quantity of a labelled graph.

    Args:
        name: Its key in tables and JSON.
        symbol: As the literature writes it.
        meaning: One sentence: what the number says.
        low: Least possible value.
        high: Greatest possible value.
        direction: What a high value means for a network that averages neighbours.
        needs: What the graph must carry.
        cost: Time by the numbers of nodes N, entries E, features F and classes C.
        citation: Where it was defined.
        measure: The computation, under the metric's default conventions.
        aliases: Other names.
    """

    name: str
    symbol: str
    meaning: str
    low: float
    high: float
    direction: str
    needs: frozenset[Need]
    cost: str
    citation: str
    measure: Callable[[LabelledGraph], Measurement]
    aliases: tuple[str, ...] = ()
