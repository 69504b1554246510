"""Fifty kills at random moments: every run once and with the same bits, a checkpoint that loads, nothing left over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.train.scenes import stage


@pytest.fixture(scope="module")
def play() -> Iterator[Callable[..., None]]:
    with stage("tests.kills.scenes") as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("scene", ["train", "overwrite", "compare", "sweep", "reproduce"])
def test_ten_kills(play: Callable[..., None], tmp_path: Path, scene: str) -> None:
    play(scene, tmp_path, 10)
