"""Tasks done by processes of this machine, each on one thread and with one task at a time."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from threading import Thread
from types import ModuleType

import torch

from allpass.errors import DeviceError
from allpass.train.executors.executor import ATTEMPTS, Event, events, given_up
from allpass.train.executors.task import Task

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Pool:
    """Worker processes, started as tasks need them and kept for the next round; none outlives it or this process.

    Args:
        device: Where each process computes.
        workers: How many processes there are at most.
    """

    def __init__(self, device: str, workers: int) -> None:
        self._device, self._workers = device, workers
        self._idle: list[_Worker] = []

    def run(self, tasks: Sequence[Task]) -> Generator[Event]:
        """Do tasks.

        Args:
            tasks: What is done.
        """
        left, begun = deque(range(len(tasks))), Counter[int]()
        script = any(_module(task.work) == "__main__" for task in tasks)
        count = min(self._workers, len(tasks))
        busy: dict[object, _Worker] = {}
        try:
            while len(self._idle) < count:
                self._idle.append(self._started(script))
            while left or busy:
                while left and self._idle:
                    worker, number = self._idle.pop(), left.popleft()
                    begun[number] += 1
                    busy[worker.pipe] = worker
                    worker.give(number, tasks[number])
                for pipe in wait([worker.pipe for worker in busy.values()]):
                    worker = busy[pipe]
                    event = worker.hear()
                    if event is None:
                        del busy[pipe]
                        reason = worker.end()
                        self._idle.append(self._started(script))
                        if begun[worker.number] == ATTEMPTS:
                            yield given_up(worker.number, reason)
                        else:
                            left.appendleft(worker.number)
                        continue
                    if event.ended:
                        self._idle.append(busy.pop(pipe))
                    yield event
        finally:
            for worker in busy.values():
                worker.end()

    def close(self) -> None:
        """End all processes."""
        while self._idle:
            self._idle.pop().end()

    def _started(self, script: bool) -> _Worker:
        return _Worker(self._device, self._workers, script)


class _Worker:
    """A process of ours, seen from here."""

    def __init__(self, device: str, workers: int, script: bool) -> None:
        context = _context(device)
        self.number = -1
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, device, workers), daemon=True)
        with _inherited(), nullcontext() if script else _without_script():
            self._process.start()
        theirs.close()  # so that the pipe ends with the process

    def give(self, number: int, task: Task) -> None:
        """Have a task done."""
        self.number = number
        with suppress(OSError):  # a process that died says so when it is heard
            self.pipe.send((number, task))

    def hear(self) -> Event | None:
        """What came of its task; nothing when it died."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            return None

    def end(self) -> str:
        """Kill it, where it lives; tells how it ended."""
        self._process.kill()
        self._process.join()
        self.pipe.close()
        code = self._process.exitcode or 0
        if code >= 0:
            return f"The last one left with exit status {code}; it may have said why on the terminal."
        name = signal.Signals(-code).name
        return f"The last one was killed by {name}; where memory ran out, fewer workers help."


def _context(device: str) -> ForkServerContext | SpawnContext:
    """How processes are started: on Linux from one that has imported everything, as that takes seconds.

    CUDA does not work in a process that comes of one which has asked for GPUs, as importing does.
    """
    if sys.platform != "linux" or torch.device(device).type != "cpu":
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def _module(work: object) -> str:
    """Where the function or the class of an object is defined."""
    return str(getattr(work, "__module__", ""))


@contextmanager
def _without_script() -> Iterator[None]:
    """What is started here does not run the user's script again, so the script needs no guard for its main part."""
    before = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = before


@contextmanager
def _inherited() -> Iterator[None]:
    """What is started here has one thread, and never hears the Ctrl-C that a terminal sends to all: we end it."""
    resource_tracker.ensure_running()  # its start would let Ctrl-C through again
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)


def _work(pipe: Connection, device: str, workers: int) -> None:
    """What a worker process does: its tasks, as long as somebody hears of them."""
    Thread(target=_end_with_parent, daemon=True).start()
    where = torch.device(device)
    if where.type != "cpu":  # they are on one GPU together
        torch.cuda.set_per_process_memory_fraction(1 / workers, where.index)
    with suppress(EOFError, OSError):  # of the pipe; those of a task are told
        while True:
            number, task = pipe.recv()
            try:
                for event in events(number, task, device):
                    pipe.send(event)
            except DeviceError as error:
                sys.exit(str(error))  # the task is begun again in another process


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
