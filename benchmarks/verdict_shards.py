"""Several graphs of ``benchmarks.verdict`` at the same time, each on CPU cores of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue

from allpass.errors import AllpassError, InputError

Merge = Callable[[str, Path], None]
"""What is done with the file of a graph when its process ends."""


def cores(shards: int, threads: int) -> list[set[int]]:
    """The cores of each shard: as many as it has threads, and none of them in two shards."""
    available = sorted(os.sched_getaffinity(0))
    if shards * threads > len(available):
        raise InputError(
            f"Got {shards} shards of {threads} threads on {len(available)} cores.",
            f"Take at most {len(available) // threads}: a shared core makes the budget of a diagnosis smaller.",
        )
    return [set(available[start : start + threads]) for start in range(0, shards * threads, threads)]


def in_shards(
    graphs: Sequence[str], options: Sequence[str], out: Path, places: Sequence[set[int]], merge: Merge
) -> None:
    """Run the benchmark once for each graph, as many at a time as there are places.

    Args:
        graphs: The graphs.
        options: Other options of the command.
        out: The file of results; every process goes on from a copy of it.
        places: The cores of each shard.
        merge: Takes the rows of a graph from the file of its process.
    """
    free: SimpleQueue[set[int]] = SimpleQueue()
    for place in places:
        free.put(place)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(places)) as pool:

        def one(name: str) -> tuple[str, Path]:
            path, place = Path(folder, f"{name}.csv"), free.get()
            if out.exists():
                shutil.copy(out, path)
            try:
                run([name], [*options, "--out", str(path)], place)
            finally:
                free.put(place)
            return name, path

        for name, path in _finished(pool, one, graphs):
            merge(name, path)


def _finished(
    pool: ThreadPoolExecutor, one: Callable[[str], tuple[str, Path]], graphs: Sequence[str]
) -> Iterator[tuple[str, Path]]:
    """The graphs as they end; one that fails is named and does not stop the others."""
    waiting = {pool.submit(one, name): name for name in graphs}
    for future in as_completed(waiting):
        try:
            yield future.result()
        except AllpassError as error:
            print(f"{waiting[future]}: {error}", flush=True)


def run(graphs: Sequence[str], options: Sequence[str], place: set[int]) -> None:
    """One process of the benchmark on some cores."""
    command = [sys.executable, "-m", "benchmarks.verdict", "--graphs", *graphs, *options]
    started = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": str(len(place))},
        preexec_fn=lambda: os.sched_setaffinity(0, place),
    )
    print(started.stdout.partition("\n")[0], flush=True)  # the recommendation; the table comes at the end
    if started.returncode:
        last = started.stderr.strip().splitlines()[-1:] or ["no message"]
        raise AllpassError(
            f"The process of {', '.join(graphs)} failed: {last[0]}", "Run it alone to see why."
        )
