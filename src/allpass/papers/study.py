"""A study: what one reproduction runs, in tasks that travel, and what its runs say as rows of a table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from allpass.errors import InputError, did_you_mean
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

Row: TypeAlias = dict[str, str | int | float | bool | None]
"""One line of the CSV file of a study; every line of a study has the same names."""

Spec = TypeVar("Spec", bound="Head")


@dataclass(frozen=True)
class OfStudy:
    """Does a task as a study does; it travels as the ID of the study.

    Args:
        id: The ID.
    """

    id: str

    def __call__(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        """Do a task."""
        from allpass.papers.catalogue import STUDIES

        return STUDIES[self.id].perform(task, device)


@dataclass(frozen=True)
class Plan:
    """How much of a study is asked for.

    Args:
        cells: Names of the parts that are wanted; all of them where nothing is named.
        quick: Fewer and shorter runs, which prove the path and no number.
    """

    cells: tuple[str, ...] = ()
    quick: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.cells, str):
            raise InputError(f"Got cells = {self.cells!r}.", f"Expected a tuple: cells=({self.cells!r},).")

    def check(self, study: str, known: Collection[str]) -> None:
        """An error where it names a part that a study does not have.

        Args:
            study: The ID of the study.
            known: The names of its parts; case does not matter.
        """
        lower = {name.lower() for name in known}
        for cell in self.cells:
            if cell.lower() in lower:
                continue
            raise InputError(f"There is no cell {cell!r} in {study!r}.", _near(cell, known))


class Head(Protocol):
    """What a study says of itself."""

    @property
    def id(self) -> str:
        """Its name on the command line."""
        ...

    @property
    def title(self) -> str:
        """What it shows, in a few words."""
        ...

    @property
    def source(self) -> str:
        """Where the numbers were published."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What differs from the source, and why; a sentence each."""
        ...


class Study(Head, Protocol):
    """One reproduction. Nothing in it draws: pages are made of its rows."""

    @property
    def place(self) -> tuple[str, ...]:
        """The names of what tells its rows apart."""
        ...

    def cells(self) -> Sequence[str]:
        """The names of its parts, as a plan may name them."""
        ...

    def tasks(self, plan: Plan, store: Store) -> list[Task]:
        """What there is to do.

        It is asked again when all of that is done, and may then name more, where a task needs what others found; it
        names the earlier ones again too.
        """
        ...

    def keys(self, task: Task) -> list[Key]:
        """What identifies the runs of a task."""
        ...

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        """Do a task, and give its runs as they end; those that are not in ``task.left`` are not made."""
        ...

    def rows(self, plan: Plan, store: Store) -> list[Row]:
        """What the runs of a store say; what is not there yet has no row."""
        ...


def merged(study: Study, old: Sequence[Row], new: Sequence[Row]) -> list[Row]:
    """Rows with newer ones in their places, and more at the end.

    Args:
        study: What they are rows of.
        old: Those that are there.
        new: Those that came.
    """
    found = {tuple(row[name] for name in study.place): row for row in (*old, *new)}
    return list(found.values())


@dataclass(frozen=True)
class Specified(Generic[Spec]):
    """The beginning of a study whose head stands in its spec.

    Args:
        spec: What was published, and how it is done again.
    """

    spec: Spec

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def title(self) -> str:
        return self.spec.title

    @property
    def source(self) -> str:
        return self.spec.source

    @property
    def notes(self) -> Sequence[str]:
        return self.spec.notes


def _near(cell: str, known: Collection[str]) -> str:
    """What whoever names a part that is not there may have meant."""
    lower = {name.lower() for name in known}
    first, _, last = cell.rpartition("/")
    if {first.lower(), last.lower()} <= lower and not any(
        name.endswith(f"/{last.lower()}") for name in lower
    ):
        return f"Write {f'{first},{last}'!r}, with a comma."  # a kind of numbers is no part of a cell's name
    # A table has hundreds of single cells, so those of one row are offered, or names of rows and columns.
    row, _, column = cell.partition("/")
    of_row = [name for name in known if column and name.lower().startswith(f"{row.lower()}/")]
    return (
        did_you_mean(cell, of_row)
        if of_row
        else did_you_mean(row, [name for name in known if "/" not in name])
    )
