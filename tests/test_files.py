from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from allpass.errors import InputError
from allpass.files import check_folder, check_writable, drafted, slug, write_whole


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


def test_a_symbolic_link_is_written_through(tmp_path: Path):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "page.html", tmp_path / "link.html"
    link.symlink_to(target)
    for content in (b"new", b"newer"):  # a link to nothing yet, then to a file
        assert write_whole(link, content) == link
        assert link.is_symlink()
        assert target.read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.html", "real"]
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(InputError, match="leads back to itself"):
        check_writable(tmp_path / "loop")
    (tmp_path / "away").symlink_to(tmp_path / "absent" / "page.html")
    with pytest.raises(InputError, match="absent' does not exist"):
        check_writable(tmp_path / "away")


def test_what_is_no_regular_file_stays(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path / "pipe", "a named pipe"), (Path("/dev/null"), "a device")):
        with pytest.raises(InputError, match=f"is {kind}, not a regular file; it stays as it is"):
            write_whole(path, b"")
    reading, writing = os.pipe()
    with pytest.raises(InputError, match="is a named pipe, not a regular file"):
        check_writable(f"/dev/fd/{writing}")
    os.close(reading)
    os.close(writing)
    assert (tmp_path / "pipe").is_fifo()
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("name", ["a\0b", "\ud800.html", "x" * 256, "ü" * 128 + "/page.html"])
def test_names_that_no_file_can_have(name: str):
    for check in (check_writable, check_folder):
        with pytest.raises(InputError, match="No file can be called"):
            check(name)


@pytest.mark.skipif(os.name != "posix", reason="folders cannot be synced")
def test_a_file_and_its_name_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    path = write_whole(tmp_path / "page.html", b"whole")
    assert synced == [path.stat().st_ino, tmp_path.stat().st_ino]


def test_the_mode_of_a_file_stays(tmp_path: Path):
    path = write_whole(tmp_path / "own.csv", b"old")
    path.chmod(0o600)
    assert write_whole(path, b"new").stat().st_mode & 0o777 == 0o600


def test_drafts_of_killed_processes_go_and_those_of_others_stay(tmp_path: Path):
    writing = "import sys, os; from allpass.files import drafted\n"
    writing += "with drafted(sys.argv[1]) as draft: draft.write_bytes(b'half'); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", writing, str(tmp_path / "page.html")], check=False)
    (left,) = tmp_path.iterdir()
    assert left.suffix == ".part"
    elsewhere = tmp_path / f".allpass-00000000-{2**22 + 1}-{'0' * 32}.part"
    strange = tmp_path / ".allpass-notes.part"
    for path in (elsewhere, strange):
        path.touch()
    with drafted(tmp_path / "page.html") as draft:
        draft.write_bytes(b"ours")
        write_whole(tmp_path / "other.html", b"")  # leaves drafts alone that are being written
        assert draft.exists()
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {elsewhere.name, strange.name, "page.html", "other.html"}


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a b/c", "..", "", "..\\up", "nul\0", "x" * 500])
def test_a_slug_is_the_name_of_one_file(tmp_path: Path, name: str):
    found = slug(name)
    (tmp_path / found).touch()
    assert [path.name for path in tmp_path.iterdir()] == [found]
