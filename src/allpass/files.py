"""Files are written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from allpass.errors import InputError

_DRAFT = re.compile(r"\.allpass-(?P<host>[0-9a-f]{8})-(?P<process>\d+)-[0-9a-f]{32}\.part")
_LONGEST = 255  # bytes of a name
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def check_writable(path: str | Path) -> Path:
    """Raise where a file could not be written; returns the path. For asking before the work, not after.

    A symbolic link is followed: the file that it leads to is the one that is written.
    """
    path = Path(path)
    _check_name(path)
    target = _target(path)
    if not path.name or target.is_dir():
        raise InputError(f"{str(path)!r} is a folder.", "Give the path of a file, such as report.html.")
    if target.is_symlink():
        raise InputError(f"{str(path)!r} is a symbolic link that leads back to itself.", "Give another path.")
    if (
        path.exists() and not path.is_file()
    ):  # which follow links that have no other name, such as /dev/stdout
        raise InputError(
            f"{str(path)!r} is {_kind(path)}, not a regular file; it stays as it is.",
            "Give the path of a file.",
        )
    if not target.parent.is_dir():
        raise InputError(
            f"The folder {str(target.parent)!r} does not exist.", "Make it first, or give another path."
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(
            f"The folder {str(target.parent)!r} may not be written to.",
            "Give a path in a folder of your own.",
        )
    return path


def check_readable(path: str | Path) -> Path:
    """Raise where something else than a regular file stands, or one that may not be read; returns the path.

    What is not there, and folders, are for the caller.
    """
    path = Path(path)
    _check_name(path)
    if not path.exists() or path.is_dir():
        return path
    if not path.is_file():
        raise InputError(f"{str(path)!r} is {_kind(path)}, not a regular file.", "Give the path of a file.")
    if not os.access(path, os.R_OK):
        raise InputError(f"You may not read the file {str(path)!r}.", "Ask its owner, or change its mode.")
    return path


def check_folder(path: str | Path) -> Path:
    """Raise where a folder could not be made or written to; returns its path. For asking before the work, not after."""
    path = Path(path)
    _check_name(path)
    nearest = next(place for place in (path.absolute(), *path.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise InputError(f"{str(nearest)!r} is no folder.", "Give the path of a folder.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(
            f"The folder {str(nearest)!r} may not be written to.", "Give a path in a folder of your own."
        )
    return path


def slug(name: str) -> str:
    """A name as one that a file or folder may have: letters, digits, dots, hyphens and underscores.

    Example:
        >>> slug("../my graph"), slug("acm-gcn"), slug("..")
        ('my-graph', 'acm-gcn', 'graph')
    """
    return re.sub(r"[^\w.-]+", "-", name).strip(".-")[:100] or "graph"


@contextmanager
def drafted(path: str | Path) -> Iterator[Path]:
    """A path beside the target to write to; what stands there takes the place of the target when the block ends well.

    The file is on the disk, not only in the memory of the system, when the block has ended. Drafts that killed
    processes left in the folder are removed.

    Args:
        path: The target. What was there before is there still where anything goes wrong.
    """
    path = check_writable(path)
    target = _target(path)
    remove_leftovers(target.parent)
    draft = target.with_name(f".allpass-{_host()}-{os.getpid()}-{uuid4().hex}.part")  # many may write here
    try:
        yield draft
        if target.exists():
            shutil.copymode(target, draft)
        _sync(draft)
        draft.replace(target)
        sync_folder(target.parent)
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


def remove_leftovers(folder: Path) -> None:
    """Remove the drafts of processes of this machine that have ended."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _DRAFT.fullmatch(entry.name)
            if found and found["host"] == _host() and _has_ended(int(found["process"])):
                Path(entry.path).unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make sure that new names in a folder outlast a loss of power, where the system can."""
    if os.name == "posix":
        with suppress(OSError):  # some file systems cannot
            _sync(folder)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Only one process at a time is inside, where the system can lock folders; the lock ends with its process."""
    if os.name != "posix":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems cannot
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _check_name(path: Path) -> None:
    """Raise for a name that no file can have."""
    try:
        longest = max(len(os.fsencode(part)) for part in (*path.parts, ""))
    except UnicodeEncodeError:
        longest = _LONGEST + 1
    if longest > _LONGEST or "\0" in str(path):
        raise InputError(f"No file can be called {str(path)[:60]!r}.", "Give another path.")


def _target(path: Path) -> Path:
    """Where a path leads, links followed."""
    return Path(os.path.realpath(path))


def _kind(path: Path) -> str:
    mode = path.stat().st_mode
    return next((words for test, words in _KINDS if test(mode)), "something else")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _host() -> str:
    """The machine, and the part of it within which numbers of processes mean the same."""
    numbers = Path("/proc/self/ns/pid")
    space = numbers.readlink() if numbers.is_symlink() else ""
    return hashlib.sha256(f"{platform.node()} {space}".encode()).hexdigest()[:8]


def _has_ended(process: int) -> bool:
    """Whether a process of this machine has surely ended."""
    if os.name != "posix" or process == os.getpid():
        return False
    try:
        os.kill(process, 0)  # no signal, a question
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return False
