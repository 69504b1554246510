"""Small graphs are trained on one thread, and the threads are given back."""

from __future__ import annotations

import pytest
import torch
from tests.train.batches import batch_of

from allpass.graph import Operator
from allpass.train.engine.gradients import Problem
from allpass.train.engine.loop import prepared
from allpass.train.engine.threads import SMALL, is_small, on_one_thread
from allpass.train.rules.stopping import stopping


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def problem(nodes: int, features: int) -> Problem:
    A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]), num_nodes=nodes)
    return Problem(torch.ones(nodes, features), A, torch.zeros(nodes).long(), lambda *_: torch.zeros(()))


def test_texas_is_small_and_cora_is_not() -> None:
    assert is_small(problem(183, 85))
    assert not is_small(problem(2708, 18))
    assert not is_small(problem(10, SMALL))


def test_steps_run_on_one_thread_and_looks_do_not(two_threads) -> None:
    batch = batch_of(2, stopping("fixed", max_epochs=3), dropout=0.5)
    seen = []
    gradient = batch.gradients.gradient
    batch.gradients.gradient = lambda *given: (seen.append(torch.get_num_threads()), gradient(*given))[1]
    prepared(batch)()
    assert seen == [1]
    assert torch.get_num_threads() == 2


def test_they_are_given_back_after_an_error_too(two_threads) -> None:
    def step() -> None:
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        on_one_thread(step)()
    assert torch.get_num_threads() == 2
