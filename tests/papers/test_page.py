"""Pages, tables and the files of a study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pandas import DataFrame, Index
from tests.train.executors.tiny import Made, Tiny

from allpass.errors import InputError
from allpass.papers.matrix import to_latex, to_markdown
from allpass.papers.page import filled, page
from allpass.papers.publish import index, write

TINY = Tiny([])
WORDS = replace(
    TINY.words, claim="It is small.", verdict="It holds.", advice="Use it.", findings=("One.", "Two.")
)
STUDY = replace(TINY, words=WORDS)
ROWS = [
    Made(
        identity="a|b",
        status="done",
        epoch=1,
        epochs=1,
        scores="",
        seconds=1.0,
        allpass="0",
        torch="2",
        device="cpu",
        ended="2026-01-02",
    )
]


def test_a_page_has_the_answer_first_and_the_command_last() -> None:
    parts = page(STUDY, ROWS, {}).split("\n\n")
    assert parts[:3] == ["# Tiny", "It is small. It holds. Use it.", "![Tiny](tiny.svg)"]
    assert "| a&#124;b | done |" in parts[4]
    assert parts[6:8] == ["## Findings", "- One.\n- Two."]
    assert parts[9] == "```sh\nallpass reproduce tiny\n```"
    assert parts[10].endswith("All 1 rows: [tiny.csv](tiny.csv), last run 2026-01-02.\n")


def test_numbers_come_from_facts_and_a_missing_one_is_an_error() -> None:
    assert filled("tiny", "{a} of {b}", {"a": 1, "b": 2}) == "1 of 2"
    with pytest.raises(InputError, match="tiny: no fact 'c' for the sentence"):
        filled("tiny", "{c}", {"a": 1})


def test_a_table_in_both_formats() -> None:
    frame = DataFrame({"Cora_1": ["**81.0** ▼ (82 ± 1)", "5%"]}, index=Index(["GCN", "A&B"], name="model"))
    assert to_markdown(frame).splitlines()[2] == "| GCN | **81.0** ▼ (82 ± 1) |"
    text = to_latex(frame, "In %")
    assert r"GCN & \textbf{81.0} $\downarrow$ (82 $\pm$ 1) \\" in text
    assert r"A\&B & 5\% \\" in text
    assert r"\caption{In \%}" in text
    assert r"Cora\_1" in text


def test_files_are_written_beside_each_other(tmp_path: Path) -> None:
    paths = write(STUDY, ROWS, tmp_path / "new")
    assert [path.name for path in paths] == ["tiny.md", "tiny.csv", "tiny.svg", "tiny.tex"]
    assert all(path.stat().st_size for path in paths)


def test_the_index_has_a_row_for_each_study_that_was_run() -> None:
    text = index({"tiny": STUDY, "other": STUDY}, {"tiny": {}})
    assert text.count("\n| [") == 1
    assert "| [tiny](tiny.md) | Tiny | It holds. |" in text
