"""An unpickler that builds arrays, sparse matrices, lists and dictionaries, and runs nothing.

Planetoid's files were pickled by Python 2. Unpickling them as usual would let any file of that name run any code, so
only the few constructors such a file needs are admitted, each by a stand-in that checks its arguments.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy

from allpass.errors import DataError, MissingFileError, UnsafeFileError

_BROKEN = (
    pickle.UnpicklingError,
    EOFError,
    AttributeError,
    ImportError,
    IndexError,
    KeyError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


def read_pickle(path: Path) -> Any:
    """The object in a pickle of arrays, sparse matrices, lists and dictionaries.

    Raises:
        UnsafeFileError: The file asks for anything else; the message names it.
        DataError: The file is damaged.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingFileError(f"The file {str(path)!r} does not exist.", "Check the path.")
    with path.open("rb") as stream:
        return _load(stream, path)


def read_pickled_npy(path: Path) -> Any:
    """The objects in an npy file of Python objects, under the same rules as :func:`read_pickle`."""
    path = Path(path)
    if not path.is_file():
        raise MissingFileError(f"The file {str(path)!r} does not exist.", "Check the path.")
    with path.open("rb") as stream:
        try:
            version = npy.read_magic(stream)
            header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            _, _, dtype = header(stream)
        except (ValueError, EOFError, SyntaxError) as error:
            raise DataError(f"The file {path.name} is no npy file: {error}.", "Get it again.") from error
        if not dtype.hasobject:
            raise DataError(f"The file {path.name} holds {dtype}, not Python objects.", "Get it again.")
        return _load(stream, path)


def _load(stream: IO[bytes], path: Path) -> Any:
    unpickler = _ArraysOnly(stream, encoding="latin1")
    unpickler.file_name = path.name
    try:
        return unpickler.load()
    except UnsafeFileError:
        raise
    except _BROKEN as error:
        raise DataError(
            f"The pickle {path.name} is damaged: {str(error) or type(error).__name__}.",
            "It may be cut off; get it again.",
        ) from error


class _StoredCsr:
    """Stands in for SciPy's CSR matrix: keeps its arrays and builds nothing until they are checked."""

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, dict):
            raise TypeError("a sparse matrix without its arrays")
        self.state = state

    def matrix(self) -> Any:
        """The SciPy matrix, with every index in range."""
        state = self.state
        shape = state["_shape"] if "_shape" in state else state["shape"]
        parts = tuple(np.asarray(state[key]) for key in ("data", "indices", "indptr"))
        matrix = sp.csr_array(parts, shape=tuple(int(size) for size in shape))
        matrix.check_format(full_check=True)
        return matrix


def as_csr(value: Any, name: str) -> Any:
    """An unpickled matrix as SciPy CSR, dense or sparse as it was."""
    try:
        if isinstance(value, _StoredCsr):
            return value.matrix()
        if isinstance(value, np.ndarray) and value.ndim == 2:
            return sp.csr_array(value)
    except _BROKEN as error:
        raise DataError(f"The matrix in {name} is inconsistent: {error}.", "Get the file again.") from error
    raise DataError(f"The pickle {name} holds {type(value).__name__}, not a matrix.", "Get the file again.")


def _reconstruct(kind: Any, shape: Any, code: Any) -> Any:
    """NumPy's constructor of an empty array to be filled; nothing else is let through."""
    if kind is not np.ndarray or tuple(shape) != (0,):
        raise TypeError("an array of an unusual kind")
    return np.ndarray.__new__(np.ndarray, (0,), code)


_ADMITTED = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
    ("collections", "defaultdict"): defaultdict,
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _reconstruct for core in ("core", "_core")},
    **{(f"scipy.sparse{module}", "csr_matrix"): _StoredCsr for module in ("", ".csr", "._csr")},
    **{(module, kind.__name__): kind for module in ("builtins", "__builtin__") for kind in (list, dict)},
}


class _ArraysOnly(pickle.Unpickler):  # the C unpickler asks find_class for every global it meets
    file_name = ""

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ADMITTED[module, name]
        except KeyError:
            raise UnsafeFileError(
                f"The pickle {self.file_name} asks for {module}.{name}, which could run code.",
                "Only arrays, sparse matrices, lists and dictionaries are read. Do not trust this file.",
            ) from None
