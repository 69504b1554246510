"""Text files that come either by themselves or inside a zip archive."""

from __future__ import annotations

import csv
import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from allpass.errors import DataError, UnsafeFileError

MOST_BYTES = 2 * 2**30

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    csv.Error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeDecodeError,
)


@contextmanager
def open_text(paths: Mapping[str, Path], ending: str) -> Iterator[TextIO]:
    """Open the text file whose name ends so, from ``paths`` or from the zip archive among them.

    What goes wrong while the file is read inside the ``with`` block is told as a damaged file too.
    """
    by_itself = next((path for name, path in paths.items() if name.endswith(ending)), None)
    path = by_itself or next(iter(paths.values()))
    try:
        if by_itself:
            with by_itself.open(encoding="utf-8", newline="") as stream:
                yield stream
            return
        with (
            zipfile.ZipFile(path) as archive,
            archive.open(_entry(archive, ending, path)) as raw,
            io.TextIOWrapper(raw, encoding="utf-8", newline="") as stream,
        ):
            yield stream
    except _BROKEN as error:
        raise DataError(
            f"The file {path.name} is damaged: {error}.", "It may be cut off; get it again."
        ) from error


def _entry(archive: zipfile.ZipFile, ending: str, path: Path) -> zipfile.ZipInfo:
    info = next((entry for entry in archive.infolist() if entry.filename.endswith(ending)), None)
    if info is None:
        raise DataError(f"The archive {path.name} has no file *{ending}.", "Get it again.")
    if info.file_size > MOST_BYTES:
        raise UnsafeFileError(
            f"The file {info.filename} in {path.name} claims {info.file_size:,} bytes.",
            "The archive is damaged or made to fill the memory; do not use it.",
        )
    return info
