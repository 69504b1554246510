"""In which order the settings of a space are tried: all of them, spread evenly, or led by what was found."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from allpass.errors import InputError, MissingExtraError
from allpass.registry import Registry

if TYPE_CHECKING:
    import optuna

Space: TypeAlias = Mapping[str, Sequence[Any]]
Cell: TypeAlias = tuple[int, ...]


class Search(Protocol):
    """Settings of a space, a few at a time and none twice."""

    def ask(self, count: int) -> list[dict[str, object]]:
        """The next settings, ``count`` of them; fewer at the end of the space, and then none."""

    def tell(self, settings: Mapping[str, object], value: float) -> None:
        """How good settings are that were asked for: more is better, minus infinity is useless."""


class Listed:
    """A search whose order is fixed from the beginning.

    Args:
        space: The values of each setting.
        cells: The places of their values, in that order.
    """

    def __init__(self, space: Space, cells: Iterator[Cell]) -> None:
        self._space, self._cells = space, cells

    def ask(self, count: int) -> list[dict[str, object]]:
        """The next settings."""
        return [_settings(self._space, cell) for cell in itertools.islice(self._cells, count)]

    def tell(self, settings: Mapping[str, object], value: float) -> None:
        """What they are worth changes nothing."""


class Led:
    """What Optuna's TPE sampler proposes, given what the settings before were worth.

    It proposes several before it hears of the first, so how many are asked for at a time decides what comes. Where it
    proposes ten times in a row what was tried before, it gets one of the others to think of, spread evenly.

    Args:
        space: The values of each setting; numbers have an order, other values have none.
        seed: Where random numbers start.
    """

    def __init__(self, space: Space, seed: int) -> None:
        try:
            import optuna
        except ImportError as error:
            raise MissingExtraError("optuna", "The search 'optuna'", "optuna") from error
        level = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        try:
            sampler = optuna.samplers.TPESampler(seed=seed)
            self._study = optuna.create_study(direction="maximize", sampler=sampler)
        finally:
            optuna.logging.set_verbosity(level)
        self._space: dict[str, Sequence[Any]] = {}
        self._places: dict[str, optuna.distributions.BaseDistribution] = {}
        for name, values in space.items():
            if all(isinstance(value, int | float) for value in values):
                self._space[name] = sorted(values)
                self._places[name] = optuna.distributions.IntDistribution(0, len(values) - 1)
            else:
                self._space[name] = values
                self._places[name] = optuna.distributions.CategoricalDistribution(range(len(values)))
        self._repeated = optuna.trial.TrialState.FAIL
        self._asked: dict[Cell, optuna.Trial] = {}
        self._others = scattered_cells([len(values) for values in self._space.values()], seed)

    def ask(self, count: int) -> list[dict[str, object]]:
        """The next settings."""
        cells: list[Cell] = []
        repeats = 0
        while len(cells) < count:
            trial = self._study.ask(self._places)
            cell = tuple(int(trial.params[name]) for name in self._space)
            if cell not in self._asked:
                self._asked[cell] = trial
                cells.append(cell)
                repeats = 0
                continue
            self._study.tell(trial, state=self._repeated)
            repeats += 1
            if repeats >= 10:
                other = next((cell for cell in self._others if cell not in self._asked), None)
                if other is None:
                    break
                self._study.enqueue_trial(dict(zip(self._space, other, strict=True)))
        return [_settings(self._space, cell) for cell in cells]

    def tell(self, settings: Mapping[str, object], value: float) -> None:
        """How good settings are."""
        cell = tuple(values.index(settings[name]) for name, values in self._space.items())
        self._study.tell(self._asked[cell], -math.inf if math.isnan(value) else value)


def every_cell(sizes: Sequence[int]) -> Iterator[Cell]:
    """All places of a grid; the last axis changes first."""
    return itertools.product(*map(range, sizes))


def scattered_cells(sizes: Sequence[int], seed: int) -> Iterator[Cell]:
    """All places of a grid, in the order in which the points of a scrambled Halton sequence fall on them.

    However few are taken, they meet the values of each axis about equally often.
    """
    from scipy.stats import qmc

    points = qmc.Halton(len(sizes), scramble=True, seed=seed)
    met: set[Cell] = set()
    while len(met) < math.prod(sizes):  # in time a point falls on every place
        for cell in map(tuple, (points.random(64) * sizes).astype(int).tolist()):
            if cell not in met:
                met.add(cell)
                yield cell


def _settings(space: Space, cell: Cell) -> dict[str, object]:
    return {name: values[place] for (name, values), place in zip(space.items(), cell, strict=True)}


def _grid(space: Space, seed: int) -> Search:  # noqa: ARG001 - called like every search
    return Listed(space, every_cell([len(values) for values in space.values()]))


def _random(space: Space, seed: int) -> Search:
    return Listed(space, scattered_cells([len(values) for values in space.values()], seed))


@dataclass(frozen=True)
class SearchKind:
    """A registered search.

    Args:
        name: Its name.
        summary: In which order it tries settings.
        build: ``build(space, seed)``.
        batch: How many settings it is asked for at a time; nothing where it learns nothing and may give all at once.
        aliases: Other names.
        citation: Where it was published.
    """

    name: str
    summary: str
    build: Callable[[Space, int], Search]
    batch: int | None = None
    aliases: tuple[str, ...] = ()
    citation: str = ""


SEARCHES = Registry[SearchKind]("search")
SEARCHES.add(SearchKind("grid", "All combinations.", _grid))
SEARCHES.add(
    SearchKind(
        "random",
        "Combinations spread evenly over the space, by a quasi-random sequence.",
        _random,
        aliases=("quasi-random", "halton"),
        citation="arXiv:1706.03200",
    )
)
SEARCHES.add(
    SearchKind(
        "optuna",
        "Combinations near those that did well, by a tree-structured Parzen estimator.",
        Led,
        batch=10,
        aliases=("tpe",),
        citation="arXiv:1907.10902",
    )
)


def search(name: str, space: Space, *, seed: int = 0) -> Search:
    """A search by its name.

    Args:
        name: ``"grid"``, ``"random"`` or ``"optuna"``.
        space: The values of each setting that are worth trying.
        seed: Where random numbers start; the same seed gives the same settings, however many are asked for.

    Example:
        >>> search("grid", {"lr": (0.01, 0.1), "dropout": (0.0, 0.5)}).ask(3)
        [{'lr': 0.01, 'dropout': 0.0}, {'lr': 0.01, 'dropout': 0.5}, {'lr': 0.1, 'dropout': 0.0}]
    """
    kind = SEARCHES[name]
    if not space:
        raise InputError("The space has no settings to try.", "Name some: {'lr': (0.01, 0.05)}.")
    for setting, values in space.items():
        if not isinstance(values, list | tuple) or not values:
            raise InputError(
                f"The values of the setting {setting!r} are {values!r}.", "Expected a tuple of one or more."
            )
    distinct = {
        setting: [value for place, value in enumerate(values) if value not in values[:place]]
        for setting, values in space.items()
    }
    return kind.build(distinct, seed)
