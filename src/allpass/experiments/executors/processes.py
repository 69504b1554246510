"""Tasks done by processes of this machine, each on one thread and with one task at a time."""

from __future__ import annotations

import os
import signal
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from threading import Thread

import torch
from threadpoolctl import threadpool_limits

from allpass.experiments.executors.executor import ATTEMPTS, Event, Perform, events, given_up
from allpass.experiments.study import Task


def in_processes(tasks: Sequence[Task], device: str, workers: int, perform: Perform) -> Iterator[Event]:
    """Do tasks in worker processes; none of them outlives the iteration, nor this process.

    Args:
        tasks: What is done.
        device: Where each process computes.
        workers: How many processes there are at most.
        perform: How a task is done; the processes find it by its module and name.
    """
    left, begun = deque(range(len(tasks))), Counter[int]()
    busy: dict[object, _Worker] = {}
    with ExitStack() as stack:
        idle = [_started(stack, device, perform) for _ in range(min(workers, len(tasks)))]
        while left or busy:
            while left and idle:
                worker, number = idle.pop(), left.popleft()
                begun[number] += 1
                busy[worker.pipe] = worker
                worker.give(number, tasks[number])
            for pipe in wait([worker.pipe for worker in busy.values()]):
                worker = busy[pipe]
                event = worker.hear()
                if event is None:
                    del busy[pipe]
                    idle.append(_started(stack, device, perform))
                    if begun[worker.number] == ATTEMPTS:
                        yield given_up(worker.number, worker.end())
                    else:
                        left.appendleft(worker.number)
                    continue
                if event.ended:
                    idle.append(busy.pop(pipe))
                yield event


class _Worker:
    """A process of ours, seen from here."""

    def __init__(self, device: str, perform: Perform) -> None:
        context = get_context("spawn")
        self.number = -1
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, device, perform), daemon=True)
        with _without_interrupts():
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


def _started(stack: ExitStack, device: str, perform: Perform) -> _Worker:
    worker = _Worker(device, perform)
    stack.callback(worker.end)
    return worker


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes that are started here never hear Ctrl-C, which a terminal sends to all; who started them ends them."""
    resource_tracker.ensure_running()  # its start would let them through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection, device: str, perform: Perform) -> None:
    """What a worker process does: its tasks, as long as somebody hears of them."""
    Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    threadpool_limits(1)
    with suppress(EOFError, OSError):  # of the pipe; those of a task are told
        while True:
            number, task = pipe.recv()
            for event in events(number, task, device, perform):
                pipe.send(event)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
