from __future__ import annotations

import pytest

from allpass.errors import InputError
from allpass.papers.pages.page import Table, Text, Value, listed, of_kind
from allpass.papers.rank import STUDY, RankStudy
from allpass.papers.tables.study import TableStudy


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        ("one\ntwo", ("one two",)),
        ("one\n\n\ntwo", ("one", "two")),
        ("- a\n- b", (("a", "b"),)),
        ("before\n- a\n  more\n- b\nafter", ("before", ("a more", "b"), "after")),
        ("-a", ("-a",)),
    ],
)
def test_paragraphs_and_lists(text: str, parts: tuple[object, ...]) -> None:
    assert Text(text).parts() == parts


def test_lines_as_a_list() -> None:
    assert listed(["a", "b - c"]).parts() == (("a", "b - c"),)


def test_a_study_of_another_kind_is_refused() -> None:
    assert of_kind(STUDY, RankStudy) is STUDY
    with pytest.raises(
        InputError, match=r"The study 'rank' is no TableStudy\. Use the page of its own kind\."
    ):
        of_kind(STUDY, TableStudy)


def test_a_row_of_another_width_is_refused() -> None:
    with pytest.raises(InputError, match="row of 1 cells under 2 headers"):
        Table("", ("a", "b"), (("x",),))


def test_texts_are_values() -> None:
    table = Table("", ("a", "b"), (("x", Value("y", best=True)),))
    assert list(table.values()) == [(Value("x"), Value("y", best=True))]
