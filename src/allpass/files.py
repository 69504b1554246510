"""Files are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

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


def check_folder(path: str | Path) -> Path:
    """Raise where a folder could not be made or written to; returns its path. For asking before the work, not after."""
    path = Path(path)
    nearest = next(place for place in (path.absolute(), *path.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise InputError(f"{str(nearest)!r} is no folder.", "Give the path of a folder.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(
            f"The folder {str(nearest)!r} may not be written to.", "Give a path in a folder of your own."
        )
    return path


@contextmanager
def drafted(path: str | Path) -> Iterator[Path]:
    """A path beside the target to write to; what stands there takes the place of the target when the block ends well.

    Args:
        path: The target. What was there before is there still where anything goes wrong.
    """
    path = check_writable(path)
    draft = path.with_name(f".{uuid4().hex}.part")  # a name of its own: many may write into one folder
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        raise InputError(
            f"The file {str(path)!r} cannot be written: {error.strerror or error}.",
            "Make room, or give another path; what was there before is there still.",
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def write_whole(path: str | Path, content: bytes) -> Path:
    """Write bytes; returns the path."""
    with drafted(path) as draft:
        draft.write_bytes(content)
    return Path(path)
