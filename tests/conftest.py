"""Shared fixtures: where the real datasets are, and a hypothesis profile that fits two cores."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings

settings.register_profile(
    "allpass", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("allpass")
torch.set_num_threads(1)  # tests are small, and a process runs for every core


@pytest.fixture
def unrecorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """No step is recorded, which is not worth it for trainings of a few epochs and changes none of their numbers."""
    monkeypatch.setattr("allpass.train.engine.recording.SLOW", 0.0)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real datasets, or a skip that says how to name one."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ALLPASS_DATA", beside))
    if not folder.is_dir():
        pytest.skip("no folder of datasets: set ALLPASS_DATA to one")
    return folder
