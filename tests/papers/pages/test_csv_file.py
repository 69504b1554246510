from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.errors import InputError
from allpass.papers.pages.csv_file import csv_text, parse_csv, read_rows, write_rows

tricky = st.sampled_from(
    ["", "true", "1", "-0", "1.0", "nan", "inf", "1e5", "1_0", " 1", '"', ",", "\r", "\n"]
)
words = tricky | st.text() | st.text(alphabet='",\r\n1.etrufalsn-')
cells = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | words


@st.composite
def tables(draw: st.DrawFn, width: int = 1) -> list[dict[str, object]]:
    names = draw(st.lists(words, min_size=width, max_size=4, unique=True))
    line = st.tuples(*[cells] * len(names))
    return [dict(zip(names, row, strict=True)) for row in draw(st.lists(line, min_size=1, max_size=4))]


@given(tables())
def test_rows_come_back_exactly(rows: list[dict[str, object]]) -> None:
    found = parse_csv(csv_text(rows))
    assert repr(found) == repr(rows)  # tells 1 from 1.0 and True, and a NaN is itself


@given(tables(width=2))  # a line with one empty cell is an empty line
def test_other_readers_see_the_same_texts(rows: list[dict[str, object]]) -> None:
    read = list(csv.reader(io.StringIO(csv_text(rows), newline="")))
    assert read[0] == list(rows[0])
    for line, row in zip(read[1:], rows, strict=True):
        for cell, value in zip(line, row.values(), strict=True):
            if isinstance(value, str):
                assert cell == value
            elif value is None:
                assert cell == ""
            elif isinstance(value, bool):
                assert cell == str(value).lower()
            else:
                assert cell == repr(value)


def test_a_file_round_trip(tmp_path: Path) -> None:
    rows = [{"row": "GCN", "runs": 10, "mean": 81.0, "rerun": None, "quick": False, "note": ""}]
    path = write_rows(rows, tmp_path / "rows.csv")
    assert path.read_bytes() == b'row,runs,mean,rerun,quick,note\nGCN,10,81.0,,false,""\n'
    assert read_rows(path) == rows


def test_line_ends_of_other_systems() -> None:
    assert parse_csv("a,b\r\n1,x\r\n") == [{"a": 1, "b": "x"}]


def test_no_rows(tmp_path: Path) -> None:
    assert read_rows(write_rows([], tmp_path / "rows.csv")) == []


def test_numbers_of_numpy_are_numbers() -> None:
    assert csv_text([{"a": np.float64(0.5)}]) == "a\n0.5\n"


def test_rows_of_other_names_are_refused() -> None:
    with pytest.raises(InputError, match=r"Row 2 has the names b; the first one has a\."):
        csv_text([{"a": 1}, {"b": 2}])


def test_what_is_no_cell_is_refused() -> None:
    with pytest.raises(InputError, match=r"Got \[1\] of the type 'list'"):
        csv_text([{"a": [1]}])  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b\n1\n", "row 1 has 1 cells under 2 names"),
        ('a\n"x', "a quote is out of place near '\"x'"),
        ('a\nx"y\n', "a quote is out of place"),
        ("a,b\n1,", "it ends within a row"),
    ],
)
def test_broken_files_say_where(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=rf"rows\.csv: {problem}"):
        read_rows(path)


def test_missing_and_binary_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_rows(tmp_path / "none.csv")
    (tmp_path / "rows.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_rows(tmp_path / "rows.csv")
