r"""An epoch of ``allpass.train`` against the published layer and loop, transcribed, one run at a time.

An epoch is forward, backward, Adam and an evaluation, with dropout 0.5 on the features and the hidden layer. The
transcription multiplies dense features, as published; ours finds that they are sparse. Graphs have the sizes of the
named datasets. On a CPU one run is compared with one run, and eight together with one alone. On a GPU as many replicas
train at once as a table of this field needs, and what counts is the time of a run and epoch.

The floor of a GPU is its memory. A product of a sparse matrix with M rows, N columns and E entries and R right-hand
sides of width F has to move, in numbers of four bytes,

.. math::
    (M + 1 + E) + V E + R F (M + N):

its places once, V = R times its values where replicas have their own (features under dropout) and V = 1 otherwise, and
every right-hand side and result once. An epoch has such a product of the features with all channels (F = 3 hidden), and
in each layer one of the graph with two channels (F = 2 hidden, then F = 2 classes): all of them forward, backward and
in the evaluation. They are compared with a copy that moves as many bytes, which is the measured bandwidth, and so is
the whole epoch.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch.func import vmap
from torch_geometric.data import Data

from allpass.data import splits
from allpass.graph import Operator, matrix
from allpass.train.config import TrainingConfig
from allpass.train.engine.batch import Batch
from allpass.train.engine.loop import apart, prepared
from allpass.train.engine.plan import at_once
from allpass.train.fit import job_of
from benchmarks.acm import DROPOUT, HIDDEN, SIZES, Size
from benchmarks.published import PublishedACM, stored_pair, train_published
from benchmarks.spmm import random_edges
from benchmarks.timing import Row, race

TINY = Size(20, 40, 50, 0.1, 3)
ON_A_GPU = 30
"""Epochs of a turn on a GPU."""


@dataclass(frozen=True)
class Contest:
    """What is asked of one size.

    Args:
        replicas: Trained at once on a GPU.
        cuda: How many times as fast as the transcription a run and epoch has to be there.
        cpu: How many times as fast a single run has to be on one thread of a CPU.
        epochs: Epochs of a turn on a CPU.
    """

    replicas: int
    cuda: float
    cpu: float
    epochs: int


CONTESTS = {
    "texas-like": Contest(300, cuda=300, cpu=3, epochs=20),
    "cora-like": Contest(100, cuda=80, cpu=7, epochs=4),
    "squirrel-like": Contest(30, cuda=20, cpu=5, epochs=2),
    "pubmed-like": Contest(40, cuda=10, cpu=2, epochs=2),
}


def run(device: str) -> list[Row]:
    """Every size: alone, eight at once and in memory on a CPU; many at once on CUDA."""
    if device == "cuda":
        return [row for name in CONTESTS for row in _on_a_gpu(name)]
    return [row for name in CONTESTS for row in (_alone(name), _batched(name), _memory(name))]


def like(size: Size) -> Data:
    """A random graph of this size, with dense features."""
    torch.manual_seed(0)
    shape = (size.nodes, size.features)
    return Data(
        x=torch.rand(shape) * (torch.rand(shape) < size.density),
        edge_index=torch.unique(random_edges(size.nodes, size.entries), dim=1),
        y=torch.randint(0, size.classes, (size.nodes,)),
        num_nodes=size.nodes,
    )


def replicas(size: Size, count: int, device: str) -> Batch:
    """A batch as ``fit`` makes it; on a GPU of as many replicas as fit, at most ``count``."""
    data = like(size)
    settings = {"hidden_channels": HIDDEN, "dropout": DROPOUT}
    part = splits(data, "random", count=1)
    job = job_of("acm-gcn", data, part, settings, seeds=range(count), config=TrainingConfig(device=device))
    fitting = min(count, at_once(job.batch, range(count), torch.device(device)))
    return job.batch(range(fitting))


def ours(batch: Batch, epochs: int) -> Callable[[], object]:
    """Some epochs of a batch."""
    steps = [(part, prepared(part)) for part in apart(batch)]

    def train() -> None:
        for part, step in steps:
            part.epoch.zero_()  # so that no stopping rule ends a replica: those that ended cost less
            for _ in range(epochs):
                step()

    return train


def transcription(size: Size, device: str, epochs: int) -> Callable[[], object]:
    """Some epochs of one run as published."""
    data = like(size)
    low, high = (part.to(device) for part in stored_pair(data))
    model = PublishedACM(size.features, HIDDEN, size.classes, dropout=DROPOUT).to(device)
    x, y, split = data.x.to(device), data.y.to(device), splits(data, "random", count=1)[0]
    rates = {"lr": 0.01, "weight_decay": 5e-4}
    return lambda: train_published(model, x, low, high, y, split, **rates, max_epochs=epochs)


def _alone(name: str) -> Row:
    size, contest = SIZES[name], CONTESTS[name]
    pair = {
        "ours": ours(replicas(size, 1, "cpu"), contest.epochs),
        "transcription": transcription(size, "cpu", contest.epochs),
    }
    row = race(f"{name}, one run", pair, goal=1 / contest.cpu, repeats=9)
    return _per_run_and_epoch(row, dict.fromkeys(pair, contest.epochs))


def _batched(name: str) -> Row:
    size, epochs = SIZES[name], CONTESTS[name].epochs
    pair = {
        "ours": ours(replicas(size, 8, "cpu"), epochs),
        "one alone": ours(replicas(size, 1, "cpu"), epochs),
    }
    row = race(f"{name}, a run among eight", pair, goal=1.05, repeats=9)
    return _per_run_and_epoch(row, {"ours": 8 * epochs, "one alone": epochs})


def _on_a_gpu(name: str) -> list[Row]:
    size, contest = SIZES[name], CONTESTS[name]
    batch = replicas(size, contest.replicas, "cuda")
    R, epochs = len(batch.rows), ours(batch, ON_A_GPU)
    pair = {"ours": epochs, "transcription": transcription(size, "cuda", ON_A_GPU)}
    row = race(f"{name}, {R} at once", pair, goal=1 / contest.cuda, repeats=7)
    found = [_per_run_and_epoch(row, {"ours": R * ON_A_GPU, "transcription": ON_A_GPU})]
    products, moved = _products(batch)
    for what, call, count in (
        ("sparse products", _recorded(products), 1),
        ("epoch", epochs, ON_A_GPU),
    ):
        case = f"{name}, {R} at once: {what} against a copy of {moved / 2**20:.0f} MiB"
        row = race(case, {"ours": call, "copy": _copy(moved)}, goal=None, repeats=7)
        found.append(_per(row, {"ours": count, "copy": 1}))
    return found


def _products(batch: Batch) -> tuple[Callable[[], object], int]:
    """The sparse products of an epoch, and the bytes they have to move."""
    x, low, R = batch.problem.x, matrix(batch.problem.graph, "A_hat_rw"), len(batch.rows)
    assert isinstance(x, Operator)
    assert isinstance(low, Operator)
    classes = int(batch.problem.target.max()) + 1
    (N, F), wide = x.shape, 3 * HIDDEN
    values = torch.rand(R, x.nnz, device=x.device)
    weights, signal = torch.rand(R, F, wide, device=x.device), torch.rand(R, N, wide, device=x.device)
    folded = torch.rand(F, R * wide, device=x.device)
    pairs = [torch.rand(N, R * 2 * width, device=x.device) for width in (HIDDEN, classes)]

    def products() -> None:
        vmap(lambda own, W: x.with_values(own) @ W)(values, weights)
        vmap(lambda own, G: x.with_values(own).T @ G)(values, signal)
        x @ folded
        for pair in pairs:
            for filter_ in (low, low.T, low):
                filter_ @ pair

    features = 3 * _numbers(x, R * wide) + (2 * R + 1) * x.nnz
    filters = sum(3 * (_numbers(low, pair.shape[1]) + low.nnz) for pair in pairs)
    return products, 4 * (features + filters)


def _numbers(op: Operator, columns: int) -> int:
    """What a product moves without its values: places, right-hand sides and results."""
    M, N = op.shape
    return M + 1 + op.nnz + columns * (M + N)


def _copy(moved: int) -> Callable[[], object]:
    """A copy that moves so many bytes: half of them read, half of them written."""
    source = torch.zeros(moved // 8, device="cuda")
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def _recorded(call: Callable[[], object]) -> Callable[[], object]:
    """The same as a CUDA graph, which does not wait for the host."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def _per(row: Row, counts: Mapping[str, int]) -> Row:
    """The row for one of so many; there is one peer."""
    peer = next(key for key in counts if key != "ours")
    seconds = {key: time / counts[key] for key, time in row.seconds.items()}
    return replace(row, seconds=seconds, ratio=row.ratio * counts[peer] / counts["ours"])


def _per_run_and_epoch(row: Row, counts: Mapping[str, int]) -> Row:
    found = _per(row, counts)
    return replace(found, case=f"{found.case}: {1 / found.ratio:.1f} times as fast")


_FRESH_PROCESS = """
import sys
from benchmarks.engine import peak
print(peak(sys.argv[1], sys.argv[2]))
"""


def _memory(name: str) -> Row:
    """Peak bytes of training one run on a CPU, data and model included, each in a process of its own."""
    peaks = {}
    for key in ("ours", "transcription"):
        command = [sys.executable, "-W", "ignore", "-c", _FRESH_PROCESS, key, name]
        # The allocator gives back what is freed, so that what is counted is in use.
        surroundings = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "0", "MALLOC_MMAP_THRESHOLD_": "65536"}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=surroundings)
        peaks[key] = int(done.stdout) / 2**20
    case = f"{name} peak memory, {peaks['ours']:.0f} of {peaks['transcription']:.0f} MiB"
    return Row(case, {}, peaks["ours"] / peaks["transcription"], goal=1)


def peak(key: str, name: str) -> int:
    """Bytes in use at the peak of three epochs, beyond those of a process that has trained on a tiny graph."""
    torch.set_num_threads(1)
    _three_epochs(key, TINY)()
    gc.collect()
    before = _resident("VmRSS")
    epochs = _three_epochs(key, SIZES[name])
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak of making random features is not ours
    epochs()
    return _resident("VmHWM") - before


def _three_epochs(key: str, size: Size) -> Callable[[], object]:
    return ours(replicas(size, 1, "cpu"), 3) if key == "ours" else transcription(size, "cpu", 3)


def _resident(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field))
