"""Markdown is read back by another parser: text stays text, and tables keep their cells."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from markdown_it import MarkdownIt
from tests.papers.pages.samples import PAGE, texts

from allpass.papers.pages.markdown import markdown
from allpass.papers.pages.page import Heading, Page, Table, Text, Value
from allpass.report.wording import clean

READER = MarkdownIt("commonmark").enable("table")


def shown(html: str) -> str:
    """What a reader sees of a piece of HTML."""
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).split())


def seen(text: str) -> str:
    return " ".join(clean(text).split()) if text.strip() else ""


@given(texts)
def test_a_title_is_shown_as_it_is(text: str) -> None:
    html = READER.render(markdown(Page("t", (Heading(text),))))
    assert shown(html.split("</h1>")[1]) == seen(text)


@given(texts.filter(lambda text: text.strip()))
def test_a_paragraph_is_shown_as_it_is(text: str) -> None:
    line = " ".join(text.split())
    if line.startswith("- "):
        line = line.removeprefix("- ") or "x"
    html = READER.render(markdown(Page("t", (Text(line),))))
    body = html.split("</h1>")[1].strip()
    if not line.startswith("- "):
        assert body.startswith("<p>")
        assert shown(body) == seen(line)


@given(texts, texts)
def test_a_cell_is_shown_as_it_is(first: str, second: str) -> None:
    table = Table("c", ("a", "b"), ((first, Value(second, best=True)),))
    html = READER.render(markdown(Page("t", (table,))))
    cells = re.findall(r"<td>(.*?)</td>", html, re.DOTALL)
    assert [shown(cell) for cell in cells] == [seen(first), seen(second)]


def test_every_kind_of_block() -> None:
    text = markdown(PAGE)
    html = READER.render(text)
    assert html.count("<h1>") == 1
    assert "<h2>Numbers &amp; signs</h2>" in html
    assert "<li>two of them</li>" in html
    assert "<td><strong>81.0 ± 0.5</strong></td>" in html
    assert "<td>GCNII*</td>" in html
    assert '<img src="line.svg" alt="A line, from 0 to 1." />' in html
    assert "<script" not in html
    assert html.count("<table>") == 2
