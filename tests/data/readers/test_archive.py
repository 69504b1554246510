from __future__ import annotations

import zipfile

import pytest

from allpass.data.readers import archive
from allpass.data.readers.archive import open_text
from allpass.errors import DataError, UnsafeFileError


@pytest.fixture
def zipped(tmp_path):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("folder/big_edges.csv", "a,b\n" + "1,2\n" * 500)
    return {"all.zip": path}


def test_a_file_by_itself_comes_first(tmp_path, zipped):
    (tmp_path / "my_edges.csv").write_text("x,y\n")
    with open_text(zipped | {"my_edges.csv": tmp_path / "my_edges.csv"}, "edges.csv") as stream:
        assert stream.read() == "x,y\n"


def test_a_file_in_the_archive(zipped):
    with open_text(zipped, "edges.csv") as stream:
        assert stream.readline() == "a,b\n"


def test_what_is_not_in_the_archive(zipped):
    with pytest.raises(DataError, match=r"no file \*target.csv"), open_text(zipped, "target.csv"):
        pass


def test_a_claim_beyond_the_most_is_refused(zipped, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 100)
    with pytest.raises(UnsafeFileError, match="claims 2,004 bytes"), open_text(zipped, "edges.csv"):
        pass


def test_a_truncated_archive(zipped):
    path = zipped["all.zip"]
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match="damaged"), open_text(zipped, "edges.csv"):
        pass


def test_a_file_that_is_no_text(tmp_path):
    (tmp_path / "my_edges.csv").write_bytes(b"\xff\xfe\x00")
    paths = {"my_edges.csv": tmp_path / "my_edges.csv"}
    with pytest.raises(DataError, match=r"my_edges.csv is damaged"), open_text(paths, "edges.csv") as stream:
        stream.read()
