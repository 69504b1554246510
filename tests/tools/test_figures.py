from __future__ import annotations

from xml.etree import ElementTree

import matplotlib as mpl

from tools import figures


def test_a_figure_is_drawn_the_same_twice(tmp_path):
    mpl.use("agg")
    (path,) = figures.draw(tmp_path, [figures.filters])
    first = path.read_bytes()
    figures.draw(tmp_path, [figures.filters])
    assert path.read_bytes() == first
    assert [p.name for p in tmp_path.iterdir()] == ["filters.svg"]
    assert ElementTree.fromstring(first).tag.endswith("svg")


def test_the_pages_show_every_figure_there_is():
    text = "".join(path.read_text(encoding="utf-8") for path in (figures.ROOT / "docs").rglob("*.md"))
    shown = [path for path in figures.IMAGES.iterdir() if path.suffix != ".json"]  # the record of a picture
    assert all(f"images/{path.name}" in text for path in shown)
