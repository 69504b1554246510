"""Scenes that need processes of their own: a server that has imported everything forks one for each.

A test process may have threads, so it does not fork itself; and a process for each scene would import for seconds.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

LONGEST = 240
"""Seconds after which a scene is ended."""

Scene = Callable[..., None]


def serve(scenes: Mapping[str, Scene]) -> None:
    """Play the scenes that are asked for, and answer with the status of each; its checks speak by that."""
    for line in sys.stdin:
        name, path, numbers = json.loads(line)
        child = os.fork()
        if child == 0:
            signal.alarm(LONGEST)
            try:
                scenes[name](Path(path), *numbers)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        print(os.waitpid(child, 0)[1], flush=True)


@contextmanager
def stage(module: str) -> Iterator[Scene]:
    """``play(name, path, *numbers)`` of a module of tests that serves scenes."""
    alone = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=Path(__file__).parents[2],
        env=os.environ | alone,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        source, sink = server.stdout, server.stdin
        assert source is not None
        assert sink is not None

        def play(name: str, path: Path, *numbers: int) -> None:
            sink.write(json.dumps([name, str(path), numbers]) + "\n")
            sink.flush()
            assert source.readline() == "0\n", f"the scene {name!r} failed: see what it wrote to stderr"

        yield play
