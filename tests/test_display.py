from __future__ import annotations

import random
from html import escape, unescape
from html.parser import HTMLParser

import pytest

from allpass import display


class Cells(HTMLParser):
    """The cells of an HTML table, row by row, with the side on which each stands."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, str]]] = []
        self.side: str | None = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.side = dict(attrs)["style"].removeprefix("text-align: ")
            self.rows[-1].append(("", self.side))

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.side = None

    def handle_data(self, data):
        if self.side is not None:
            self.rows[-1][-1] = (self.rows[-1][-1][0] + data, self.side)


def test_what_fits_is_shown_as_it_is():
    assert display.brief("Title", "one", "two") == "Title\n  one\n  two"


@pytest.mark.parametrize("seed", range(20))
def test_anything_fits_into_five_lines(seed):
    draw = random.Random(seed)
    parts = [
        " ".join("x" * draw.randint(1, 150) for _ in range(draw.randint(1, 40))) for _ in range(seed % 4 + 1)
    ]
    lines = display.brief(parts[0], *parts).splitlines()
    assert len(lines) <= 5
    assert max(map(len, lines)) <= 100


def test_what_is_left_out_is_marked():
    shown = display.brief("Title", *(f"part {number}" for number in range(9)))
    assert shown.splitlines()[-1] == "  part 3 ..."


def test_a_table_keeps_every_cell_and_puts_numbers_to_the_right():
    hostile = "<script>alert('&')</script>"
    rows = [("gcn", "88.1 ± 1.4", 0.5, ""), (hostile, "95.4 (88.0 to 100.0)", "<0.001", "2 classes")]
    found = Cells(display.table(("model", "score", "p", "reads"), rows, title=hostile)).rows
    assert [[text for text, _ in row] for row in found[1:]] == [[str(cell) for cell in row] for row in rows]
    assert [side for _, side in found[0]] == ["left", "right", "right", "left"]
    assert hostile not in display.table(("a",), [[hostile]], title=hostile)


def test_a_table_without_rows_has_its_headers():
    assert [[text for text, _ in row] for row in Cells(display.table(("a", "b"), [])).rows] == [["a", "b"]]


def test_a_frame_holds_the_document_and_runs_no_script():
    document = "<!DOCTYPE html><p class=\"a\">1 & '2'</p>"
    frame = display.framed(document)
    assert f'srcdoc="{escape(document)}"' in frame
    assert unescape(frame.split('srcdoc="')[1].split('"')[0]) == document
    assert frame.startswith("<iframe sandbox ")
