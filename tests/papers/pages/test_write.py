from __future__ import annotations

from pathlib import Path

import pytest
from tests.papers.pages.samples import PAGE

from allpass.errors import InputError
from allpass.papers.pages.csv_file import read_rows
from allpass.papers.pages.page import Page, Picture
from allpass.papers.pages.write import FORMATS, write

ROWS = [{"row": "GCN", "mean": 81.0}]


def test_all_formats_and_their_pictures(tmp_path: Path) -> None:
    paths = write(PAGE, ROWS, tmp_path, "table1")
    expected = {*(f"table1.{ending}" for ending in FORMATS), "line.svg", "line.pdf"}
    assert {path.name for path in paths} == expected == {path.name for path in tmp_path.iterdir()}
    assert read_rows(tmp_path / "table1.csv") == ROWS
    assert (tmp_path / "line.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "line.pdf").read_bytes().startswith(b"%PDF")


def test_the_same_page_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        write(PAGE, ROWS, folder, "table1")
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes()


@pytest.mark.parametrize(
    ("formats", "names"),
    [
        (("csv",), {"t.csv"}),
        (("html",), {"t.html"}),
        (("md",), {"t.md", "line.svg"}),
        (("tex",), {"t.tex", "line.pdf"}),
    ],
)
def test_some_formats(tmp_path: Path, formats: tuple[str, ...], names: set[str]) -> None:
    write(PAGE, ROWS, tmp_path, "t", formats)
    assert {path.name for path in tmp_path.iterdir()} == names


def test_nothing_is_written_where_one_cannot_be_made(tmp_path: Path) -> None:
    def fails():
        raise RuntimeError("no picture")

    with pytest.raises(RuntimeError, match="no picture"):
        write(Page("t", (Picture("p", "c", fails),)), ROWS, tmp_path, "t")
    (tmp_path / "t.html").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        write(PAGE, ROWS, tmp_path, "t")
    assert {path.name for path in tmp_path.iterdir()} == {"t.html"}


def test_unknown_formats_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no format 'htm'\. Did you mean 'html'\?"):
        write(PAGE, ROWS, tmp_path, "t", ("htm",))
    with pytest.raises(InputError, match="does not exist"):
        write(PAGE, ROWS, tmp_path / "none", "t", ("csv",))
