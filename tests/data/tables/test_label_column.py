from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from allpass.data.tables.label_column import missing_values, read_labels
from allpass.data.tables.tabular import Table
from allpass.errors import DataError, InputError


def values(
    folder: Path, labels: list[str], missing: list[str] | None = None
) -> tuple[list[Any], dict[str, int], str]:
    (folder / "n.csv").write_text("y\n" + "".join(f'"{label}"\n' for label in labels))
    read = read_labels(Table(folder / "n.csv", "node table"), "y", missing)
    plain = [None if value is None or value != value else value for value in read.values.tolist()]
    return plain, read.missing, read.values.dtype.kind


@pytest.mark.parametrize(
    ("labels", "expected", "kind"),
    [
        (["1", "0", ""], [1, 0, None], "f"),
        (["1.0", "2", "-3.5e2"], [1, 2, -350], "f"),
        (["9007199254740993", "9007199254740992", "1"], [2**53 + 1, 2**53, 1], "O"),
        (["9223372036854775808", "18446744073709551617.0"], [2**63, 2**64 + 1], "O"),
        (["01", "1", "001"], ["01", "1", "001"], "O"),
        (["0", "00"], ["0", "00"], "O"),
        (["1_0", "10"], ["1_0", "10"], "O"),
        (["True", "", "False"], ["True", None, "False"], "O"),
        (["a ", " a", "A"], ["a", "a", "A"], "O"),
        (["?", "1"], ["?", "1"], "O"),
    ],
)
def test_labels_are_what_is_written(
    tmp_path: Path, labels: list[str], expected: list[Any], kind: str
) -> None:
    assert values(tmp_path, labels) == (expected, {}, kind)


def test_words_for_a_missing_label_are_counted(tmp_path: Path) -> None:
    assert values(tmp_path, ["NA", "2", "null", "NA", ""]) == (
        [None, 2, None, None, None],
        {"NA": 2, "null": 1},
        "f",
    )
    assert values(tmp_path, ["NA", "EU"], []) == (["NA", "EU"], {}, "O")
    assert values(tmp_path, ["NA", "?", "-9", "1"], ["?", "-9"]) == (
        ["NA", None, None, "1"],
        {"?": 1, "-9": 1},
        "O",
    )


def test_written_numbers_are_numbers_where_there_are_many(tmp_path: Path) -> None:
    prices = [f"${1000 * price:,}.50" for price in range(1, 30)]
    assert values(tmp_path, [*prices, "NA"]) == (
        [1000 * k + 0.5 for k in range(1, 30)] + [None],
        {"NA": 1},
        "f",
    )
    assert read_labels(Table(tmp_path / "n.csv", "node table"), "y").written == "'$1,000.50' is 1000.5"
    assert values(tmp_path, ["10%", "20%", "10%"]) == (["10%", "20%", "10%"], {}, "O")


def test_frames_keep_their_types() -> None:
    for column, expected in (
        (pd.Series([1, 2**53 + 1]), [1, 2**53 + 1]),
        (pd.Series([2**63, 1], dtype="uint64"), [2**63, 1]),
        (pd.Series([1, None], dtype="Int64"), [1, None]),
        (pd.Series([2**60 + 1, None], dtype="Int64"), [2**60 + 1, None]),
        (pd.Series(["1", "x", None]), ["1", "x", None]),
        (pd.Series(["x", "y", "x"], dtype="category").iloc[1:], ["y", "x"]),
        (pd.Series([True, False]), [True, False]),
        (pd.Series([[1], [2]]), ["[1]", "[2]"]),
    ):
        read = read_labels(Table(pd.DataFrame({"y": column}), "node table"), "y").values.tolist()
        assert [None if value is None or value != value else value for value in read] == expected


def test_a_label_over_several_lines_is_refused(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text('id,y\na,"x\nb,y"\nc,z\n')
    with pytest.raises(DataError, match=r"column 'y' .* starts in line 2 and goes on in the next line"):
        read_labels(Table(tmp_path / "n.csv", "node table"), "y")


def test_how_missing_values_are_given() -> None:
    assert missing_values(None) is None
    assert missing_values("NA, ?") == ["NA", "?"]
    assert missing_values("") == [""]
    assert missing_values([-1, "x"]) == ["-1", "x"]
    with pytest.raises(InputError, match="missing_labels"):
        missing_values([None])  # type: ignore[list-item]


def test_labels_of_any_size_are_read_at_once() -> None:
    labels = np.arange(50_000) % 7
    assert (
        read_labels(Table(pd.DataFrame({"y": labels}), "node table"), "y").values.tolist() == labels.tolist()
    )
