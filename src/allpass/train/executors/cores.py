"""How many processes are worth starting: by default all cores, one for what takes seconds or fills the memory."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing import current_process

import torch
from joblib import cpu_count
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.arguments import whole_number
from allpass.errors import InputError
from allpass.train.executors.executor import Executor
from allpass.train.executors.local import Local
from allpass.train.job import Job, device_of

WORTH = 10.0
"""Seconds of work from which processes are started: to import torch in them takes some of these."""

_EPOCHS = 250  # what most runs take
_STEP, _VALUE = 1e-3, 3e-8  # seconds of an epoch, and for each value in it
_BYTES = 60  # of memory for each value that a training touches


def chosen(
    jobs: Sequence[tuple[Job, int]], workers: int | None = None, executor: Executor | None = None
) -> Executor | None:
    """What does the runs: an executor, or None for this process.

    Args:
        jobs: Jobs, and how many of their runs are wanted.
        workers: How many processes; by default as many as there are cores.
        executor: What the user chose instead.
    """
    if executor is not None:
        if workers is not None:
            raise InputError(f"Got workers = {workers} beside executor=.", "Give the executor its workers.")
        return executor
    device = jobs[0][0].config.device if jobs else "cpu"
    if workers is not None:
        count = whole_number("workers", workers, least=1)
        return None if count == 1 else Local(str(device), count)
    runs = sum(count for _, count in jobs)
    if device_of(device).type != "cpu" or current_process().daemon or seconds(jobs) < WORTH:
        return None
    count = min(cpu_count(), runs, _fit_into_memory(max(_values(job.data) for job, _ in jobs)))
    return None if count == 1 else Local("cpu", count)


def seconds(jobs: Sequence[tuple[Job, int]]) -> float:
    """Roughly how long some runs take on one core.

    Args:
        jobs: Jobs, and how many of their runs are wanted.
    """
    return sum(
        count * min(job.recipe.stopping.max_epochs, _EPOCHS) * (_STEP + _VALUE * _values(job.data))
        for job, count in jobs
    )


def threads_for(job: Job) -> AbstractContextManager[None]:
    """One thread, as every worker has, for the runs of a job in this process.

    All threads where the graph fills the memory, so that there could be one worker only.

    Args:
        job: The job.
    """
    alone = job.device.type != "cpu" or _fit_into_memory(_values(job.data)) == 1
    return nullcontext() if alone else one_thread()


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for what is computed inside; sums by several threads can differ in the last digits."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _values(data: Data) -> int:
    """Features, edges and hidden values of an epoch."""
    x = data.x
    features = 0 if x is None else int(x.count_nonzero()) if _is_dense(x) else x.values().numel()
    return int(features + data.num_edges + 64 * data.num_nodes)


def _is_dense(x: Tensor) -> bool:
    return x.layout == torch.strided


def _fit_into_memory(values: int) -> int:
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):  # not everywhere
        return cpu_count()
    return max(1, math.floor(0.8 * free / (_BYTES * values + 400e6)))  # torch alone takes some
