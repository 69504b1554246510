"""The driver: nothing is lost, nothing is done twice, and what cannot be done does not stop the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.train.executors.tiny import Made, Tiny, acts, keys, perform

from allpass.errors import InputError
from allpass.papers.runner import Failure, Progress, reproduce
from allpass.papers.study import Plan
from allpass.train.executors import Event, Local, Task
from allpass.train.runs.run import Key, Run
from allpass.train.runs.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


@dataclass
class Watched:
    """Acts tasks in this process, only what is left of them, and remembers what it did."""

    change: Callable[[list[Run]], Sequence[Run]] = lambda runs: runs
    done: Counter[str] = field(default_factory=Counter)
    rounds: int = 0
    closed: bool = False

    def run(self, tasks: Sequence[Task]) -> Generator[Event]:
        self.rounds += 1
        try:
            yield from Local().run([replace(task, work=self._perform) for task in tasks])
        finally:
            self.closed = True

    def _perform(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        for runs in perform(task, device):
            wanted = [run for run in runs if run.key.identity in task.left]
            self.done.update(f"{run.key.model}/{run.key.seed}" for run in wanted)
            yield self.change(wanted)


class Staged(Tiny):
    """A second task is known when the first one is done."""

    def tasks(self, plan: Plan, store: Store, known: Sequence[Made] = ()) -> list[Task]:
        first, second = self.given
        return [first] if store.missing(keys(first)) else [first, second]


def stored(store: Store) -> list[str]:
    return [f"{run.key.model}/{run.key.seed}" for run in store.runs()]


def test_everything_is_done_and_then_nothing(store: Store) -> None:
    study, executor = Tiny([acts("a"), acts("b", runs=3)]), Watched()
    told: list[Progress] = []
    assert reproduce(study, store, executor, on_progress=told.append) == []
    assert stored(store) == ["a/0", "a/1", "b/0", "b/1", "b/2"]
    assert [(one.wanted, one.stored, one.title) for one in told] == [
        (5, 0, ""),
        *[(5, 1, "a"), (5, 2, "a"), (5, 2, "a")],
        *[(5, 3, "b"), (5, 4, "b"), (5, 5, "b"), (5, 5, "b")],
        (5, 5, ""),
    ]
    again = Watched()
    assert reproduce(study, store, again) == []
    assert (again.rounds, again.done) == (0, Counter())


def test_it_goes_on_with_what_is_missing(store: Store) -> None:
    task = acts("a", runs=3)
    store.add(Run(key=keys(task)[1]))
    executor, told = Watched(), list[Progress]()
    reproduce(Tiny([task]), store, executor, on_progress=told.append)
    assert executor.done == Counter(["a/0", "a/2"])
    assert told[0] == Progress(3, 1)
    assert told[-1] == Progress(3, 3)


def test_who_looks_may_stop_it_and_nothing_is_lost(store: Store) -> None:
    study, executor = Tiny([acts("a", runs=5), acts("b")]), Watched()

    def on_progress(progress: Progress) -> None:
        if progress.stored == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stop:
        reproduce(study, store, executor, on_progress=on_progress)
    assert stored(store) == ["a/0", "a/1"]
    assert stop.tb is not None  # it holds the frames, so only the driver itself can have closed
    assert executor.closed
    rest = Watched()
    assert reproduce(study, store, rest) == []
    assert rest.done == Counter(["a/2", "a/3", "a/4", "b/0", "b/1"])


def test_what_cannot_be_done_is_told_once_and_the_rest_is_done(store: Store) -> None:
    study = Tiny([acts("refused", end="refusal"), acts("fine"), acts("broken", end="error")])
    executor = Watched()
    assert reproduce(study, store, executor) == [
        Failure("refused", "Got 3. Expected 4."),
        Failure("broken", "ZeroDivisionError: division by zero"),
    ]
    assert stored(store) == ["refused/0", "fine/0", "fine/1", "broken/0"]
    assert executor.rounds == 1


def test_a_task_that_leaves_runs_out_is_told_and_not_begun_for_ever(store: Store) -> None:
    executor = Watched(lambda runs: [run for run in runs if run.key.seed])
    assert reproduce(Tiny([acts("a")]), store, executor) == [
        Failure("a", "It ended without all of its runs.")
    ]
    assert stored(store) == ["a/1"]
    assert executor.rounds == 1


def test_runs_that_come_twice_are_kept_once(store: Store) -> None:
    told: list[Progress] = []
    executor = Watched(lambda runs: [*runs, *runs])
    assert reproduce(Tiny([acts("a")]), store, executor, on_progress=told.append) == []
    assert stored(store) == ["a/0", "a/1"]
    assert max(progress.stored for progress in told) == 2


def test_what_two_tasks_share_is_counted_once(store: Store) -> None:
    told: list[Progress] = []

    class Sharing(Tiny):
        def keys(self, task: Task) -> list[Key]:
            return keys(self.given[0]) if task.title == "again" else keys(task)

    store.add_many(Run(key=key) for key in keys(acts("a")))
    assert reproduce(Sharing([acts("a"), acts("again")]), store, Watched(), on_progress=told.append) == []
    assert told == [Progress(2, 2)]


def test_a_second_stage_follows_the_first(store: Store) -> None:
    executor, told = Watched(), list[Progress]()
    assert reproduce(Staged([acts("first"), acts("second")]), store, executor, on_progress=told.append) == []
    assert stored(store) == ["first/0", "first/1", "second/0", "second/1"]
    assert executor.rounds == 2
    assert (told[0].wanted, told[-1]) == (2, Progress(4, 4))


def test_a_second_stage_does_not_follow_a_failure(store: Store) -> None:
    study = Staged([acts("first", end="refusal"), acts("second")])
    assert [failure.title for failure in reproduce(study, store, Watched())] == ["first"]
    assert stored(store) == ["first/0"]


def test_the_plan_reaches_the_study(store: Store) -> None:
    asked = []

    class Asking(Tiny):
        def tasks(self, plan: Plan, store: Store, known: Sequence[Made] = ()) -> list[Task]:
            asked.append((plan, len(known)))
            return []

    reproduce(Asking([]), store, Watched())
    reproduce(Asking([]), store, Watched(), Plan(("a",), quick=True))
    rows = Tiny([acts("a")]).results(Plan(), store)
    reproduce(Asking([]), store, Watched(), known=rows)
    assert asked == [(Plan(), 0), (Plan(("a",), quick=True), 0), (Plan(), len(rows))]


def test_two_drivers_of_a_study_in_one_store_are_refused(store: Store) -> None:
    study = Tiny([acts("a"), acts("b")])

    def on_progress(progress: Progress) -> None:
        with (
            Store(store.path) as other,
            pytest.raises(InputError, match=r"^Another process is running 'tiny' in the"),
        ):
            reproduce(study, other, Watched())

    assert reproduce(study, store, Watched(), on_progress=on_progress) == []
    with Store(store.path) as other:  # when the first one has ended
        assert reproduce(study, other, Watched()) == []
