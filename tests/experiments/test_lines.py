from __future__ import annotations

import pytest

from allpass.experiments.lines import Lines
from allpass.experiments.runner import Progress


def test_a_long_reproduction_has_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    clock = iter((0.0, 0.0, 30.0, 70.0, 100.0, 140.0, 210.0))
    monkeypatch.setattr("allpass.experiments.lines.time.monotonic", lambda: next(clock))
    look = Lines()
    for stored in (100, 110, 170, 180, 240):
        look(Progress(1_240, stored, "GCN on Cora"))
    look(Progress(1_240, 240))  # nothing has come of anything yet
    assert capfd.readouterr().err.splitlines() == [
        "170 of 1,240 runs, about 18 min left: GCN on Cora",
        "240 of 1,240 runs, about 17 min left: GCN on Cora",
    ]
