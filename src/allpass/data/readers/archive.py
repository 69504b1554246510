"""Text files that come either by themselves or inside a zip archive."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from allpass.errors import DataError, UnsafeFileError

MOST_BYTES = 2 * 2**30


@contextmanager
def open_text(paths: Mapping[str, Path], ending: str) -> Iterator[TextIO]:
    """Open the text file whose name ends so, from ``paths`` or from the zip archive among them."""
    by_itself = next((path for name, path in paths.items() if name.endswith(ending)), None)
    if by_itself is not None:
        with by_itself.open(encoding="utf-8", newline="") as stream:
            yield stream
        return
    archive_path = next(iter(paths.values()))
    try:
        with zipfile.ZipFile(archive_path) as archive:
            info = next((entry for entry in archive.infolist() if entry.filename.endswith(ending)), None)
            if info is None:
                raise DataError(f"The archive {archive_path.name} has no file *{ending}.", "Get it again.")
            if info.file_size > MOST_BYTES:
                raise UnsafeFileError(
                    f"The file {info.filename} in {archive_path.name} claims {info.file_size:,} bytes.",
                    "The archive is damaged or made to fill the disk; do not use it.",
                )
            with archive.open(info) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="") as stream:
                yield stream
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise DataError(
            f"The archive {archive_path.name} is damaged: {error}.", "It may be cut off; get it again."
        ) from error
