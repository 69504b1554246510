from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from allpass.papers import at_hand
from allpass.papers.synthetic import graphs


@pytest.fixture
def nothing_read() -> Iterator[None]:
    """Forget the datasets that were read before and the keys that follow from them, and so again afterwards."""
    caches = (at_hand.graph_of, at_hand.content_hash, graphs._keys)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def real_data(data_dir: Path, nothing_read: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of real datasets, named to the library."""
    monkeypatch.setenv("ALLPASS_DATA", str(data_dir))
