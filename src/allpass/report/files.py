"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from allpass.errors import InputError


def check_writable(path: str | Path) -> Path:
    """Raise where a file could not be written; returns the path. For asking before the work, not after."""
    path = Path(path)
    if not path.name or path.is_dir():
        raise InputError(f"{str(path)!r} is a folder.", "Give the path of a file, such as report.html.")
    if not path.parent.is_dir():
        raise InputError(
            f"The folder {str(path.parent)!r} does not exist.", "Make it first, or give another path."
        )
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(
            f"The folder {str(path.parent)!r} may not be written to.", "Give a path in a folder of your own."
        )
    return path


def write_whole(path: str | Path, content: bytes) -> Path:
    """Write beside the target first, then put the finished file in its place; returns the path."""
    path = check_writable(path)
    draft = path.with_name(f".{os.getpid()}.part")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(
            f"The file {str(path)!r} cannot be written: {error.strerror or error}.", "Give another path."
        ) from error
    return path
