"""Large blocks are not asked of the system again and again while a training lasts."""

import resource
from pathlib import Path

import pytest
import torch

from allpass.train.engine import memory
from allpass.train.engine.memory import kept_memory

pytestmark = pytest.mark.skipif(memory._library() is None, reason="another C library, or one set up by hand")


def faults(rounds: int) -> int:
    """Pages that blocks of 64 MiB get from the system."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(rounds):
        torch.empty(2**24).fill_(1.0)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def held() -> float:
    """MiB of this process."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize() / 2**20


def test_pages_are_got_once() -> None:
    outside = faults(12)
    with kept_memory():
        with kept_memory():
            faults(1)
        inside, before = faults(12), held()
    # The end of one of two trainings changed nothing for the other; what else the process keeps may cost a block.
    assert inside < outside / 8
    assert before - held() > 32  # and at the end of both all is given back


def test_an_error_ends_it_too() -> None:
    with pytest.raises(RuntimeError, match="lost"), kept_memory():
        raise RuntimeError("lost")
    assert memory._trainings == 0
    assert faults(2) > faults(1)


def test_an_allocator_set_by_hand_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1000000")
    assert memory._library.__wrapped__() is None
