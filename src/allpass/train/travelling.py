"""The runs of a job as work for an executor: plain data that travels to another process or machine."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from allpass.errors import InputError
from allpass.train.executors.cores import one_thread
from allpass.train.executors.task import PIECE, Task
from allpass.train.job import Job
from allpass.train.kept import runs_of
from allpass.train.runs.run import Run

_PARTS = 64  # pieces of a job: enough for an even end on many cores
_KNOWN: dict[tuple[str, str], Job] = {}
_PACKED: WeakKeyDictionary[Job, JobWork] = WeakKeyDictionary()


@dataclass(frozen=True)
class JobWork:
    """Does runs of a job, in whatever process it is called; ``task.left`` holds their numbers.

    Args:
        name: Names the job, so that a process that did other runs of it need not prepare it again.
        content: The job, pickled.
    """

    name: str
    content: bytes

    @classmethod
    def of(cls, job: Job) -> JobWork:
        """A job, ready to travel; what it has computed stays here. The same job gives the same work."""
        if job in _PACKED:
            return _PACKED[job]
        if job.wrap is not None:
            raise InputError("Got wrap= for an executor.", "Train in this process, with workers=1.")
        content = (job.model, job.data, job.wanted, job.config, job.curves, job.sample_weight)
        _PACKED[job] = cls(uuid4().hex, pickle.dumps(content))
        return _PACKED[job]

    def task(self, title: str, numbers: Sequence[int]) -> Task:
        """Some runs of the job, by their numbers.

        Args:
            title: What they are, for people.
            numbers: Which runs.
        """
        piece = max(1, min(PIECE, len(numbers) // _PARTS))
        return Task(self, title, left=tuple(map(str, numbers)), piece=piece)

    def __call__(self, task: Task, device: str) -> Iterator[Sequence[Run]]:
        """Do a task."""
        numbers = [int(number) for number in task.left]
        with one_thread():
            job = self._job(device)
            yield from runs_of(job, {number: job.key(number) for number in numbers}, numbers)

    def _job(self, device: str) -> Job:
        if (self.name, device) not in _KNOWN:
            while len(_KNOWN) >= 4:
                del _KNOWN[next(iter(_KNOWN))]
            _KNOWN[self.name, device] = _unpacked(self.content, device)
        return _KNOWN[self.name, device]


def _unpacked(content: bytes, device: str) -> Job:
    parts: Any = pickle.loads(content)  # noqa: S301 - our own process wrote it
    model, data, wanted, config, curves, weight = parts
    return Job(model, data, wanted, config.changed(device=device), curves=curves, sample_weight=weight)
