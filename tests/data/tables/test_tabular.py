from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import pyarrow
import pytest

from allpass.data.tables.tabular import Table
from allpass.errors import DataError, InputError, MissingExtraError, MissingFileError


def table(folder: Path, text: str, name: str = "t.csv") -> Table:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Table(path, "edge table")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "a,b\n1,2\n3,4\n"),
        ("t.csv", "a;b\n1;2\n3;4\n"),
        ("t.csv", "a, b\n1, 2\n3, 4\n"),
        ("t.csv", "\ufeffa,b\r\n1,2\r\n3,4\r\n"),
        ("t.tsv", "a\tb\n1\t2\n3\t4\n"),
        ("t.txt", "a b\n1 2\n3  4\n"),
        ("t.txt", "# a comment, with words\n#\na\tb\n1\t2\n3\t4\n"),
    ],
)
def test_ways_to_write_the_same_table(tmp_path: Path, name: str, text: str) -> None:
    read = table(tmp_path, text, name)
    assert read.columns == ["a", "b"]
    assert not read.headless
    assert read.read([]).to_numpy().tolist() == [[1, 2], [3, 4]]


def test_a_first_row_of_numbers_is_data(tmp_path: Path) -> None:
    read = table(tmp_path, "0 1\n1 2\n", "t.edges")
    assert read.headless
    assert read.columns == ["column 1", "column 2"]
    assert len(read.read([])) == 2


def test_ids_stay_as_they_are_written(tmp_path: Path) -> None:
    frame = table(tmp_path, "id,value\n007,1\nNA,NA\nnull,\n").read(["id"])
    assert frame["id"].tolist() == ["007", "NA", "null"]
    assert frame["value"].isna().tolist() == [False, True, True]


def test_parquet_and_frames(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
    frame.to_parquet(tmp_path / "t.parquet")
    assert Table(tmp_path / "t.parquet", "edge table").read(["a"]).equals(frame)
    assert Table(frame, "edge table").columns == ["a", "b"]
    assert Table(pd.DataFrame([[1, 2]]), "edge table").columns == ["0", "1"]


def test_find_and_column(tmp_path: Path) -> None:
    read = table(tmp_path, "Source,Target,weight\n1,2,3\n")
    assert read.find(["src", "source"]) == "Source"
    assert read.find(["source"], ["weight"]) is None
    assert read.column("weight") == "weight"
    with pytest.raises(
        DataError,
        match=r"no column 'wieght' in the edge table .*mean 'weight'\? Its columns are: Source, Target, weight",
    ):
        read.column("wieght")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", "is empty"),
        ("t.csv", " \n\n", "is empty"),
        ("t.csv", "a,b\n1,2\n1,2,3\n", r"Line 3 of 't.csv' has 3 fields; expected 2\."),
        ("t.csv", "# about\na,b\n1,2\n1,2,3\n", r"Line 4 of 't.csv' has 3 fields; expected 2\."),
        ("t.csv", "a,b\n1,2,3\n1,2,3\n", r"Line 2 of 't.csv' has 3 fields; expected 2\."),
        ("t.csv", 'a,b\n"1,2\n', r"A quote that opens in line 2 of 't.csv' is not closed\."),
        ("t.csv", b"a,b\n\xff\xfe,1\n", "not UTF-8"),
        ("t.csv", b"a\0b,c\n", "holds NUL bytes"),
        ("t.csv", b"a,b\n1,\0\n", "holds NUL bytes"),
        ("t.parquet", "no parquet at all", "could not be read as Parquet"),
        ("t.xlsx", "x", "does not look like a table"),
        ("t.xlsx", b"PK\x03\x04rest", r"looks like an Excel file\. Save the sheet as CSV"),
        ("t.csv", b"PK\x03\x04rest", "looks like an Excel file"),
    ],
)
def test_files_that_are_no_tables(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        table(tmp_path, content, name).read([])  # type: ignore[arg-type]


def test_any_error_of_arrow_is_a_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object, **options: object) -> None:
        raise pyarrow.ArrowException("Unknown error: Wrapping failed")

    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr("pandas.read_parquet", fail)
    with pytest.raises(DataError, match="could not be read as Parquet"):
        Table(tmp_path / "t.parquet", "node table")


def test_names_of_several_parts_are_refused(tmp_path: Path) -> None:
    columns = pd.MultiIndex.from_tuples([("a", "id"), ("b", "size")])
    frame = pd.DataFrame([["x", 1.0], ["y", 2.0]], columns=columns)
    frame.to_parquet(tmp_path / "t.parquet")
    for given in (tmp_path / "t.parquet", frame):
        with pytest.raises(DataError, match="have names of 2 parts"):
            Table(given, "node table")


def test_text_of_parquet_that_is_no_utf_8_is_a_damaged_file(tmp_path: Path) -> None:
    pd.DataFrame({"a": ["needle"] * 5}).to_parquet(tmp_path / "t.parquet", compression=None)
    content = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(content.replace(b"needle", b"\xffeedle"))
    with pytest.raises(DataError, match="could not be read as Parquet"):
        Table(tmp_path / "t.parquet", "node table")


def test_missing_file_and_wrong_type(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"There is no file .*nope.csv.*edge table"):
        Table(tmp_path / "nope.csv", "edge table")
    with pytest.raises(InputError, match="is a folder; the edge table must be a file"):
        Table(tmp_path, "edge table")
    with pytest.raises(InputError, match="Got list as the edge table"):
        Table([1, 2], "edge table")


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "t.parquet")

    def refuse(*_: object, **__: object) -> None:
        raise ImportError("Unable to find a usable engine")

    monkeypatch.setattr(pd, "read_parquet", refuse)
    with pytest.raises(MissingExtraError, match=r"pyarrow.*allpass\[parquet\]"):
        Table(tmp_path / "t.parquet", "node table")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="Reading the edge table needs the package 'pandas'"):
        Table(tmp_path / "t.csv", "edge table")


def test_ids_of_digits_stay_text(tmp_path):
    path = tmp_path / "nodes.csv"
    path.write_text("id,size\n007,1\n7,2\n")
    frame = Table(path, "node table").read(["id"])
    assert [str(value) for value in frame["id"]] == ["007", "7"]


def test_bytes_of_parquet_are_text_in_utf_8(tmp_path: Path) -> None:
    pd.DataFrame({"a": [b"x", "é".encode(), None]}).to_parquet(tmp_path / "t.parquet")
    assert Table(tmp_path / "t.parquet", "edge table").read([])["a"].dropna().tolist() == ["x", "é"]
    pd.DataFrame({"a": [b"\xff\x00"]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(
        DataError, match=r"^The column 'a' of 't.parquet' holds bytes that are no text in UTF-8"
    ):
        Table(tmp_path / "t.parquet", "edge table").read([])
