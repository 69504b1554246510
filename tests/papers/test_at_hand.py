"""Datasets that may not be at hand."""

from __future__ import annotations

import pytest

from allpass.data import fingerprint, load
from allpass.errors import DownloadError
from allpass.papers import at_hand
from allpass.papers.at_hand import content_hash, graph_of


def test_the_hash_is_that_of_the_graph_which_is_read_once() -> None:
    assert content_hash("example-bipartite") == fingerprint(load("example-bipartite"))
    assert graph_of("example-bipartite") is graph_of("example-bipartite")


def test_what_is_not_at_hand_has_no_hash_and_complains_only_when_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise DownloadError("No source gave the file.", "Put it into the data folder.")

    monkeypatch.setattr(at_hand, "load", gone)
    monkeypatch.setattr(at_hand, "graph_of", graph_of.__wrapped__)
    assert content_hash.__wrapped__("texas") == ""
    with pytest.raises(DownloadError, match="data folder"):
        at_hand.graph_of("texas")
