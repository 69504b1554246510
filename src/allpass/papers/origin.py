"""Where the numbers of a row come from."""

from __future__ import annotations

from collections.abc import Sequence

from allpass.papers.study import Row
from allpass.train.runs.run import Run


def origin(runs: Sequence[Run]) -> Row:
    """With what, where and when runs were made: the time of all of them, and all else of the last one."""
    last = max(runs, key=lambda run: run.ended)
    return {
        "seconds": round(sum(run.seconds for run in runs), 3),
        **{name: last.versions.get(name, "") for name in ("allpass", "torch", "device")},
        "ended": last.ended.date().isoformat(),
    }
