"""Reads a MATLAB file in a process of its own: damage can make the parser crash or ask for all memory there is.

Run as a script by :mod:`allpass.data.readers.mat`, with the paths of the file and of a folder and a number of bytes. It
leaves in the folder ``found.json`` and one ``.npy`` file for each array, and imports nothing of allpass.
"""

from __future__ import annotations

import json
import math
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import io
from scipy.io.matlab import MatReadError

BASE_BYTES = 2 * 2**30
"""Address space of Python, NumPy and SciPy before anything is read."""

BROKEN = (
    MatReadError,
    zlib.error,
    ArithmeticError,
    AttributeError,
    EOFError,
    OSError,
    LookupError,
    MemoryError,
    NotImplementedError,
    TypeError,
    ValueError,
)


def main(path: str, folder: str, most: int) -> None:
    """Read, and leave what was found."""
    _limit(BASE_BYTES + 3 * most)
    try:
        found = _read(path, Path(folder), most)
    except BROKEN as error:
        found = {"error": str(error) or type(error).__name__}
    Path(folder, "found.json").write_text(json.dumps(found), encoding="utf-8")


def _limit(most: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _read(path: str, folder: Path, most: int) -> dict[str, Any]:
    listed = io.whosmat(path, appendmat=False)
    claimed = sum(8 * math.prod(shape) for _, shape, kind in listed if kind != "sparse")
    if claimed > most:
        return {"claimed": claimed}
    values = io.loadmat(path, appendmat=False)
    variables = {}
    for number, (name, value) in enumerate((n, v) for n, v in values.items() if not n.startswith("__")):
        variables[name] = _keep(value, folder / str(number))
    return {"variables": variables}


def _keep(value: Any, place: Path) -> dict[str, Any]:
    """Save a value as arrays, and say what it is."""
    if sp.issparse(value):
        entries = sp.coo_array(value)
        for part, array in (("row", entries.row), ("col", entries.col), ("data", entries.data)):
            np.save(f"{place}-{part}.npy", array, allow_pickle=False)
        return {"kind": "sparse", "place": place.name, "shape": list(entries.shape)}
    array = np.asarray(value)
    if array.dtype.names is not None:
        return {"kind": "struct"}
    if array.dtype.hasobject:
        cells = [_cell(item) for item in array.reshape(-1)]
        if any(cell is None for cell in cells):
            return {"kind": "cell"}
        array = np.array([str(cell) for cell in cells], dtype=np.str_).reshape(array.shape)
    elif array.dtype.kind == "U":  # an array of characters: spaces fill up the shorter texts
        array = np.char.rstrip(array, " ")
    np.save(f"{place}.npy", array, allow_pickle=False)
    return {"kind": "array", "place": place.name}


def _cell(item: Any) -> object:
    """The one text or number in a cell; an empty cell is an empty text, anything else nothing."""
    if sp.issparse(item):
        return None
    array = np.asarray(item)
    if array.size == 0:
        return ""
    if array.size > 1 or array.dtype.hasobject or array.dtype.names is not None:
        return None
    return array.reshape(-1)[0]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
