"""Memory that a training frees stays with the process until it ends: large blocks are slow to get from the system.

The C library of Linux gives a block of more than 32 MiB back as soon as it is freed, and the next step gets it page by
page again. On graphs whose nodes or edges fill such blocks, that can be half of the time of a step.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

# Parameters of mallopt, from malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _MMAP_MAX = -1, -3, -4
_LARGEST = 2**25  # what the library itself raises its limit to at most
_MANY = 2**16  # its number of blocks from the system

_lock = threading.Lock()
_trainings = 0


@contextmanager
def kept_memory() -> Iterator[None]:
    """Keep freed memory in the process while the block lasts; outside of Linux with glibc nothing changes."""
    _begun(1)
    try:
        yield
    finally:
        _begun(-1)


def _begun(change: int) -> None:
    """Count a training that begins or ends; the first and the last one turn the switch."""
    global _trainings
    with _lock:
        before, _trainings = _trainings, _trainings + change
        library = _library()
        if library is None:
            return
        if before == 0:
            library.mallopt(_MMAP_MAX, 0)
            library.mallopt(_TRIM_THRESHOLD, -1)
        elif _trainings == 0:
            library.mallopt(_MMAP_MAX, _MANY)
            library.mallopt(_MMAP_THRESHOLD, _LARGEST)
            library.mallopt(_TRIM_THRESHOLD, 2 * _LARGEST)
            library.malloc_trim(0)


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL | None:
    """The C library, where it has these switches and nobody has set them for this process."""
    chosen = any(name.startswith("MALLOC_") for name in os.environ) or "malloc" in os.environ.get(
        "GLIBC_TUNABLES", ""
    )
    try:
        return None if chosen or not os.confstr("CS_GNU_LIBC_VERSION") else ctypes.CDLL(None)
    except (AttributeError, ValueError, OSError):  # no such name, no such function: another library
        return None
