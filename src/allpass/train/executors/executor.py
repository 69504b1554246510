"""What does tasks, whatever machines it has."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

import torch

from allpass.errors import AllpassError, DeviceError
from allpass.train.executors.task import Task
from allpass.train.runs.run import Run

ATTEMPTS = 3
"""How often a task is begun whose worker dies: its machine may have failed, or the task may kill every worker."""


@dataclass(frozen=True)
class Event:
    """Something that came of a task.

    Args:
        number: The place of the task among those that were given.
        runs: Runs that have ended.
        ended: Whether nothing more will come of it.
        error: Why it ended before its end; or empty.
    """

    number: int
    runs: Sequence[Run] = ()
    ended: bool = False
    error: str = ""


class Executor(Protocol):
    """Does tasks and tells what came of them. It writes nothing: only who asked keeps the runs.

    A run may come twice where a worker died and its task was begun again; the two are equal.
    """

    def run(self, tasks: Sequence[Task]) -> Generator[Event]:
        """Do all tasks, in any order; every one of them has an event that ends it."""
        ...


def held(executor: Executor | None) -> AbstractContextManager[Executor | None]:
    """An executor for several rounds of tasks: one with a method ``held`` keeps its processes or its connection.

    Args:
        executor: What does the tasks.
    """
    ready = getattr(executor, "held", None)
    return nullcontext(executor) if ready is None else ready()


def events(number: int, task: Task, device: str) -> Iterator[Event]:
    """Do a task here and tell what comes of it; an exception ends this task alone, but for the loss of the device.

    Args:
        number: Its place among all tasks.
        task: What is done.
        device: Where to compute.
    """
    try:
        for runs in task.work(task, device):
            yield Event(number, runs)
    except DeviceError:
        raise
    except Exception as error:
        text = str(error) if isinstance(error, AllpassError) else f"{type(error).__name__}: {error}"
        if is_lost(device):
            raise DeviceError(
                f"The device {device!r} does nothing more for this process: {text}",
                "What has ended is kept; run it again for the rest.",
            ) from error
        yield Event(number, ended=True, error=text)
    else:
        yield Event(number, ended=True)


def is_lost(device: str) -> bool:
    """Whether nothing can be computed on a GPU any more, as after a fault in a kernel: that lasts as long as a process.

    Args:
        device: Where something went wrong.
    """
    if torch.device(device).type == "cpu":
        return False
    try:
        torch.zeros(1, device=device).item()
    except torch.OutOfMemoryError:
        return False
    except RuntimeError:
        return True
    return False


def given_up(number: int, reason: str) -> Event:
    """The end of a task whose workers died.

    Args:
        number: Its place among all tasks.
        reason: What happened to the last of them, as a sentence.
    """
    return Event(
        number, ended=True, error=f"It was begun {ATTEMPTS} times, and its worker died each time. {reason}"
    )
