"""Parts that do not fit are halved until they do, and nothing is run twice or left out."""

from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError
from allpass.train.engine.plan import ON_A_CPU, at_once, in_parts


def runner(room: int) -> tuple[list[int], list[int], object]:
    done: list[int] = []
    sizes: list[int] = []

    def run(part):
        left = [member for member in part if member not in done]
        sizes.append(len(left))
        if len(left) > room:
            done.append(left[0])  # one had ended before memory ran out
            yield left[0]
            raise torch.OutOfMemoryError("too much")
        done.extend(left)
        yield from left

    return done, sizes, run


@pytest.mark.parametrize("room", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("size", [1, 4, 10, 1000])
def test_everything_is_run_once_whatever_fits(room: int, size: int) -> None:
    done, sizes, run = runner(room)
    assert sorted(in_parts(list(range(23)), size, run)) == list(range(23))
    assert sorted(done) == list(range(23))
    assert max(sizes) <= size


def test_nothing_is_run_for_nobody() -> None:
    assert list(in_parts([], 5, lambda part: pytest.fail("nothing to run"))) == []


def test_a_replica_that_never_fits_is_an_error_with_a_cure() -> None:
    def run(part):
        raise torch.OutOfMemoryError("too much")

    with pytest.raises(InputError, match=r"A single replica does not fit.*fewer hidden channels"):
        list(in_parts([1, 2, 3], 3, run))


def test_other_errors_pass() -> None:
    def run(part):
        raise RuntimeError("other")

    with pytest.raises(RuntimeError, match="other"):
        list(in_parts([1], 1, run))


def test_a_cpu_holds_a_few() -> None:
    assert (
        at_once(lambda part: pytest.fail("nothing to measure"), range(10_000), torch.device("cpu"))
        == ON_A_CPU
    )


def test_where_three_do_not_fit_they_are_trained_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def peak(build: object, members: list[int], device: torch.device) -> float:
        if len(members) > 1:
            raise torch.OutOfMemoryError("too much")
        return 1e9

    monkeypatch.setattr("allpass.train.engine.plan._peak", peak)
    monkeypatch.setattr("torch.cuda.empty_cache", lambda: None)
    assert at_once(lambda part: pytest.fail("nothing to build"), list(range(9)), torch.device("cuda")) == 1
