from __future__ import annotations

from xml.etree import ElementTree

import pytest
from tools.drawing import Box, Drawing, across, down, spoke, text_width


def elements(drawing, tag):
    return [part for part in ElementTree.fromstring(drawing.svg()) if part.tag.endswith(f"}}{tag}")]


def test_a_box_is_as_wide_as_its_text_and_the_page_holds_all():
    d = Drawing("two", "Two boxes.")
    short, long = d.box(0, 0, "a"), d.box(0, 100, "a long label", "and a second line")
    assert short.width < long.width
    assert short.height < long.height
    left, top, width, height = map(float, ElementTree.fromstring(d.svg()).attrib["viewBox"].split())
    assert left < long.left[0]
    assert left + width > long.right[0]
    assert top < short.top[1]
    assert top + height > long.bottom[1]


def test_marks_are_shifted_and_come_back():
    d = Drawing("marks", "Marks.")
    d.text(0, 0, "H_{l+1} = A^k & b")
    (text,) = elements(d, "text")
    assert "".join(text.itertext()) == "Hl+1 = Ak & b"
    shifts = [float(part.attrib["dy"]) for part in text]
    assert sum(shifts) == pytest.approx(0, abs=0.11)
    assert shifts[0] > 0 > shifts[2]


def test_two_marks_in_a_row_do_not_pile_up():
    d = Drawing("marks", "Marks.")
    d.text(0, 0, "H_l^k")
    (text,) = elements(d, "text")
    below, above = (float(part.attrib["dy"]) for part in text)
    assert below > 0
    assert below + above < 0


def test_small_letters_are_narrow():
    assert text_width("il") < text_width("mw")
    assert text_width("H_L") < text_width("HL")


def test_ways_between_boxes():
    first, level, lower = Box(0, 0, 20, 10), Box(100, 0, 20, 10), Box(100, 60, 20, 10)
    assert across(first, level) == ((10, 0), (90, 0))
    assert across(first, lower) == ((10, 0), (50, 0), (50, 60), (90, 60))
    assert down(first, Box(0, 60, 20, 10)) == ((0, 5), (0, 55))
    assert down(first, lower) == ((0, 5), (0, 30), (100, 30), (100, 55))
    assert down(first, Box(40, 60, 200, 10)) == ((0, 5), (0, 55))
    assert spoke(Box(0, 0, 8, 8), Box(100, 0, 18, 18)) == ((5, 0), (90, 0))


def test_boxes_that_share_an_area_touch():
    assert Box(0, 0, 20, 10).touches(Box(15, 0, 20, 10))
    assert not Box(0, 0, 20, 10).touches(Box(25, 0, 20, 10))
    assert not Box(0, 0, 20, 10).touches(Box(15, 12, 20, 10))


def test_an_arrow_ends_in_its_head_and_has_its_label():
    d = Drawing("arrow", "An arrow.")
    d.arrow((0, 0), (40, 0), (40, 30), label="f", dashed=True)
    line, head = elements(d, "path")
    assert line.attrib["d"].startswith("M0 0")
    assert line.attrib["stroke-dasharray"]
    assert head.attrib["d"].startswith("M40 30")
    assert [text.text for text in elements(d, "text")] == ["f"]
