"""One thread for small graphs: there the threads of a CPU wait for each other longer than they work."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from allpass.train.engine.gradients import Problem

SMALL = 100_000
"""Nonzero features, edges and hidden values up to which one thread is the faster; between Texas and Cora."""

_HIDDEN = 64  # what most models have


def is_small(problem: Problem) -> bool:
    """Whether an epoch on this graph is too little work to be shared."""
    features = problem.x.numel() if isinstance(problem.x, Tensor) else problem.x.nnz
    return features + problem.graph.nnz + _HIDDEN * problem.graph.shape[0] <= SMALL


def on_one_thread(step: Callable[[], None]) -> Callable[[], None]:
    """The same step on one thread; whoever looks in between has all of them."""

    def run() -> None:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            step()
        finally:
            torch.set_num_threads(before)

    return run
