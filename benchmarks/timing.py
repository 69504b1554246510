"""Measure candidates side by side: interleaved repeats, medians, and a description of the machine.

Seconds of one machine say little on another; a ratio of times taken in turns says nearly the same everywhere.
"""

from __future__ import annotations

import json
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
import torch_geometric

from allpass.files import write_whole

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Row:
    """One contest: the median seconds of ours and of every peer, and how ours compares with the best peer.

    Args:
        case: What was measured.
        seconds: Median seconds by candidate; ``"ours"`` is one of them. Empty where bytes were counted.
        ratio: Ours against the fastest peer: for each peer the median over turns of the two times of one turn, so
            that what else the machine does at the moment slows both; of these the largest.
        goal: The ratio not to be exceeded, where there is one.
    """

    case: str
    seconds: dict[str, float]
    ratio: float
    goal: float | None

    @property
    def of_medians(self) -> float:
        """Our median over the fastest peer's: the plainer statistic, which a change of pace during the run distorts."""
        return self.seconds["ours"] / min(t for name, t in self.seconds.items() if name != "ours")


def race(
    case: str,
    candidates: dict[str, Callable[[], object]],
    *,
    goal: float | None,
    repeats: int = 21,
    least: float = 0.002,
) -> Row:
    """Run the candidates in turns and compare the medians.

    Args:
        case: What is measured.
        candidates: What to call; one of them is ``"ours"``.
        goal: The ratio not to be exceeded, where there is one.
        repeats: Turns each candidate gets.
        least: Seconds a turn lasts at least; quick calls are repeated within it. 0 leaves out the warm-up too.
    """
    calls = {name: _calls_for(least, call) for name, call in candidates.items()}
    times: dict[str, list[float]] = {name: [] for name in candidates}
    order = list(candidates)
    shuffle = random.Random(0).shuffle  # nobody always runs after the one that warmed the cache for it
    for _ in range(repeats):
        shuffle(order)
        for name in order:
            times[name].append(_seconds(candidates[name], calls[name]))
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratios = [
        statistics.median(ours / theirs for ours, theirs in zip(times["ours"], times[name], strict=True))
        for name in candidates
        if name != "ours"
    ]
    return Row(case, medians, max(ratios), goal)


def _calls_for(least: float, call: Callable[[], object]) -> int:
    if not least:
        return 1
    _seconds(call, 2)  # warm-up
    return max(1, min(1000, int(least / max(_seconds(call, 1), 1e-7))))


def _seconds(call: Callable[[], object], calls: int) -> float:
    _finish()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    _finish()
    return (time.perf_counter() - start) / calls


def _finish() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def machine() -> dict[str, object]:
    """What the numbers were taken on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "cuda": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "system": platform.system(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "torch_geometric": torch_geometric.__version__,
    }


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.is_file():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def write(name: str, rows: Sequence[Row]) -> Path:
    """Keep the rows and the machine in ``results/<name>.json``, whole or not at all."""
    RESULTS.mkdir(exist_ok=True)
    target = RESULTS / f"{name}.json"
    content = {"benchmark": name, "machine": machine(), "rows": [asdict(row) for row in rows]}
    return write_whole(target, (json.dumps(content, indent=2) + "\n").encode())


def table(rows: Sequence[Row]) -> str:
    """The rows as text: milliseconds of each candidate, then the ratio and whether it meets its goal."""
    if not rows:
        return "nothing measured"
    names = list(dict.fromkeys(name for row in rows for name in row.seconds))
    width = max(len(row.case) for row in rows)
    lines = [
        f"{'case':{width}}" + "".join(f"{name + ' ms':>16}" for name in names) + f"{'ratio':>9}{'goal':>7}"
    ]
    for row in rows:
        times = "".join(
            f"{1000 * row.seconds[name]:16.3f}" if name in row.seconds else " " * 16 for name in names
        )
        lines.append(f"{row.case:{width}}{times}{row.ratio:9.2f}{_verdict(row)}")
    return "\n".join(lines)


def _verdict(row: Row) -> str:
    """The goal, and whether it is missed."""
    if row.goal is None:
        return f"{'-':>7}"
    if row.ratio > row.goal:
        return f"{row.goal:7.2f}  over"
    plain = f"  over by medians: {row.of_medians:.2f}" if row.seconds and row.of_medians > row.goal else ""
    return f"{row.goal:7.2f}{plain}"
