from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pooch
import pytest

from allpass.data.draft import Draft, splits_of_masks
from allpass.data.named.dataset import Counts, Dataset, Source
from allpass.data.named.fetch import RemoteFile
from allpass.errors import DataError, DownloadError

EDGES = [[0, 1, 1], [1, 0, 1]]
CONTENT = json.dumps(EDGES).encode()


def read(paths: Mapping[str, Path]) -> Draft:
    draft = Draft(2, np.array(json.loads(paths["edges.json"].read_text())), y=np.array([0, 1]))
    if "splits.json" in paths:
        masks = {part: np.array([part == "train", part == "test"]) for part in ("train", "val", "test")}
        draft.splits["public"] = splits_of_masks(masks, 2, "public")
    return draft


@pytest.fixture
def entry() -> Dataset:
    files = (
        RemoteFile("toy/edges.json", hashlib.sha256(CONTENT).hexdigest(), ("far/edges.json",)),
        RemoteFile("toy/splits.json", None, ("far/splits.json",), optional=True),
    )
    return Dataset(
        "toy",
        "A toy",
        "nobody",
        "MIT",
        Counts(2, 3, 0, 2),
        (Source(read, files, notes=("From afar.",)),),
        splits=("public",),
        class_names=("red", "blue"),
        notes=("It is small.",),
    )


@pytest.fixture(autouse=True)
def internet(tmp_path, monkeypatch) -> dict[str, bytes]:
    """A tiny internet: what each url answers; what is not in it cannot be reached."""
    answers = {"far/edges.json": CONTENT, "far/splits.json": b"{}"}

    def retrieve(url: str, known_hash: str | None, fname: str, path: Path, downloader: object) -> None:
        if url not in answers:
            raise ConnectionError("offline")
        content = answers[url]
        if known_hash not in (None, f"sha256:{hashlib.sha256(content).hexdigest()}"):
            raise ValueError("wrong hash")
        path.mkdir(parents=True, exist_ok=True)
        (path / fname).write_bytes(content)

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    monkeypatch.setenv("ALLPASS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ALLPASS_DATA", raising=False)
    return answers


def put(folder: Path, content: bytes = CONTENT) -> Path:
    (folder / "toy").mkdir(parents=True, exist_ok=True)
    (folder / "toy" / "edges.json").write_bytes(content)
    return folder


def codes(data) -> list[str]:
    return [note.code for note in data.account]


def test_from_a_data_folder(entry, tmp_path):
    data = entry.load(put(tmp_path / "data"))
    assert (data.name, data.source, data.num_nodes) == ("toy", "data folder", 2)
    assert data.class_names == ["red", "blue"]
    assert codes(data)[:3] == ["known", "known", "no-stored-splits"]
    assert data.stored_splits == {}


def test_a_download_brings_the_splits_too_and_the_cache_serves_next_time(entry, internet):
    data = entry.load()
    assert data.source == "download"
    assert list(data.stored_splits) == ["public"]
    assert "no-published-hash" in codes(data)
    internet.clear()
    again = entry.load()
    assert again.source == "cache"
    assert again.fingerprint == data.fingerprint


def test_splits_that_cannot_be_had_are_left_out(entry, internet):
    del internet["far/splits.json"]
    data = entry.load()
    assert data.stored_splits == {}
    assert "no-stored-splits" in codes(data)


def test_offline_says_which_file_and_where_to_put_it(entry, internet, tmp_path):
    internet.clear()
    with pytest.raises(DownloadError) as error:
        entry.load()
    for word in ("toy/edges.json", "far/edges.json", str(tmp_path / "cache" / "toy" / "edges.json")):
        assert word in str(error.value)


def test_another_version_in_the_data_folder_is_noted(entry, tmp_path):
    data = entry.load(put(tmp_path / "data", json.dumps(EDGES, indent=1).encode()))
    assert "other-file" in codes(data)


def test_counts_are_checked(entry, tmp_path):
    with pytest.raises(
        DataError, match=r"found 2 nodes, 1 edge.*Expected 2 nodes, 3 edges, 0 features, 2 classes"
    ):
        entry.load(put(tmp_path / "data", b"[[0], [1]]"))


def test_edges_may_be_counted_with_their_repeats(entry):
    draft = Draft(2, np.array([[0, 1], [1, 0]]), y=np.array([0, 1]))
    draft.account.add("duplicate-edges", 1, "One.")
    entry._check(draft)


def test_a_count_that_nobody_published_is_not_checked(entry, tmp_path):
    assert replace(entry, counts=Counts(2, 3, None, 2)).load(put(tmp_path / "data")).num_nodes == 2


def test_a_download_that_is_no_such_graph_is_not_kept(entry, internet, tmp_path):
    files = (RemoteFile("toy/edges.json", None, ("far/edges.json",)),)
    unverified = Dataset("toy", "", "", "", entry.counts, (Source(read, files),))
    internet["far/edges.json"] = b"[[0], [1]]"
    with pytest.raises(DataError):
        unverified.load()
    assert not (tmp_path / "cache" / "toy" / "edges.json").exists()
    internet["far/edges.json"] = CONTENT
    assert unverified.load().num_nodes == 2


class TestChoice:
    """A first source that may not be downloaded, then one that comes with the package: as Cora has them."""

    @pytest.fixture
    def two(self, entry) -> Dataset:
        here = Source(entry.sources[0].reader, entry.sources[0].files, download=False)
        inside = Source(lambda _: Draft(2, np.array(EDGES), y=np.array([1, 0])))
        return Dataset("toy", "", "", "", entry.counts, (here, inside))

    def test_files_at_hand_come_first(self, two, tmp_path):
        data = two.load(put(tmp_path / "data"))
        assert (data.source, data.y.tolist()) == ("data folder", [0, 1])

    def test_otherwise_the_embedded_form_without_any_download(self, two, internet):
        internet.clear()
        data = two.load()
        assert (data.source, data.y.tolist()) == ("embedded", [1, 0])
        assert two.embedded
        assert two.available()

    def test_a_form_without_addresses_is_used_from_a_folder_only(self, entry, tmp_path):
        local = Source(read, (RemoteFile("toy/edges.json"),))
        remote = Source(
            lambda paths: read({"edges.json": paths["other.json"]}),
            (RemoteFile("toy/other.json", None, ("far/edges.json",)),),
        )
        both = Dataset("toy", "", "", "", entry.counts, (local, remote))
        assert not both.available()
        assert both.load(put(tmp_path / "data")).source == "data folder"
        assert both.load().source == "download"
