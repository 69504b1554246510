"""Rows and their file: whatever is written is read again, to the last byte and with its type."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.errors import InputError
from allpass.papers import STUDIES
from allpass.papers.result import Cell, Result, csv_text, merged, parse_csv, read_results
from allpass.papers.tables.result import Accuracy

FOLDER = Path(__file__).parents[2] / "docs" / "results"
MADE = {"seconds": 1.5, "allpass": "0.1.0", "torch": "2.6", "device": "CPU", "ended": "2026-11-19"}


@dataclass(frozen=True, kw_only=True)
class Row(Result):
    """Any two cells."""

    place: ClassVar[tuple[str, ...]] = ("name",)

    name: Cell
    value: Cell


def row(name: Cell, value: Cell) -> Row:
    return Row(name=name, value=value, **MADE)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.csv")))
def test_every_committed_file_is_written_again_byte_for_byte(name: str) -> None:
    path = FOLDER / f"{name}.csv"
    assert csv_text(read_results(path, STUDIES[name].result)).encode() == path.read_bytes()


CELLS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8"))
)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4))
def test_cells_keep_their_types(cells: list[tuple[Cell, Cell]]) -> None:
    rows = [row(*pair) for pair in cells]
    found = parse_csv(csv_text(rows), Row)
    assert found == rows
    assert [type(one.value) for one in found] == [type(one.value) for one in rows]


def test_own_columns_come_first() -> None:
    assert csv_text([row("a", None)]).splitlines()[0] == "name,value,seconds,allpass,torch,device,ended"
    assert csv_text([]) == ""


def test_newer_rows_take_the_places_of_older_ones() -> None:
    old = [row("a", 1), row("b", 2)]
    assert merged(old, [row("c", 4), row("a", 3)]) == [row("a", 3), row("b", 2), row("c", 4)]


def test_a_variant_is_a_field_and_a_prefix_in_the_file_alone() -> None:
    rows = read_results(FOLDER / "acm-random.csv", Accuracy)
    found = {(one.variant, one.row) for one in rows if one.variant}
    assert ("Alpha 0.9", "APPNP") in found
    assert not any(": " in one.row for one in rows)
    assert {one.kind for one in rows} == {"same", "seeds", "fresh", "tuned"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name,other\na,1\n", "not those of this version"),
        ("name,value,seconds,allpass,torch,device,ended\na,1\n", "not those of this version"),
        ('name,value\n"a"b,1\n', "A quote is misplaced near"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=f"rows.csv: .*{problem}"):
        read_results(path, Row)


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_results(tmp_path / "rows.csv", Row)
    with pytest.raises(InputError, match="Cannot read"):
        read_results(tmp_path, Row)
    assert read_results(tmp_path / "missing.csv", Row) == []
