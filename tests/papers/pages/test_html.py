from __future__ import annotations

import itertools
import re

from hypothesis import given, settings
from tests.papers.pages.samples import HOSTILE, PAGE, texts
from tests.report.test_page import Outline

from allpass.papers.pages.html import html
from allpass.papers.pages.page import Heading, Page, Picture, Table, Text, Value
from allpass.report.wording import clean


def test_a_whole_page_that_needs_nothing_from_outside() -> None:
    text = html(PAGE)
    outline = Outline(text)
    assert outline.open == []
    assert outline.tags.count("h1") == 1
    assert outline.tags.count("table") == 2
    assert outline.tags.count("svg") == 1
    levels = [level for level, _ in outline.headings]
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert "script" not in outline.tags
    assert "img" not in outline.tags
    linked = [value for name, value in outline.attributes if name in ("src", "href")]
    assert all(value is not None and value.startswith("#") for value in linked)
    assert not re.search(r"url\((?!#)", text)


def test_the_same_page_gives_the_same_text() -> None:
    assert html(PAGE) == html(PAGE)


@settings(max_examples=25)
@given(texts)
def test_text_stays_text(text: str) -> None:
    outline = Outline(html(Page(text, (Heading(text), Table(text, (text,), ((text,),))))))
    assert outline.open == []
    assert set(outline.tags) <= {
        *(
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "a",
            "div",
            "header",
            "p",
            "span",
            "main",
            "h1",
            "h2",
        ),
        *("figure", "figcaption", "table", "thead", "tbody", "tr", "th"),
    }
    assert " ".join(outline.headings[0][1].split()) == " ".join(clean(text).split())


def test_shades_are_colours_of_the_theme_and_the_best_is_bold() -> None:
    row = ("a", Value("1", best=True, shade=1.0), Value("2", shade=0.0), Value("3", shade=0.5), Value("4"))
    text = html(Page("t", (Table("c", ("m", "p", "q", "r", "s"), (row,)),)))
    assert 'style="background: color-mix(in srgb, var(--best) 45%, var(--panel))"><b>1</b></td>' in text
    assert 'style="background: color-mix(in srgb, var(--worst) 45%, var(--panel))">2</td>' in text
    assert "<td>3</td>" in text
    assert "<td>4</td>" in text


def test_ids_of_two_pictures_do_not_meet() -> None:
    picture = next(block for block in PAGE.blocks if isinstance(block, Picture))
    outline = Outline(html(Page("t", (picture, Text("between"), picture))))
    ids = [value for name, value in outline.attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_hostile_texts_are_shown() -> None:
    shown = " ".join(Outline(html(PAGE)).text)
    assert HOSTILE[0] in shown
    assert HOSTILE[2] in shown
