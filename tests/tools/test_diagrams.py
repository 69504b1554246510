from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest
from tools.drawing import PADDING, text_width

from tools import diagrams


@pytest.mark.parametrize("make", diagrams.DIAGRAMS, ids=lambda make: make.__name__)
def test_a_diagram_is_readable(make):
    drawing = make()
    for first, second in combinations(drawing.boxes, 2):
        assert not first.touches(second), f"{first.text!r} lies on {second.text!r}"
    for box in drawing.boxes:
        longest = max((text_width(word) for word in box.text.split()), default=0)
        assert longest <= box.width - PADDING, f"{box.text!r} is wider than its box"
    root = ElementTree.fromstring(drawing.svg())
    names = {child.tag.split("}")[1]: child.text for child in root}
    assert names["title"]
    assert names["desc"].endswith(".")
    assert float(root.attrib["width"]) < 800  # what the site shows without shrinking the letters much


def test_the_files_are_what_the_code_draws(tmp_path):
    for path in diagrams.draw(tmp_path):
        kept = diagrams.IMAGES / path.name
        assert kept.read_bytes() == path.read_bytes(), f"{path.name}: run python -m tools.diagrams"
