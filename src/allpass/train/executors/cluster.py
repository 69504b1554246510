"""Tasks done on the machines of a Ray cluster."""

from __future__ import annotations

import logging
import os
import re
import socket
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from allpass import __version__
from allpass.errors import DeviceError, InputError, MissingExtraError
from allpass.train.executors.executor import ATTEMPTS, Event, events, given_up
from allpass.train.executors.pieces import Pieces
from allpass.train.executors.task import Task

if TYPE_CHECKING:
    from ray import ObjectRefGenerator
    from ray.exceptions import RayTaskError

PATIENCE = 5.0
"""Seconds within which the head of a cluster has to answer."""


@dataclass(frozen=True)
class RayCluster:
    """The machines of a Ray cluster.

    Where the cluster has GPUs, a task takes its share of one, so that small tasks are on a GPU together and large
    ones alone; else pieces of it take a CPU each. Larger tasks are begun first. A task whose machine or process dies
    is begun again where there is room.

    Args:
        address: Where the head of the cluster listens, such as ``"10.0.0.1:6379"``; by default the cluster that this
            machine is part of, and where there is none, this machine alone.

    Notes:
        Ray could begin a task again by itself. It would then leave out as many lists of runs as had come before, and
        those need not hold the same runs: a GPU with other memory trains other batches. So it is done here.
    """

    address: str | None = None

    def run(self, tasks: Sequence[Task]) -> Generator[Event]:
        """Do all tasks; a connection to Ray that this process has already is used as it is."""
        with self.held():
            if _has_gpus():
                yield from _streamed(tasks, on_gpus=True)
            else:
                pieces = Pieces.cut(tasks)
                yield from pieces.joined(_streamed(pieces.tasks, on_gpus=False))

    @contextmanager
    def held(self) -> Iterator[RayCluster]:
        """The same for several rounds of tasks, over one connection."""
        with _connected(self.address or os.environ.get("RAY_ADDRESS")):
            yield self


def _has_gpus() -> bool:
    import ray

    return float(ray.cluster_resources().get("GPU", 0)) > 0


def _streamed(tasks: Sequence[Task], *, on_gpus: bool) -> Generator[Event]:
    import ray
    from ray.exceptions import RayError, RayTaskError

    going = {_begun(number, tasks[number], on_gpus): number for number in largest_first(tasks)}
    deaths = Counter[int]()
    try:
        while going:
            (stream,), _ = ray.wait(list(going), num_returns=1)
            number = going[stream]
            try:
                event = ray.get(next(stream))
            except RayTaskError as error:
                event = Event(number, ended=True, error=_told(error))
            except RayError as error:
                deaths[number] += 1
                if deaths[number] < ATTEMPTS:
                    del going[stream]
                    going[_begun(number, tasks[number], on_gpus)] = number
                    continue
                event = given_up(number, str(error))
            if event.ended:
                del going[stream]
            yield event
    finally:
        for stream in going:
            ray.cancel(stream, force=True)


def largest_first(tasks: Sequence[Task]) -> list[int]:
    """The numbers of tasks in the order in which Ray is given them; it may begin them in another.

    Args:
        tasks: The tasks.
    """
    sizes = {number: (task.gpu, len(task.left)) for number, task in enumerate(tasks)}
    return sorted(sizes, key=sizes.__getitem__, reverse=True)


def _begun(number: int, task: Task, on_gpus: bool) -> ObjectRefGenerator:
    """A task that waits for room or is under way somewhere, as the stream of its events."""
    import ray

    environment = {"OMP_NUM_THREADS": "1"}
    if data := os.environ.get("ALLPASS_DATA"):
        environment["ALLPASS_DATA"] = str(Path(data).absolute())
    remote = ray.remote(
        num_returns="streaming",
        max_retries=0,
        num_cpus=1,
        num_gpus=task.gpu if on_gpus else 0,
        runtime_env={"env_vars": environment},
    )
    return remote(_work).remote(number, task, __version__)


def _work(number: int, task: Task, version: str) -> Iterator[Event]:
    """What a machine of the cluster does."""
    import ray

    if version != __version__:
        text = f"The machine {ray.util.get_node_ip_address()} has allpass {__version__}, and not {version}."
        yield Event(number, ended=True, error=text)
        return
    try:
        yield from events(number, task, "cuda" if ray.get_gpu_ids() else "cpu")
    except DeviceError:
        os._exit(1)  # the task is begun again in another process


def _told(error: RayTaskError) -> str:
    """What kept a machine from beginning a task, or from sending what came of it."""
    first, *_, last = str(error).strip().splitlines()
    where = re.search(r"ip=([^,)\s]+)", first)
    text = f"On the machine {where[1]}: {last}." if where else f"On a machine of the cluster: {last}."
    cure = f" Install there what this machine has, by pip install 'allpass[ray]=={__version__}'."
    return text + cure if "No module named" in last else text


@contextmanager
def _connected(address: str | None) -> Iterator[None]:
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("ray", "The executor 'ray'", "ray") from error
    ours = not ray.is_initialized()
    worker = ray._private.worker
    loud, worker._worker_logs_enabled = worker._worker_logs_enabled, False  # it prints notes on lost machines
    try:
        if ours:
            _connect(address)
        yield
    finally:
        if ours:
            ray.shutdown()
        worker._worker_logs_enabled = loud


def _connect(address: str | None) -> None:
    import ray

    if address is not None and address not in {"auto", "local"}:
        _check_address(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError) as error:
        cure = "Give no address on a machine of the cluster; or set RAY_AUTH_MODE=token, if it wants a token."
        raise InputError(f"Ray cannot be used: {error}.", cure if address else "") from error


def _check_address(address: str) -> None:
    """Complain where nobody listens; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if "/" in host or not port.isdecimal():
        raise InputError(
            f"Got the address {address!r}.", "Expected what 'ray start --head' prints, such as 10.0.0.1:6379."
        )
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except OSError as error:
        raise InputError(
            f"No Ray cluster answers at {address} ({error}).",
            "Start one there by 'ray start --head', or give no address to use this machine alone.",
        ) from error
