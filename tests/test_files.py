from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from allpass.errors import InputError
from allpass.files import check_folder, check_writable, drafted, write_whole


def test_write_and_overwrite(tmp_path: Path):
    path = tmp_path / "page.html"
    assert write_whole(path, b"one") == path
    write_whole(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_long_names(tmp_path: Path):
    path = tmp_path / ("x" * 250 + ".html")
    assert write_whole(path, b"whole").read_bytes() == b"whole"


def test_many_may_write_into_one_folder(tmp_path: Path):
    def write(name: str) -> None:
        for _ in range(50):
            write_whole(tmp_path / name, name.encode() * 1000)

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, ("one", "two", "three")))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        name: name.encode() * 1000 for name in ("one", "two", "three")
    }


def test_an_interrupted_draft_leaves_nothing(tmp_path: Path):
    def stopped() -> None:
        with drafted(tmp_path / "page.html") as draft:
            draft.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert not list(tmp_path.iterdir())


def test_folder_that_does_not_exist(tmp_path: Path):
    with pytest.raises(InputError, match=r"does not exist.*Make it first"):
        check_writable(tmp_path / "no" / "page.html")


def test_a_folder_is_no_file(tmp_path: Path):
    with pytest.raises(InputError, match="is a folder"):
        write_whole(tmp_path, b"")
    with pytest.raises(InputError, match="is a folder"):
        check_writable("")


def test_a_file_is_no_folder(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="does not exist"):
        write_whole(tmp_path / "file" / "page.html", b"")


def test_folder_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="may not be written to"):
        check_writable(tmp_path / "page.html")


def test_a_folder_that_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert check_folder(tmp_path / "new" / "folder") == tmp_path / "new" / "folder"
    assert not (tmp_path / "new").exists()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file' is no folder"):
        check_folder(tmp_path / "file" / "folder")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="may not be written to"):
        check_folder(tmp_path / "new")


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = write_whole(tmp_path / "page.html", b"old")

    def full(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="No space left on device"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
