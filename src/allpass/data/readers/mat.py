"""MATLAB files (version 5), read without believing the sizes they claim."""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from scipy import io
from scipy.io.matlab import MatReadError

from allpass.errors import DataError, MissingFileError, UnsafeFileError

MOST_BYTES = 16 * 2**30

_BROKEN = (
    MatReadError,
    zlib.error,
    EOFError,
    OSError,
    IndexError,
    KeyError,
    MemoryError,
    NotImplementedError,
    OverflowError,
    TypeError,
    ValueError,
)


def read_mat(path: Path, keys: Collection[str] | None = None) -> dict[str, Any]:
    """The variables of a mat file, all of them or those named in ``keys``; sparse ones stay sparse.

    Raises:
        MissingFileError: There is no such file.
        UnsafeFileError: It claims more than 16 GiB.
        DataError: It is no mat file of version 5, it is damaged, or it lacks one of ``keys``.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingFileError(f"The file {str(path)!r} does not exist.", "Check the path.")
    try:
        listed = {name: (shape, kind) for name, shape, kind in io.whosmat(str(path), appendmat=False)}
        wanted = _checked(listed, keys, path)
        values: dict[str, Any] = io.loadmat(str(path), variable_names=wanted, appendmat=False)
        return {key: values[key] for key in wanted}
    except DataError:
        raise
    except _BROKEN as error:
        raise DataError(
            f"The file {path.name} is not a readable mat file: {str(error) or type(error).__name__}.",
            "Expected MATLAB version 5 (save it with -v7, not -v7.3); if it is cut off, get it again.",
        ) from error


def _checked(
    listed: dict[str, tuple[tuple[int, ...], str]], keys: Collection[str] | None, path: Path
) -> list[str]:
    """The variables to read, all there and of honest size."""
    missing = sorted(set(keys or ()) - set(listed))
    if missing:
        raise DataError(
            f"The file {path.name} has no variable {', '.join(missing)}.",
            f"Found: {', '.join(sorted(listed)) or 'nothing'}.",
        )
    wanted = list(listed if keys is None else keys)
    claimed = sum(8 * math.prod(listed[key][0]) for key in wanted if listed[key][1] != "sparse")
    if claimed > MOST_BYTES:
        raise UnsafeFileError(
            f"The file {path.name} has {path.stat().st_size:,} bytes and claims to hold {claimed:,}.",
            "The file is damaged or made to exhaust memory; do not use it.",
        )
    return wanted
