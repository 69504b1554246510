"""NumPy's zip archives, read without pickles and without believing what their headers claim."""

from __future__ import annotations

import math
import tokenize
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from allpass.errors import DataError, MissingFileError, UnsafeFileError
from allpass.files import check_readable

SMALL_BYTES = 2**28
"""Below this the expansion does not matter: what is read is copied and converted a few times."""

MOST_EXPANSION = 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What NumPy writes. Others are decompressed without a bound on what comes out."""

_BYTES = {"i": 8, "u": 8, "f": 4, "b": 4}
"""What a value takes at least once it is an edge, a label or a feature."""

_OTHERS = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "lzma"}

_BROKEN = (
    zipfile.BadZipFile,
    tokenize.TokenError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    SyntaxError,
    LookupError,
    MemoryError,
    OverflowError,
    TypeError,
)


def read_npz(path: Path, keys: Collection[str] | None = None) -> dict[str, NDArray[Any]]:
    """The arrays of an npz file, all of them or those named in ``keys``.

    Every header is checked before anything is loaded: an array of Python objects (a pickle), one that claims more
    bytes than its entry holds, or a total that no honest file of this size could have is refused.

    Raises:
        MissingFileError: There is no such file.
        UnsafeFileError: It holds pickles or claims too much memory.
        DataError: It is no npz file, it is damaged, or it lacks one of ``keys``.
    """
    path = check_readable(path)
    if not path.is_file():
        raise MissingFileError(f"The file {str(path)!r} does not exist.", "Check the path.")
    what = "is not a readable npz file"
    try:
        with zipfile.ZipFile(path) as archive:
            entries = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            _check_keys(keys, entries, path)
            wanted = {key: entries[key] for key in (entries if keys is None else keys)}
            total = 0
            for key, info in wanted.items():
                what = f"is not a readable npz file: its array {key!r} is damaged"
                _check_method(key, info, path)
                with archive.open(info) as stream:
                    total += _claimed_bytes(stream, key, info.file_size, path)
            _check_total(total, path)
            arrays = {}
            for key, info in wanted.items():
                what = f"is not a readable npz file: its array {key!r} is damaged"
                with archive.open(info) as stream:
                    arrays[key] = npy.read_array(stream, allow_pickle=False)
            return arrays
    except DataError:
        raise
    except _BROKEN as error:
        raise DataError(f"The file {path.name} {what}.", "It may be cut off; get it again.") from error


def _check_keys(keys: Collection[str] | None, entries: Collection[str], path: Path) -> None:
    missing = sorted(set(keys or ()) - set(entries))
    if missing:
        raise DataError(
            f"The file {path.name} has no array {', '.join(missing)}.",
            f"Found: {', '.join(sorted(entries)) or 'nothing'}.",
        )


def _claimed_bytes(stream: IO[bytes], key: str, entry_size: int, path: Path) -> int:
    """How many bytes the array of a header takes in memory; the array itself is not touched."""
    version = npy.read_magic(stream)
    if version == (1, 0):
        shape, _, dtype = npy.read_array_header_1_0(stream)
    else:
        shape, _, dtype = npy.read_array_header_2_0(stream)
    if dtype.hasobject:
        raise UnsafeFileError(
            f"The array {key!r} of {path.name} holds Python objects, which only unpickling could read.",
            "Save it again as numbers or fixed-length text.",
        )
    if any(isinstance(size, bool) for size in shape) or min(shape, default=0) < 0:
        raise DataError(f"The array {key!r} of {path.name} has the shape {shape}.", "Get the file again.")
    claimed = math.prod(shape) * dtype.itemsize
    if claimed > entry_size:
        raise UnsafeFileError(
            f"The array {key!r} of {path.name} claims {claimed:,} bytes and holds at most {entry_size:,}.",
            "The file is damaged or made to exhaust memory; do not use it.",
        )
    return max(claimed, _BYTES.get(dtype.kind, 0) * math.prod(shape))


def _check_method(key: str, info: zipfile.ZipInfo, path: Path) -> None:
    if info.compress_type not in _METHODS:
        name = _OTHERS.get(info.compress_type, "an unknown method")
        raise UnsafeFileError(
            f"The array {key!r} of {path.name} is compressed by {name}.",
            "Save the file with numpy.savez or numpy.savez_compressed.",
        )


def most_bytes(path: Path) -> int:
    """The most that a file may hold: 256 MiB, or 20 times its size if that is more."""
    return max(SMALL_BYTES, MOST_EXPANSION * path.stat().st_size)


def _check_total(total: int, path: Path) -> None:
    if total > most_bytes(path):
        raise UnsafeFileError(
            f"The file {path.name} has {path.stat().st_size:,} bytes and claims to hold {total:,}.",
            "If it is sound, save it without compression: numpy.savez.",
        )


def csr_parts(arrays: dict[str, NDArray[Any]], prefix: str) -> Any:
    """The SciPy CSR array stored as ``prefix_data``, ``prefix_indices``, ``prefix_indptr``, ``prefix_shape``."""
    import scipy.sparse as sp

    parts = [arrays[key] for key in csr_keys(prefix)]
    for part, kinds, what in zip(
        parts, ("biuf", "iu", "iu", "iu"), ("numbers", *["places"] * 3), strict=True
    ):
        if part.dtype.kind not in kinds or part.ndim != 1:
            raise DataError(
                f"The sparse matrix {prefix!r} is inconsistent: its {what} are of the type {part.dtype} and the shape "
                f"{list(part.shape)}.",
                "Get the file again.",
            )
    numbers, *places, shape = parts
    try:
        numbers = numbers.astype(np.float32) if numbers.dtype == np.float16 else numbers  # SciPy has none
        matrix = sp.csr_array((numbers, *places), shape=tuple(shape.tolist()))
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, IndexError) as error:
        raise DataError(
            f"The sparse matrix {prefix!r} is inconsistent: {error}.", "Get the file again."
        ) from error
    return matrix


def csr_keys(*prefixes: str) -> tuple[str, ...]:
    """The names under which :func:`csr_parts` looks."""
    return tuple(f"{prefix}_{part}" for prefix in prefixes for part in ("data", "indices", "indptr", "shape"))
