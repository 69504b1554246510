from __future__ import annotations

import json

import matplotlib.image as image
import pytest

from tools import pages, picture

RENEW = "The picture of README.md is out of date: run python -m tools.picture"


@pytest.fixture(scope="module")
def record():
    return json.loads(picture.RECORD.read_text(encoding="utf-8"))


def test_the_picture_is_drawn_as_pages_are_drawn(record):
    assert picture.drawing() == record["drawing"], RENEW


@pytest.mark.slow
def test_the_picture_shows_what_a_diagnosis_of_cora_says(record):
    assert pages.alike("\n".join(record["text"]), picture.text(picture.cora())), RENEW


def test_the_picture_ends_below_its_last_line():
    pixels = image.imread(picture.PICTURE)
    assert pixels.shape[1] == 1200
    rows = (pixels != pixels[-1, 0]).any(axis=(1, 2))
    assert not rows[-20:].any()
    assert rows[-40:].any()


def test_text_of_a_page_is_read_without_tags_and_styles():
    page = "<title>t</title><style>p { x }</style><p>A &amp; <b>B</b>\n C</p>"
    assert picture.text(page) == "A &\nB\nC"


def test_without_a_browser_it_says_how_to_get_one(monkeypatch, tmp_path):
    monkeypatch.setattr(picture, "BROWSERS", ("no-such-browser",))
    with pytest.raises(FileNotFoundError, match="Run make browser"):
        picture.screenshot("<p>hello</p>", tmp_path / "x.png")
