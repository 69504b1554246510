"""How the honest column of a table chooses settings: by validation nodes alone, and never by test nodes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from allpass.data.arguments import whole_number
from allpass.errors import InputError
from allpass.papers.checks import check_keys, check_name
from allpass.train.search import search
from allpass.train.space import space_of

CHOICES = ("own", "others")
QUICK = 3
"""How many settings a quick search tries."""


@dataclass(frozen=True)
class Honest:
    """The search behind an honest number.

    Args:
        choose: ``"own"``: the best on the validation nodes of the column itself, as one tunes where there are some;
            ``"others"``: the best on those of the columns of other datasets, as one has to where there are none.
        trials: How many settings are tried, spread evenly over the space by a quasi-random sequence.
        splits: On how many splits each is tried, on all of the protocol where it is 0. What others choose is reported
            on the splits of the protocol, none of which is these.
        reported: On how many splits that which a column chooses by itself is reported, those of the search first; on
            the same where it is 0.
        space: The values of each setting; a model's own space where it is empty.
        columns: Of other datasets, the columns that choose; all of them where it is empty.
    """

    choose: str = "own"
    trials: int = 60
    splits: int = 0
    reported: int = 0
    space: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()

    @classmethod
    def read(cls, content: Mapping[str, Any], columns: Collection[str] = ()) -> Honest:
        """From a table of a spec.

        Args:
            content: What it says.
            columns: The names of the columns that there are.
        """
        check_keys(content, ("choose", "trials", "splits", "reported", "space", "columns"))
        found = cls(**{**content, "columns": tuple(content.get("columns", ()))})
        for name in found.columns:
            check_name("column", name, columns)
        check_name("choice", found.choose, CHOICES)
        whole_number("trials", found.trials, least=1)
        whole_number("splits", found.splits, least=1 if found.choose == "others" else 0)
        whole_number("reported", found.reported, least=0)
        if found.reported and (found.choose == "others" or not 0 < found.splits <= found.reported):
            raise InputError(
                f"Got reported = {found.reported} with splits = {found.splits} and choose = {found.choose!r}.",
                'Expected at least as many as splits, and choose = "own".',
            )
        check_space(found.space)
        return found

    @property
    def in_stages(self) -> bool:
        """Whether what is reported is trained once a search has told its settings."""
        return self.choose == "others" or bool(self.reported)

    def candidates(
        self, model: str, fixed: Mapping[str, Any], more: Mapping[str, Sequence[Any]], *, quick: bool = False
    ) -> tuple[dict[str, Any], ...]:
        """The settings that are tried.

        Args:
            model: A name of ``allpass.models.MODELS``.
            fixed: What is not searched.
            more: What is searched beside the space, for this model alone.
            quick: A few of them.

        Example:
            >>> honest = Honest(space={"lr": [0.01, 0.05], "dropout": [0.0, 0.5]})
            >>> tried = honest.candidates("gcn", {"dropout": 0.1}, {})
            >>> sorted(settings["lr"] for settings in tried), tried[0]["dropout"]
            ([0.01, 0.05], 0.1)
        """
        space = self.grid(model, fixed, more)
        if not space:
            return (dict(fixed),)
        found = search("random", space).ask(QUICK if quick else self.trials)
        return tuple({**fixed, **tried} for tried in found)

    def grid(
        self, model: str, fixed: Mapping[str, Any], more: Mapping[str, Sequence[Any]]
    ) -> dict[str, tuple[Any, ...]]:
        """The whole space, of which some settings are tried: the values of each.

        Args:
            model: A name of ``allpass.models.MODELS``.
            fixed: What is not searched.
            more: What is searched beside the space, for this model alone.

        Example:
            >>> Honest(space={"lr": [0.01, 0.05], "dropout": [0.0, 0.5]}).grid("gcn", {"dropout": 0.1}, {})
            {'lr': (0.01, 0.05)}
        """
        space = {**(self.space or space_of(model)), **more}
        return {name: tuple(values) for name, values in space.items() if name not in fixed}


def check_space(space: object) -> None:
    """Complain about what is no table of settings with a list of values each."""
    if not isinstance(space, Mapping) or not all(
        isinstance(values, list) and values for values in space.values()
    ):
        raise InputError(f"Got space = {space!r}.", "Expected a list of values for each setting.")
