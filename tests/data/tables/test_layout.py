from __future__ import annotations

from pathlib import Path

import pytest

from allpass.data.tables.layout import SPACES, Layout, is_number, read_layout, split_row
from allpass.errors import DataError


def layout(folder: Path, text: str, name: str = "t.csv") -> Layout:
    (folder / name).write_bytes(text.encode())
    return read_layout(folder / name)


@pytest.mark.parametrize(
    ("text", "name", "separator", "first"),
    [
        ("a,b\n", "t.csv", ",", ["a", "b"]),
        ('"a;x",b;c\n', "t.csv", ",", ["a;x", "b;c"]),
        ('"last, first";id\n', "t.csv", ";", ["last, first", "id"]),
        ("a\t b \n", "t.tsv", "\t", ["a", "b"]),
        ("a  b c \n", "t.txt", SPACES, ["a", "b", "c"]),
        ('"a b" c\n', "t.txt", SPACES, ["a b", "c"]),
        ("a b\n", "t.csv", ",", ["a b"]),
        ("sep=;\na,x;b\n", "t.csv", ";", ["a,x", "b"]),
        ('"a\nb",c\n1,2\n', "t.csv", ",", ["a\nb", "c"]),
        ('a"x,b\n', "t.csv", ",", ['a"x', "b"]),
    ],
)
def test_the_first_row(tmp_path: Path, text: str, name: str, separator: str, first: list[str]) -> None:
    found = layout(tmp_path, text, name)
    assert (found.separator, found.first) == (separator, first)


@pytest.mark.parametrize("above", ["", "\n", "\r", "\r\r\n", "\n\r", "# x\n#\n", "\r# x\r\n", "  \n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_start_where_the_first_one_does(tmp_path: Path, above: str, mark: str, end: str) -> None:
    text = f"{mark}{above}é,b{end}1,2{end}"
    found = layout(tmp_path, text)
    assert text.encode()[found.start :].decode().startswith("é,b")
    assert text.encode()[found.after :].decode() == f"1,2{end}"
    # The number of lines as an editor counts them, in which \r\n is one line break.
    lines = (mark + above).replace("\r\n", "\n").replace("\r", "\n").count("\n")
    assert (found.line, found.rows_line) == (lines + 1, lines + 2)


def test_headers_of_numbers(tmp_path: Path) -> None:
    found = layout(tmp_path, "0,1,2\n")
    assert found.all_numbers
    assert found.counted
    assert not found.written_index
    found = layout(tmp_path, ",0,1\n")
    assert found.written_index
    found = layout(tmp_path, "1,,3\n")
    assert found.all_numbers
    assert not found.counted
    assert not layout(tmp_path, "id,0,1\n").all_numbers


def test_numbers() -> None:
    assert all(map(is_number, ["1", "-1", "+1.5", ".5", "1.", "1e-3", "1E5"]))
    assert not any(map(is_number, ["", "1_000", "nan", "inf", "0x1F", "１", "1,5", "-", "1 2"]))


def test_a_quote_in_the_header_that_is_not_closed(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"quote that opens in line 2 .* is not closed there, but in line 4, or never"
    ):
        layout(tmp_path, '\n"a,b\n1,2\n3,4\n')


def test_rows_are_split_as_pandas_does() -> None:
    assert split_row('a, "b ""c""",d\n', ",") == ["a", 'b "c"', "d"]
    assert split_row("a \t b\t\n", SPACES) == ["a", "b"]
