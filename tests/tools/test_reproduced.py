"""The pages of docs/results are what the rows beside them give."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.train.writers import run

from allpass.papers.catalogue import STUDIES
from allpass.papers.pages.catalogue import PAGES
from allpass.papers.pages.tables.agreement import count
from allpass.papers.pages.tables.cells import Results
from allpass.papers.pages.tables.missed import missed, reason_of
from allpass.papers.study import Plan, Row, Study, merged
from allpass.train.runs.store import Store
from tools import reproduced

ONE = "homophily"
"""A study whose page is made in a moment."""


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the folder with one study, where one may do harm."""
    folder = tmp_path / "docs" / "results"
    folder.mkdir(parents=True)
    for path in reproduced.FOLDER.glob(f"{ONE}*"):
        shutil.copy(path, folder)
    monkeypatch.setattr(reproduced, "ROOT", tmp_path)
    for module in ("reproduced", "kept"):
        monkeypatch.setattr(f"tools.{module}.FOLDER", folder)
    monkeypatch.setattr(reproduced, "STUDIES", {ONE: STUDIES[ONE]})
    (folder / "index.md").write_text(reproduced.index(reproduced.pages()))
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
def test_rows_are_told_apart(name: str) -> None:
    rows = reproduced.kept(name)
    assert merged(STUDIES[name], rows, ()) == rows == reproduced.current(name)
    assert not any(row.get("quick") for row in rows)  # those mean nothing


def test_a_part_is_renewed_with_its_study_and_after_it() -> None:
    assert reproduced.asked(["acm-random"]) == ["acm-random", "acm-bars"]
    assert reproduced.asked(["acm-bars", "rank"]) == ["rank", "acm-bars"]
    assert sorted(reproduced.asked(list(STUDIES))) == sorted(STUDIES)


def test_a_part_of_a_study_has_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = reproduced.kept("acm-random")
    inside = {
        "row": "GCN",
        "column": "Film",
        "kind": "same",
    }
    newer = [{**row, "mean": 1.0} if row.items() >= inside.items() else row for row in whole]
    monkeypatch.setattr(reproduced, "kept", lambda name: newer if name == "acm-random" else [])
    found = {(row["row"], row["column"], row["kind"]): row for row in reproduced.current("acm-bars")}
    assert found["GCN", "Film", "same"]["mean"] == 1.0
    assert {column for _, column, _ in found} == {
        "Cornell",
        "Wisconsin",
        "Texas",
        "Film",
        "Chameleon",
        "Squirrel",
    }
    assert len(found) < len(whole)


def test_the_first_page_gives_the_share_of_every_acm_table_and_how_many_have_no_reason() -> None:
    first, by_table, *_ = reproduced.agreement()
    found = {name: Results(STUDIES[name], reproduced.kept(name)) for name in reproduced.ACM}
    counts = {name: count(table, only="ACM") for name, table in found.items()}
    agree, judged = (sum(getattr(one, what) for one in counts.values()) for what in ("agree", "judged"))
    assert first.startswith(
        f"At the published settings, {agree} of {judged} ACM cells ({agree / judged:.0%}) agree"
    )
    for name, one in counts.items():
        assert f"{name} {one.agree} of {one.judged} ({one.agree / one.judged:.0%})" in by_table
    others = [(table, cell, row) for table in found.values() for cell, row in missed(table, "ACM")]
    assert len(others) == judged - agree
    words = Counter(reason_of(*other) for other in others)
    assert f"Of all of them {len(others)} do not agree" in by_table
    for word in set(words) - {""}:
        assert f"{word} ({words[word]})" in by_table
    assert ("without any reason" in by_table) is ("" in words)


def test_without_acm_tables_the_first_page_says_nothing_of_them(copied: Path) -> None:
    assert reproduced.agreement() == []
    assert "ACM in short" not in (copied / "index.md").read_text()


def test_every_study_is_known_here() -> None:
    assert STUDIES.keys() == PAGES.keys()


@pytest.mark.parametrize("name", ["homophily.md", "homophily-conventions.svg", "index.md"])
def test_a_changed_byte_of_a_page_or_picture_is_found(copied: Path, name: str) -> None:
    path = copied / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert reproduced.stale() == [path]


def test_a_changed_row_is_found_on_its_page(copied: Path) -> None:
    rows = reproduced.kept(ONE)
    changed = next(row for row in rows if row["title"] == "Cora" and row["metric"] == "edge_homophily")
    assert isinstance(changed["definition"], float)
    changed["definition"] += 0.125
    (copied / "homophily.csv").write_text(reproduced.csv_text(rows))
    assert copied / "homophily.md" in reproduced.stale()


def test_a_missing_row_is_found_in_the_index_too(copied: Path) -> None:
    lines = (copied / "homophily.csv").read_text().splitlines(keepends=True)
    (copied / "homophily.csv").write_text("".join(lines[:-1]))
    assert copied / "index.md" in reproduced.stale()


def test_files_of_nothing_and_files_that_are_gone_are_found(copied: Path) -> None:
    (copied / "homophily.md").unlink()
    for name in ("left-over.svg", "left-over.csv"):
        (copied / name).write_text("")
    assert [path.name for path in reproduced.stale()] == ["homophily.md", "left-over.csv", "left-over.svg"]


def test_rows_that_are_written_otherwise_are_found(copied: Path) -> None:
    path = copied / "homophily.csv"
    path.write_text(path.read_text().replace("Cora,", '"Cora",', 1))
    assert reproduced.stale() == [path]


def test_new_rows_take_the_place_of_those_of_their_cell() -> None:
    before = reproduced.kept(ONE)
    newer = {**before[1], "seconds": 99.0}
    more = {**before[0], "title": "nowhere"}
    assert merged(STUDIES[ONE], before, [more, newer]) == [before[0], newer, *before[2:], more]


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


def test_the_command_takes_rows_from_a_store(
    copied: Path, call: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = reproduced.kept(ONE)
    with Store(tmp_path / "runs.db") as store:
        store.add_many([run(1), run(2)])

    def newer(_: Study, plan: Plan, store: Store) -> list[Row]:
        assert plan == Plan()
        return [{**row, "ended": "2099-12-31"} for row in before[: len(store)]]

    monkeypatch.setattr(type(STUDIES[ONE]), "rows", newer)
    monkeypatch.setattr(reproduced, "STUDIES", {ONE: STUDIES[ONE]})
    call("--store", str(tmp_path / "runs.db"))
    after = reproduced.kept(ONE)
    assert [row["ended"] for row in after[:2]] == ["2099-12-31"] * 2
    assert after[2:] == before[2:]
    assert "2099-12-31" in (copied / "index.md").read_text()
    assert reproduced.stale() == []
