"""A study: what a reproduction runs, in tasks that travel, and what its runs say as rows, a table and a picture."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from allpass.errors import InputError, did_you_mean
from allpass.papers.result import Result
from allpass.train.executors.task import Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

R = TypeVar("R", bound=Result)


@dataclass(frozen=True, kw_only=True)
class Words:
    """What a study says of itself; ``{name}`` stands for a number that :meth:`Study.facts` gives.

    Args:
        title: What it shows, in a few words.
        source: Where it was published.
        claim: What the source claims; claim, verdict and advice together have at most 60 words.
        verdict: Whether it holds, in one sentence.
        advice: What a reader should do.
        picture: What the picture shows and how to read it.
        table: The same of the table.
        findings: At most ten sentences on what was found.
        verdict_first: Put the verdict before the claim.
    """

    title: str
    source: str
    claim: str
    verdict: str
    advice: str
    picture: str
    table: str
    findings: tuple[str, ...] = ()
    verdict_first: bool = False


@dataclass(frozen=True)
class Plan:
    """Which part of a study is run.

    Args:
        cells: Names of the parts; all parts where it is empty. Case does not matter.
        quick: Run a few short trainings, to check that everything works.
    """

    cells: tuple[str, ...] = ()
    quick: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.cells, str):
            raise InputError(f"Got cells = {self.cells!r}.", f"Expected a tuple: cells=({self.cells!r},).")

    def check(self, study: str, known: Collection[str]) -> None:
        """Raise where it names a part that a study does not have.

        Args:
            study: The ID of the study.
            known: The names of its parts.
        """
        lower = {name.lower() for name in known}
        for cell in self.cells:
            if cell.lower() not in lower:
                row, _, column = cell.partition("/")
                of_row = [name for name in known if column and name.lower().startswith(f"{row.lower()}/")]
                near = of_row or [name for name in known if "/" not in name]
                meant = did_you_mean(cell if of_row else row, near)
                short = len(meant) < 150
                cure = meant if short else f"allpass reproduce {study} --list shows all names."
                raise InputError(f"There is no cell {cell!r} in {study!r}.", cure)

    def choose(
        self, study: str, axes: Mapping[str, Sequence[str]], quick: Mapping[str, Sequence[str]] | None = None
    ) -> dict[str, list[str]]:
        """The names of each axis that are run: those that the plan names, or all where it names none of that axis.

        Args:
            study: The ID of the study, for the error.
            axes: All names, by axis.
            quick: What a quick plan runs of an axis, where it is not all.

        Example:
            >>> Plan(("GCN",)).choose("rank", {"network": ["gcn", "krylov"], "activation": ["relu", "tanh"]})
            {'network': ['gcn'], 'activation': ['relu', 'tanh']}
        """
        self.check(study, [name for names in axes.values() for name in names])
        wanted = {cell.lower() for cell in self.cells}
        usual = {**axes, **(quick or {})} if self.quick else axes
        return {
            axis: [name for name in names if name.lower() in wanted] or list(usual[axis])
            for axis, names in axes.items()
        }


class Study(Protocol[R]):
    """A published table or figure that can be run again."""

    @property
    def id(self) -> str:
        """Its name on the command line."""
        ...

    @property
    def words(self) -> Words:
        """Title, source, claim, verdict and findings."""
        ...

    @property
    def result(self) -> type[R]:
        """The class of its rows."""
        ...

    def axes(self) -> Mapping[str, Sequence[str]]:
        """The names that ``--cells`` may have, by what they name."""
        ...

    def tasks(self, plan: Plan, store: Store, known: Sequence[R] = ()) -> list[Task]:
        """What there is to do.

        The runner asks again when all of that is done: a task that needs what others found is named then.

        Args:
            plan: Which part is wanted.
            store: The runs so far.
            known: Rows of an earlier run, whose tasks are left out.
        """
        ...

    def keys(self, task: Task) -> Sequence[Key]:
        """What identifies the runs of a task."""
        ...

    def perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        """Do a task and yield its runs as they end; where ``task.left`` is not empty, only those."""
        ...

    def results(self, plan: Plan, store: Store) -> list[R]:
        """The rows that the runs of a store give; a row whose runs are not complete is left out."""
        ...

    def facts(self, results: Sequence[R]) -> Mapping[str, object]:
        """The numbers that its words name, computed from all rows."""
        ...

    def matrix(self, results: Sequence[R]) -> DataFrame:
        """Ours against what was published, as texts; ``**text**`` is bold."""
        ...

    def picture(self, results: Sequence[R]) -> Figure:
        """The picture of the page."""
        ...


@dataclass(frozen=True)
class OfStudy:
    """Does a task of a study; only the ID of the study travels.

    Args:
        id: The ID.
    """

    id: str

    def __call__(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        """Do a task."""
        from allpass.papers.catalogue import STUDIES

        return STUDIES[self.id].perform(task, device)
