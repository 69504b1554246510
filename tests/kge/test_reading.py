from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest

from allpass.data.account import Account
from allpass.errors import DataError, MissingFileError
from allpass.kge.reading import read_gzip, read_triplets

ROWS = [("ann", "likes", "bob"), ("NA", "knows", "007"), ("bob", "likes", "ann")]


def _texts(columns) -> list[tuple[str, ...]]:
    return list(zip(*([texts[code] for code in codes] for codes, texts in columns), strict=True))


def _write(path: Path, rows, separator: str) -> Path:
    path.write_text("".join(separator.join(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(("name", "separator"), [("t.tsv", "\t"), ("t.csv", ","), ("t.txt", "\t")])
@pytest.mark.parametrize("header", [(), ("head", "relation", "tail"), ("Subject", "PREDICATE", "object")])
def test_texts_are_kept_as_written(tmp_path: Path, name: str, separator: str, header) -> None:
    rows = [header, *ROWS] if header else ROWS
    assert _texts(read_triplets(_write(tmp_path / name, rows, separator), Account())) == ROWS


def test_numbers_are_names_too(tmp_path: Path) -> None:
    path = _write(tmp_path / "t.tsv", [("1", "0", "02"), ("3", "0", "1")], "\t")
    assert _texts(read_triplets(path, Account())) == [("1", "0", "02"), ("3", "0", "1")]


def test_columns_are_found_by_name_and_others_are_noted(tmp_path: Path) -> None:
    account = Account()
    path = _write(tmp_path / "t.csv", [("tail", "year", "head", "relation"), ("b", "1999", "a", "r")], ",")
    assert _texts(read_triplets(path, account)) == [("a", "r", "b")]
    assert "ignored-columns" in account


def test_a_frame_and_parquet(tmp_path: Path) -> None:
    frame = pd.DataFrame({"state": [1, 2], "action": [0, 0], "next_state": [2, 1]})
    assert _texts(read_triplets(frame, Account())) == [("1", "0", "2"), ("2", "0", "1")]
    frame.to_parquet(tmp_path / "t.parquet")
    assert _texts(read_triplets(tmp_path / "t.parquet", Account())) == [("1", "0", "2"), ("2", "0", "1")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a\tb\nc\td\n", r"Got 2 columns.*Expected three: head, relation, tail"),
        ("a\tr\tb\tx\nc\tr\td\ty\n", r"Got 4 columns"),
        ("", "is empty"),
        ("head\trelation\ttail\n", "There is no triplet"),
        ("a\tr\tb\nc\t\td\n", "no value in the column"),
        ("a\tr\tb\nc\tr\n", "no value in the column"),
        ('a\tr\t"b\nc\tr\td\n', "quote"),
    ],
)
def test_what_is_no_table_of_triplets(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(content)
    with pytest.raises(DataError, match=said) as refusal:
        read_triplets(path, Account())
    assert len(str(refusal.value)) <= 300


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="no file"):
        read_triplets(tmp_path / "t.tsv", Account())


def test_packed_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.txt.gz"
    path.write_bytes(gzip.compress(b'a b\t"r\tc\r\n'))
    assert _texts(read_gzip(path)) == [("a b", '"r', "c")]
    path.write_bytes(gzip.compress(b"a\tb\tc\na\tb\n"))
    with pytest.raises(DataError, match=r"Line 2 of 't.txt.gz' is no triplet"):
        read_gzip(path)
    path.write_bytes(b"no gzip")
    with pytest.raises(DataError, match="damaged"):
        read_gzip(path)
