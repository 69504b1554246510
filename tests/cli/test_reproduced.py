"""The page of a reproduction and what the terminal shows of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.train.executors.tiny import Made, Tiny

from allpass.cli.reproduced import complain, put
from allpass.papers.result import read_results
from allpass.papers.runner import Failure

STUDY = Tiny([])


def rows(*names: str) -> list[Made]:
    how = {"seconds": 1.0, "allpass": "0", "torch": "2", "device": "cpu", "ended": "2026-01-01"}
    return [Made(identity=name, status="done", epoch=1, epochs=1, scores="", **how) for name in names]  # type: ignore[arg-type]


def test_rows_join_those_that_are_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(STUDY, rows("a", "b"), [], tmp_path / "new")
    out = capsys.readouterr().out
    assert out.startswith("Tiny\nrun  status\na    done")
    assert "All runs." in out
    put(STUDY, rows("b", "c"), rows("x"), tmp_path / "new", shown=False)
    assert capsys.readouterr().out.startswith("4 rows; tiny.md, tiny.csv, tiny.svg, tiny.tex in ")
    names = [row.identity for row in read_results(tmp_path / "new" / "tiny.csv", Made)]
    assert names == ["a", "b", "x", "c"]


def test_rows_of_another_version_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "tiny.csv").write_text("title,metric\nother,rows\n")
    put(STUDY, rows("a"), [], tmp_path, shown=False)
    assert read_results(tmp_path / "tiny.csv", Made) == rows("a")


def test_nothing_follows_from_quick_rows_or_from_a_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = replace(STUDY, words=replace(STUDY.words, claim="It is small.", verdict="It holds."))
    put(study, rows("a"), [], tmp_path, whole=False, quick=True)
    assert "its numbers mean nothing" in capsys.readouterr().out
    assert "It holds." not in (tmp_path / "tiny.md").read_text()
    put(study, rows("a"), [], tmp_path, whole=False)
    assert "only a part of the study" in (tmp_path / "tiny.md").read_text()
    put(study, rows("a"), [], tmp_path)
    assert "It is small. It holds." in (tmp_path / "tiny.md").read_text()


def test_an_error_is_told_once_with_the_parts_that_it_stops(capsys: pytest.CaptureFixture[str]) -> None:
    complain([Failure(f"part {number}", "No data.") for number in range(5)] + [Failure("[other]", "Broken.")])
    assert capsys.readouterr().err.splitlines() == [
        "Failed: part 0; part 1; part 2; and 2 more. No data.",
        "Failed: [other]. Broken.",
    ]
