"""The pages of docs/results are what their rows give, and short enough to be read."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.train.writers import run

from allpass.papers import STUDIES
from allpass.papers.result import csv_text, merged
from allpass.train.runs.store import Store
from tools import reproduced

ONE = "homophily"
"""A study whose page is made in a moment."""

PAGES = sorted((reproduced.FOLDER).glob("*.md"))


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the folder with one study."""
    folder = tmp_path / "docs" / "results"
    folder.mkdir(parents=True)
    for path in reproduced.FOLDER.glob(f"{ONE}*"):
        shutil.copy(path, folder)
    monkeypatch.setattr(reproduced, "ROOT", tmp_path)
    monkeypatch.setattr(reproduced, "FOLDER", folder)
    monkeypatch.setattr(reproduced, "STUDIES", {ONE: STUDIES[ONE]})
    (folder / "index.md").write_text(reproduced.index(STUDIES, reproduced.facts()))
    return folder


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def inside(*words: str) -> None:
        monkeypatch.setattr(sys, "argv", ["reproduced", *words])
        reproduced.main()

    return inside


def test_every_page_is_what_its_rows_give() -> None:
    assert reproduced.stale() == []


@pytest.mark.parametrize("name", STUDIES)
def test_rows_differ_in_what_identifies_them(name: str) -> None:
    rows = reproduced.kept(name)
    assert merged(rows, ()) == rows
    assert not any(getattr(row, "quick", False) for row in rows)


def test_a_part_of_a_study_has_its_rows() -> None:
    part, whole = reproduced.kept("acm-bars"), reproduced.kept("acm-random")
    assert 0 < len(part) < len(whole)
    assert all(row in whole for row in part)


def prose(page: str) -> str:
    """A page without tables, code and links."""
    lines = [line for line in page.splitlines() if not line.startswith(("|", "!["))]
    text = re.sub(r"```.*?```", "", "\n".join(lines), flags=re.DOTALL)
    return re.sub(r"\]\([^)]*\)", "]", text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_can_be_read(path: Path) -> None:
    """At most 600 words, three tables with 60 rows together, two pictures; the answer stands in the first 60 words."""
    page = path.read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", page, flags=re.MULTILINE)
    assert len(prose(page).split()) <= 600
    assert len(tables) <= 3
    assert sum(len(table.splitlines()) - 2 for table in tables) <= 60
    assert page.count("![") <= 2
    if path.stem != "index":
        assert len(page.split("\n\n")[1].split()) <= 60


def test_all_pages_together_are_short() -> None:
    assert sum(len(prose(path.read_text(encoding="utf-8")).split()) for path in PAGES) <= 6000


def test_agreement_is_told_on_both_kinds_of_splits() -> None:
    facts = STUDIES["acm-random"].facts(reproduced.kept("acm-random"))
    for name in ("acm-random.md", "index.md"):
        page = (reproduced.FOLDER / name).read_text(encoding="utf-8")
        assert f"{facts['agree_same']} ACM means agree on the splits that chose" in page
        assert f"{facts['agree_fresh']} on fresh splits" in page


@pytest.mark.parametrize("name", ["homophily.md", "homophily.svg", "index.md"])
def test_a_changed_byte_is_found(copied: Path, name: str) -> None:
    path = copied / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert reproduced.stale() == [path]


def test_a_changed_row_is_found_on_its_page(copied: Path) -> None:
    rows = list(reproduced.kept(ONE))
    place = next(number for number, row in enumerate(rows) if row.metric == "edge_homophily")
    rows[place] = replace(rows[place], definition=0.875)
    (copied / "homophily.csv").write_text(csv_text(rows))
    assert copied / "homophily.md" in reproduced.stale()


def test_files_of_nothing_and_files_that_are_gone_are_found(copied: Path) -> None:
    (copied / "homophily.md").unlink()
    for name in ("left-over.svg", "left-over.csv"):
        (copied / name).write_text("")
    assert [path.name for path in reproduced.stale()] == ["homophily.md", "left-over.csv", "left-over.svg"]


def test_the_command_renews_what_is_stale(
    copied: Path, call: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    (copied / "homophily.md").write_text("typed")
    with pytest.raises(SystemExit) as stop:
        call("--check")
    assert stop.value.code == 1
    path = Path("docs", "results", "homophily.md")
    assert capsys.readouterr().out == f"{path} is not what its rows give\n"
    call(ONE)
    assert capsys.readouterr().out == f"homophily: {len(reproduced.kept(ONE)):,} rows\n"
    with pytest.raises(SystemExit) as stop:
        call("--check")
    assert stop.value.code == 0


def test_the_command_takes_rows_from_a_store(copied: Path, call: Callable[..., None], tmp_path: Path) -> None:
    study = STUDIES[ONE]
    before = reproduced.kept(ONE)
    with Store(tmp_path / "runs.db") as store:
        store.add(run(1))  # of another study
    call("--store", str(tmp_path / "runs.db"))
    assert csv_text(reproduced.kept(ONE)) == csv_text(before)
    assert reproduced.stale() == []
    assert study.result.place == ("title", "metric")
