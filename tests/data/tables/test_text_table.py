from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from allpass.data.account import Account
from allpass.data.tables.text_table import TextTable
from allpass.errors import DataError


def table(folder: Path, text: str, name: str = "t.csv") -> TextTable:
    (folder / name).write_bytes(text.encode())
    return TextTable(folder / name, "the table")


def notes(read: TextTable) -> dict[str, str]:
    account = Account()
    read.write_notes(account)
    return {note.code: note.what for note in account}


def test_columns_are_read_as_values_or_as_written(tmp_path: Path) -> None:
    read = table(tmp_path, "id,n\n007,1\nNA,NA\n,2\n")
    frame = read.read(["n", "id"], ["id"])
    assert list(frame.columns) == ["n", "id"]
    assert frame["n"].isna().tolist() == [False, True, False]
    assert frame["id"].fillna("missing").tolist() == ["007", "NA", "missing"]
    assert read.read(["n"], ["n"])["n"].tolist() == ["1", "NA", "2"]
    assert notes(read) == {}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
@pytest.mark.parametrize("above", ["", "\r", "\n\r\n", "# about\r", "\ufeff", "\ufeff\r"])
def test_no_row_is_lost_whatever_ends_the_lines(tmp_path: Path, above: str, end: str) -> None:
    text = above + end.join(["u,v", "a,b", "c,d", "e,f"])
    assert table(tmp_path, text).read(["u", "v"]).to_numpy().tolist() == [["a", "b"], ["c", "d"], ["e", "f"]]


def test_comment_lines_inside_are_skipped_and_named(tmp_path: Path) -> None:
    read = table(tmp_path, "u v\na b\n# section two\nb c\n# x\n", "t.txt")
    assert len(read.read(["u"])) == 2
    assert notes(read) == {
        "comment-lines": "Skipped 2 comments inside the table. The first is line 3: '# section two'."
    }


def test_ids_that_start_with_a_hash_stay_and_are_named(tmp_path: Path) -> None:
    read = table(tmp_path, "u,v\n#cats,#dogs\nbirds,#cats\n")
    assert read.read(["u"])["u"].tolist() == ["#cats", "birds"]
    assert notes(read) == {
        "hash-rows": "1 line of the table with a # in front: read as data. The first is line 2: '#cats,#dogs'."
    }


def test_short_rows_are_named(tmp_path: Path) -> None:
    read = table(tmp_path, "id,age,label\na,1,x\nb,2\nc\n")
    assert read.read(["label"])["label"].isna().tolist() == [False, True, True]
    assert notes(read)["short-rows"] == (
        "Too few fields in 2 rows of the table: the others were read as empty. The first is line 3: 'b,2'."
    )
    every = table(tmp_path, "id,age,label\na,1\nb,2\n")
    assert every.read(["label", "id"])["label"].isna().all()
    assert len(every.read(["label"])) == 2


def test_a_separator_at_the_end_of_every_row_is_no_field(tmp_path: Path) -> None:
    read = table(tmp_path, "a,b\n1,2,\n3,4,\n")
    assert read.read(["a", "b"]).to_numpy().tolist() == [[1, 2], [3, 4]]
    assert notes(read) == {}


def test_a_repeated_header_is_skipped_and_named(tmp_path: Path) -> None:
    read = table(tmp_path, "u,v\na,b\nu,v\nc,d\n")
    assert read.read(["u"])["u"].tolist() == ["a", "c"]
    assert notes(read)["repeated-headers"] == "Skipped 1 repeat of the header of the table, in line 3."


@pytest.mark.parametrize("header", ["id,label,label", "id,label, label", 'id,label,"label"'])
def test_columns_of_the_same_name_are_refused(tmp_path: Path, header: str) -> None:
    with pytest.raises(DataError, match=r"Several columns of the table are called 'label'\. Rename"):
        table(tmp_path, f"{header}\na,0,1\n")


def test_the_first_row_can_be_read_both_ways(tmp_path: Path) -> None:
    read = table(tmp_path, "0,1\n1,0\n")
    assert read.headless
    assert len(read.read(["column 1"])) == 2
    assert notes(read)["no-header"].endswith("was read as data, not as column names: '0', '1'.")
    read.read_first_row(as_names=True)
    assert read.read(["0"])["0"].tolist() == [1]
    assert table(tmp_path, ",0,1\n0,a,b\n").columns == ["Unnamed: 0", "0", "1"]
    assert table(tmp_path, "1,,3\n").headless


def test_blank_lines_in_a_table_of_one_column_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Line 3 of the table is blank"):
        table(tmp_path, "label\nx\n\ny\n").read(["label"])
    assert len(table(tmp_path, "label\nx\n\n\n").read(["label"])) == 1
    assert table(tmp_path, 'label\nx\n""\ny\n').read(["label"])["label"].isna().tolist() == [
        False,
        True,
        False,
    ]


def test_an_empty_table_has_its_columns(tmp_path: Path) -> None:
    assert table(tmp_path, "a,b\n").read(["b", "a"]).equals(pd.DataFrame({"b": [], "a": []}))


def test_text_behind_a_quote_and_line_breaks_are_named(tmp_path: Path) -> None:
    read = table(tmp_path, 'id,text\na,"x" y\nb,"two\nlines"\n')
    assert read.read(["text"])["text"].tolist() == ["x y", "two\nlines"]
    assert set(notes(read)) == {"loose-quotes", "line-breaks"}
    assert read.broken_cells("id") is None
    broken = read.broken_cells("text")
    assert broken is not None
    assert broken.first == 3
