"""How many replicas are trained at once: as many as fit, by measurement, and half as many where that was wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import torch

from allpass.errors import InputError
from allpass.train.engine.batch import Batch

T = TypeVar("T")

ON_A_CPU = 16
"""Replicas in memory at once where they are trained one after the other: more would only take room."""

_SHARE = 0.8  # of the free memory; a CUDA graph keeps a pool of its own, and other programs come and go


def at_once(build: Callable[[Sequence[int]], Batch], members: Sequence[int], device: torch.device) -> int:
    """The number of replicas that fit together, from the peaks of a step of one and of three of them.

    Args:
        build: Makes the batch of some members.
        members: All there are.
        device: Where they are trained.
    """
    if device.type != "cuda":
        return ON_A_CPU
    if len(members) <= 3:
        return len(members)
    try:
        one, three = (_peak(build, members[:count], device) for count in (1, 3))
    except torch.OutOfMemoryError:  # one may fit; if not, it is told when that is trained
        torch.cuda.empty_cache()
        return 1
    each = max((three - one) / 2, 1.0)
    return max(1, int((_SHARE * _free(device) - (one - each)) / each))


def _free(device: torch.device) -> float:
    """What this process may still take: others have some of the memory, and it may be held to a share itself."""
    free, total = torch.cuda.mem_get_info(device)
    share = torch.cuda.get_per_process_memory_fraction(device.index)
    return min(free, share * total - torch.cuda.memory_allocated(device))


def _peak(build: Callable[[Sequence[int]], Batch], members: Sequence[int], device: torch.device) -> float:
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated(device)
    torch.cuda.reset_peak_memory_stats(device)
    build(members).step()
    return float(torch.cuda.max_memory_allocated(device) - before)


def in_parts(members: Sequence[int], size: int, run: Callable[[Sequence[int]], Iterator[T]]) -> Iterator[T]:
    """``run`` on parts of at most ``size`` members; a part that does not fit into memory is halved and run again.

    Args:
        members: What to run.
        size: Members of a part.
        run: Runs a part; called again for one that failed, it may leave out what it has done.
    """
    queue = [members[start : start + size] for start in range(0, len(members), size)]
    while queue:
        part = queue.pop(0)
        try:
            yield from run(part)
        except torch.OutOfMemoryError:
            if len(part) == 1:
                raise InputError(
                    "A single replica does not fit into the memory of the device.",
                    "Use fewer hidden channels or layers, sparse features, or another device.",
                ) from None
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
            half = (len(part) + 1) // 2
            queue[:0] = [part[:half], part[half:]]
