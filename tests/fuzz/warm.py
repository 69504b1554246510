"""``python -m tests.fuzz.warm FOLDER FIRST LAST``: run cases of the command line, each in a child forked from here.

Everything slow is imported once. A child has its own folder. Its outcome is printed as a line of JSON: its exit status,
what it wrote to the error stream, its processor time, its peak memory above this process, and the files it left.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
import warnings
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # a fork keeps no threads

import networkx
import pandas
import pyarrow.parquet
import scipy.io
import scipy.sparse
import sklearn.preprocessing
import torch
from tests.fuzz.cases import Case, prepare
from tests.fuzz.prototypes import files_of, prototypes

import allpass.cli.main
import allpass.data.files
import allpass.data.tables.from_tables
import allpass.train.fit
from allpass.errors import AllpassError

WAIT = 120
"""Seconds after which a child is ended; what it may take is its own processor time, however busy the machine is."""

__all__ = ["networkx", "pandas", "pyarrow", "scipy", "sklearn", "torch"]


def main(folder: Path, first: int, last: int) -> None:
    """Run the cases with these numbers."""
    originals = prototypes(folder / "originals")
    torch.set_num_threads(1)
    for number in range(first, last):
        place = folder / str(number)
        place.mkdir()
        case = prepare(number, place, originals)
        print(json.dumps({"number": number, "kind": case.kind, "words": case.words, **forked(place, case)}))


def forked(place: Path, case: Case) -> dict[str, object]:
    """What a child does in a case."""
    before, own = files_of(place), _resident()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _become(place, case)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(WAIT)
    _, status, usage = os.wait4(child, 0)
    signal.alarm(0)
    return {
        "status": os.waitstatus_to_exitcode(status),
        "seconds": usage.ru_utime + usage.ru_stime,
        "memory": max(1024 * usage.ru_maxrss - own, 0),
        "said": (place / "said.txt").read_text(encoding="utf-8", errors="replace"),
        "left": sorted(files_of(place) - before - {"said.txt", "out.txt"}),
    }


def _resident() -> int:
    """Bytes of memory that this process has now, which is less than it once had."""
    sizes = Path("/proc/self/statm")
    if sizes.exists():
        return int(sizes.read_text().split()[1]) * resource.getpagesize()
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _become(place: Path, case: Case) -> None:
    """The child: the command line with its streams in files. Never returns."""
    status = 70
    try:
        os.chdir(place)
        for stream, name in ((1, "out.txt"), (2, "said.txt")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        warnings.resetwarnings()
        if case.check is None:
            allpass.cli.main.run(case.words)
        else:
            case.check()
        status = 0
    except AllpassError as error:
        print(f"allpass: {error}", file=sys.stderr)
        status = 2
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
