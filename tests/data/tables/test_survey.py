from __future__ import annotations

from pathlib import Path

import pytest

from allpass.data.tables import survey as module
from allpass.data.tables.layout import SPACES
from allpass.data.tables.survey import Survey, survey, without_lines
from allpass.errors import DataError


def look(folder: Path, text: str | bytes, separator: str = ",", width: int = 2, header: str = "") -> Survey:
    path = folder / "t.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return survey(path, 0, 1, width, separator, header)


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_what_stands_in_the_rows(
    tmp_path: Path, quoted: bool, end: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK", chunk)
    monkeypatch.setattr(module, "_ROWS", 2)
    lines = ["a,b", "", "c", "#x,y", "# z", "  ", "d,e,", "p,q", "f,"]
    if quoted:
        lines[0] = '"a",b'
    found = look(tmp_path, end.join(lines), header="p,q")
    assert (found.short.count, found.short.first, found.short.text.strip()) == (1, 3, "c")
    assert [(line, certain) for line, _, certain in found.hashes] == [(4, False), (5, True)]
    assert (found.rows, found.widest, found.numeric, found.headers) == (5, 2, False, [8])
    assert (found.gaps.count, found.gaps.first) == (2, 2)


@pytest.mark.parametrize(
    ("separator", "line"), [(",", "1,2,3"), (";", "1;2;3"), ("\t", "1\t2\t3"), (SPACES, "1  2\t3 ")]
)
def test_rows_with_too_many_fields_are_refused(tmp_path: Path, separator: str, line: str) -> None:
    assert look(tmp_path, f"{line}\n\n", separator, 3).short.count == 0
    assert look(tmp_path, f"{line}\n\n", separator, 4).short.count == 1
    with pytest.raises(DataError, match=r"Line 1 of 't.csv' has 3 fields; expected 2"):
        look(tmp_path, line, separator, 2)


def test_comments_and_rows_whose_id_starts_with_a_hash(tmp_path: Path) -> None:
    def comments(text: str, above: bool = False) -> list[int]:
        return [line for line, _ in look(tmp_path, text).comments(above)]

    assert comments("a,b\n#c,d\n# e,f\n#g\n##,h\n") == [3, 4, 5]
    assert comments("1,2\n#3,4\n") == [2]
    assert comments("a,b\nb,c\n#c,d\n", above=True) == [3]
    assert comments("#a,#b\n#b,#c\nc,d\n", above=True) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a,b\n"c,d\ne,f\n', r"line 2 of 't.csv' is not closed there, but in line 3, or never"),
        ('a,b\n"c,d\n"e",f\n', r"line 2 .* but in line 3"),
        ('a,b\nc,"d', r"line 2 of 't.csv' is not closed\."),
        (b'a,b\n\xff,"d"\n', "not UTF-8"),
        ("a,b\nc,d\0\n", "holds NUL bytes"),
    ],
)
def test_quotes_and_bytes_that_are_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        look(tmp_path, text)


def test_quoted_fields_may_hold_separators_and_line_breaks(tmp_path: Path) -> None:
    found = look(tmp_path, 'a,"b,c"\nd,"e\nf"\ng,"h"\n"i" j,k\nl"m,n\n')
    assert found.rows == 5
    assert {column: (cells.count, cells.first) for column, cells in found.spread.items()} == {1: (1, 2)}
    assert (found.loose.count, found.loose.first) == (1, 5)


def test_lines_are_left_out_by_number(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"x\ra\r\nb\nc")
    assert without_lines(tmp_path / "t", 2, 2, {3}).read() == b"a\nc"
