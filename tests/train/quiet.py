"""Whether a step could stand in a CUDA graph: nothing read back to the host, no shape that depends on values."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile

READS = {
    "aten::item",
    "aten::_local_scalar_dense",
    "aten::is_nonzero",
    "aten::nonzero",
    "aten::masked_select",
    "aten::unique_dim",
    "aten::_unique2",
    "aten::equal",
}


def host_reads(call: Callable[[], object]) -> set[str]:
    """The operations among those that ``call`` runs which wait for a value or make a shape from one."""
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        call()
    names = {event.key for event in seen.key_averages()}
    assert names, "the profiler saw nothing"
    return names & READS


def captured(call: Callable[[], Tensor]) -> tuple[torch.cuda.CUDAGraph, Tensor]:
    """``call`` held in a CUDA graph, and the tensor that a replay fills; its first run is undone by the caller."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = call()
    return graph, result
