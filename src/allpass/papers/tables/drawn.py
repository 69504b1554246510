"""Splits that a source drew while it searched: every setting of its grid has the next ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from allpass.data.arguments import whole_number
from allpass.papers.checks import check_keys
from allpass.papers.tables.honest import check_space


@dataclass(frozen=True)
class Drawn:
    """Where the splits of a setting stand in a stream.

    Args:
        splits: The rule and its options, as a protocol has them; ``count`` is how many a setting has.
        order: The values of every setting in the order of the loops, the outermost first.
    """

    splits: Mapping[str, Any]
    order: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> Drawn:
        """From a table of a spec."""
        check_keys(content, (), needed=("splits", "order"))
        check_keys(content["splits"], ("seed", "linear"), needed=("name", "count"))
        whole_number("count", content["splits"]["count"], least=1)
        check_space(content["order"])
        return cls(content["splits"], content["order"])

    def changed(self, content: Mapping[str, Any]) -> Drawn:
        """The same with what a row has in place of it; settings keep their places in the order."""
        check_keys(content, ("splits", "order"))
        check_space(content.get("order", {}))
        order = {**self.order, **content.get("order", {})}
        return replace(self, splits={**self.splits, **content.get("splits", {})}, order=order)

    def of(self, settings: Mapping[str, Any]) -> dict[str, Any] | None:
        """The splits that these settings had; nothing where they are not among the loops, and so were tried otherwise.

        Example:
            >>> drawn = Drawn({"name": "acm-search", "count": 10}, {"lr": [0.1, 0.2], "dropout": [0.0, 0.5, 0.9]})
            >>> drawn.of({"lr": 0.2, "dropout": 0.5, "hidden_channels": 64})
            {'name': 'acm-search', 'count': 10, 'skip': 40}
        """
        position = 0
        for name, values in self.order.items():
            if settings.get(name) not in values:
                return None
            position = position * len(values) + list(values).index(settings[name])
        return {**self.splits, "skip": position * self.splits["count"]}
