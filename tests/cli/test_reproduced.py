"""The page of a reproduction and what the terminal is told of it, from invented rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.papers.pages.invented import row_of
from tests.train.executors.tiny import Tiny

from allpass.cli import reproduced
from allpass.cli.reproduced import complain, put
from allpass.papers.pages.csv_file import read_rows
from allpass.papers.pages.page import Page, Table
from allpass.papers.runner import Failure
from allpass.papers.study import Row, Study
from allpass.papers.tables.spec import read_spec
from allpass.papers.tables.study import TableStudy


@pytest.fixture(autouse=True)
def pages(monkeypatch: pytest.MonkeyPatch) -> None:
    def page(study: Study, rows: Sequence[Row]) -> Page:
        lines = tuple((str(row["identity"]), str(row["mean"])) for row in rows)
        return Page(study.title, (Table("All runs.", ("run", "mean"), lines),), ("It holds.",))

    monkeypatch.setattr(reproduced, "PAGES", {"tiny": page, "acm-random": page})


def rows(*names: str, quick: bool = False) -> list[Row]:
    return [{"identity": name, "mean": 1.5, "quick": quick} for name in names]


def test_rows_are_put_beside_those_that_are_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(Tiny([]), rows("a", "b"), tmp_path / "new")
    assert "\n- It holds.\nAll runs.\n" in capsys.readouterr().out
    put(Tiny([]), rows("b", "c"), tmp_path / "new", shown=False)
    assert capsys.readouterr().out.startswith("3 rows; tiny.md, tiny.tex, tiny.html, tiny.csv in ")
    assert [row["identity"] for row in read_rows(tmp_path / "new" / "tiny.csv")] == ["a", "b", "c"]
    assert "It holds." in (tmp_path / "new" / "tiny.md").read_text()


def test_nothing_is_found_in_quick_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(Tiny([]), rows("a", quick=True), tmp_path)
    assert "its numbers mean nothing" in capsys.readouterr().out
    assert "It holds." not in (tmp_path / "tiny.md").read_text()


def test_numbers_of_a_table_have_their_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = read_spec("acm-random")
    settings = '{"dropout": 0.6, "hidden_channels": 64, "lr": 0.05, "weight_decay": 0.01}'
    row = row_of(spec.cell("ACM-GCN", "Texas"), "same", [94.0, 95.0]) | {
        "settings": settings,
        "identity": "a",
    }
    put(TableStudy(spec), [row], tmp_path)
    *_, legend, told, _ = capsys.readouterr().out.splitlines()
    assert legend.startswith("Settings: lr is the learning rate, wd the weight decay")
    assert told == "ACM-GCN, Texas, same: lr 0.05, wd 0.01, dropout 0.6, hidden_channels 64"
    put(TableStudy(spec), [row] * 26, tmp_path)
    assert "lr 0.05" not in capsys.readouterr().out


def test_an_error_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    complain([Failure(title, "It is away.") for title in "abcde"] + [Failure("f", "It is [bold].")])
    assert capsys.readouterr().err.splitlines() == [
        "Could not be done: a; b; c; and 2 more. It is away.",
        "Could not be done: f. It is [bold].",
    ]
