from __future__ import annotations

import pytest

from tools import blocks

PAGE = "Top\n<!-- generated: one -->\nold\n<!-- end: one -->\nmiddle\n<!-- generated: two -->\n<!-- end: two -->\n"


def test_names_and_places():
    assert blocks.names(PAGE) == ["one", "two"]
    assert [PAGE[start:].splitlines()[0] for _, start in blocks.starts(PAGE)] == [
        "<!-- generated: one -->",
        "<!-- generated: two -->",
    ]


def test_fill_renews_what_has_content_and_leaves_the_rest():
    new = blocks.fill(PAGE, lambda name: "fresh\n" if name == "two" else None)
    assert "old" in new
    assert "<!-- generated: two -->\nfresh\n<!-- end: two -->\n" in new
    assert blocks.fill(new, lambda name: "fresh" if name == "two" else None) == new


def test_an_unclosed_block_is_an_error():
    with pytest.raises(ValueError, match="'one' has no end marker"):
        blocks.names("<!-- generated: one -->\ntext")


def test_a_bar_does_not_break_a_table():
    assert blocks.table(("a", "b>"), [("x|y", 1)]) == "| a | b |\n| --- | --: |\n| x\\|y | 1 |"
