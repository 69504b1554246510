"""MATLAB files (version 5), read without believing the sizes they claim."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from allpass.data.readers import mat_child
from allpass.data.readers.npz import most_bytes
from allpass.errors import DataError, MissingFileError, UnsafeFileError
from allpass.files import check_readable

SECONDS = 600


def read_mat(path: Path, keys: Collection[str] | None = None) -> dict[str, Any]:
    """The variables of a mat file, all of them or those named in ``keys``; sparse ones stay sparse.

    Cells of texts or numbers become arrays of text. The file is read in a process of its own, with a bound on its
    memory: one flipped byte can make the parser crash.

    Raises:
        MissingFileError: There is no such file.
        UnsafeFileError: It claims more than 1 GiB and 20 times its size.
        DataError: It is no mat file of version 5, it is damaged, it lacks one of ``keys``, or one is a struct.
    """
    path = check_readable(path)
    if not path.is_file():
        raise MissingFileError(f"The file {str(path)!r} does not exist.", "Check the path.")
    with tempfile.TemporaryDirectory(prefix="allpass-mat-") as folder:
        found = _in_a_process(path, Path(folder))
        if "claimed" in found:
            raise UnsafeFileError(
                f"The file {path.name} has {path.stat().st_size:,} bytes and claims to hold {found['claimed']:,}.",
                "The file is damaged or made to exhaust memory; do not use it.",
            )
        if "variables" not in found:
            raise DataError(
                f"The file {path.name} is not a readable mat file: {found['error']:.120}.",
                "Expected MATLAB version 5 (save it with -v7, not -v7.3); if it is cut off, get it again.",
            )
        variables: dict[str, dict[str, Any]] = found["variables"]
        missing = sorted(set(keys or ()) - set(variables))
        if missing:
            raise DataError(
                f"The file {path.name} has no variable {', '.join(missing)}.",
                f"Found: {', '.join(sorted(variables)) or 'nothing'}.",
            )
        wanted = variables if keys is None else keys
        return {name: _value(name, variables[name], Path(folder), path) for name in wanted}


def _in_a_process(path: Path, folder: Path) -> dict[str, Any]:
    """What :mod:`allpass.data.readers.mat_child` leaves."""
    command = [sys.executable, "-P", mat_child.__file__, str(path.resolve()), str(folder)]
    command.append(str(most_bytes(path)))
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    try:
        subprocess.run(command, env=alone, capture_output=True, check=True, timeout=SECONDS)  # noqa: S603 - a file of ours
    except subprocess.CalledProcessError:
        return {"error": "the parser crashed on it"}
    except subprocess.TimeoutExpired:
        return {"error": f"reading it takes more than {SECONDS} seconds"}
    found: dict[str, Any] = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    return found


def _value(name: str, kept: dict[str, Any], folder: Path, path: Path) -> Any:
    place = kept.get("place", "")
    if kept["kind"] == "sparse":
        row, col, data = (np.load(folder / f"{place}-{part}.npy") for part in ("row", "col", "data"))
        return sp.csc_array(sp.coo_array((data, (row, col)), shape=tuple(kept["shape"])))
    if kept["kind"] == "array":
        return np.load(folder / f"{place}.npy")
    raise DataError(
        f"The variable {name!r} of {path.name} is a {kept['kind']} with parts of its own.",
        "Save its parts as matrices, or as cells of single texts or numbers.",
    )
