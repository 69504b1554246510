from __future__ import annotations

import pytest

from allpass.papers.pages.head import duration, head, made, notes
from allpass.papers.pages.page import Heading, Text
from allpass.papers.tables.bars import STUDY

ROW = {
    "runs": 10,
    "tried": 0,
    "quick": False,
    "seconds": 100.0,
    "allpass": "0.1.0",
    "torch": "2.7",
    "device": "NVIDIA H100",
    "ended": "2026-11-02",
}


def lines(*rows: dict[str, object]) -> list[str]:
    _, facts = made(STUDY, rows)  # type: ignore[arg-type]
    assert isinstance(facts, Text)
    (found,) = facts.parts()
    return list(found)


def test_facts_are_computed_from_the_rows() -> None:
    other = {**ROW, "runs": 5, "seconds": 41.0, "torch": "2.8", "device": "CPU", "ended": "2026-11-01"}
    found = lines(ROW, other)
    assert found[0] == "Command for all of it: allpass reproduce acm-bars"
    assert found[1].startswith("Source: Luan")
    assert found[2:] == [
        "Reported: 15 runs in 2 rows of acm-bars.csv, 2 min 21 s of computing",
        "Made with: allpass 0.1.0, torch 2.7 and 2.8",
        "Machines: CPU, NVIDIA H100 (--device cuda)",
        "Dates: 2026-11-01 to 2026-11-02",
    ]


def test_searches_are_named() -> None:
    assert lines({**ROW, "tried": 60})[2].endswith("(searches of settings not counted)")


def test_rows_without_runs_and_without_rows() -> None:
    measured = {name: value for name, value in ROW.items() if name not in ("runs", "tried", "quick")}
    assert lines(measured)[2] == "Reported: 1 row of acm-bars.csv, 1 min 40 s of computing"
    assert lines()[2:] == []
    assert head(STUDY, []) == (Text("Nothing has been run yet."),)


def test_rows_of_metrics_share_their_runs() -> None:
    assert lines(ROW, {**ROW, "kind": "metric"})[2].startswith("Reported: 10 runs in 2 rows")


def test_quick_rows_are_called_so_first() -> None:
    rows = [ROW, {**ROW, "quick": True}]
    heading, warning = head(STUDY, rows)
    assert isinstance(heading, Heading)
    assert "QUICK" in heading.text
    assert isinstance(warning, Text)
    assert lines(*rows)[0] == "Command for all of it: allpass reproduce acm-bars --quick"
    assert head(STUDY, [ROW]) == ()


def test_notes_are_those_of_the_study_and_more() -> None:
    heading, text, *rest = notes(STUDY, [ROW], "One more.")
    assert tuple(rest) == made(STUDY, [ROW])
    assert heading == Heading("Notes")
    assert isinstance(text, Text)
    assert text.parts() == ((*STUDY.notes, "One more."),)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (59.9, "59.9 s"),
        (60, "1 min 0 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h 0 min"),
        (1e7, "2,777 h 46 min"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
