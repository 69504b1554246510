"""How a table tunes: the settings that are tried, and whose validation nodes choose among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from allpass.train.search import search
from allpass.train.space import space_of

QUICK = 3
"""How many settings a quick search tries."""


@dataclass(frozen=True)
class Tuning:
    """The search behind the tuned numbers of a table.

    Args:
        choose: ``"own"``: the best on the validation nodes of the column itself; ``"others"``: the best on those of
            columns of other datasets, where a column has no validation nodes to spare.
        trials: How many settings are tried, spread evenly over the space by a quasi-random sequence.
        splits: On how many splits each is tried; on all where it is 0. What others choose is reported on other splits.
        reported: On how many splits a column's own choice is reported, first on those of the search; on the same
            where it is 0.
        space: The values of each setting; a model's own space where it is empty.
        columns: The columns of other datasets that choose; all of them where it is empty.
    """

    choose: str = "own"
    trials: int = 60
    splits: int = 0
    reported: int = 0
    space: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    columns: Sequence[str] = ()

    @property
    def in_stages(self) -> bool:
        """Whether the reported runs begin after a search has chosen their settings."""
        return self.choose == "others" or bool(self.reported)

    def candidates(
        self, model: str, fixed: Mapping[str, Any], more: Mapping[str, Sequence[Any]], *, quick: bool = False
    ) -> tuple[dict[str, Any], ...]:
        """The settings that are tried.

        Args:
            model: A name of ``allpass.models.MODELS``.
            fixed: What is not searched.
            more: What is searched for this model in addition to the space.
            quick: Only a few of them.

        Example:
            >>> tuning = Tuning(space={"lr": [0.01, 0.05], "dropout": [0.0, 0.5]})
            >>> tried = tuning.candidates("gcn", {"dropout": 0.1}, {})
            >>> sorted(settings["lr"] for settings in tried), tried[0]["dropout"]
            ([0.01, 0.05], 0.1)
        """
        whole = {**(self.space or space_of(model)), **more}
        space = {name: tuple(values) for name, values in whole.items() if name not in fixed}
        if not space:
            return (dict(fixed),)
        found = search("random", space).ask(QUICK if quick else self.trials)
        return tuple({**fixed, **tried} for tried in found)
