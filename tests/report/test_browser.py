"""The page as a reader meets it: in a real browser, on a wide screen, a phone, in the dark and on paper."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from matplotlib.image import imread

pytestmark = pytest.mark.browser

BACKGROUND = "getComputedStyle(document.body).backgroundColor"
FILL = "getComputedStyle(document.querySelector('#classes svg path[style*=--low]')).fill"
WIDEST = """Math.max(...[...document.querySelectorAll('body *')]
    .filter(e => !e.closest('details') && !e.closest('.skip') && e.getClientRects().length)
    .map(e => e.getBoundingClientRect().right))"""


@pytest.fixture(scope="module")
def files(pages, tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in pages}


def test_loads_without_complaint_and_asks_for_nothing_else(browser, files):
    for path in files.values():
        browser.open(path)
        methods = [event["method"] for event in browser.events]
        assert "Log.entryAdded" not in methods
        assert "Runtime.exceptionThrown" not in methods
        assert "Runtime.consoleAPICalled" not in methods
        asked = [
            e["params"]["request"]["url"]
            for e in browser.events
            if e["method"] == "Network.requestWillBeSent"
        ]
        assert asked == [path.as_uri()]


def test_hostile_names_stay_text(browser, files):
    browser.open(files["hostile names"])
    assert browser.evaluate("document.querySelectorAll('script, img').length") == 0
    assert browser.evaluate("document.querySelector('h1').textContent") == "<script>alert(1)</script>"


@pytest.mark.parametrize("width", [360, 700, 1280])
def test_nothing_runs_over_the_edge(browser, files, width: int):
    for name, path in files.items():
        browser.open(path, width)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width, name
        assert browser.evaluate(WIDEST) <= width, name


def test_tables_of_numbers_open_by_keyboard_and_scroll_within_themselves(browser, files):
    browser.open(files["forty classes"], 360)
    browser.evaluate("document.querySelector('#mixing summary').focus()")
    for kind in ("keyDown", "keyUp"):
        browser.ask(
            "Input.dispatchKeyEvent",
            type=kind,
            key="Enter",
            code="Enter",
            windowsVirtualKeyCode=13,
            text="\r",
        )
    assert browser.evaluate("document.querySelector('#mixing details').open")
    assert browser.evaluate("(e => e.scrollWidth > e.clientWidth)(document.querySelector('#mixing .scroll'))")
    assert browser.evaluate("document.documentElement.scrollWidth") <= 360


def test_dark_and_light_differ_and_figures_follow(browser, files):
    seen = {}
    for dark in (False, True):
        browser.open(files["plain"], dark=dark)
        picture = imread(io.BytesIO(browser.screenshot()))[..., :3]
        seen[dark] = browser.evaluate(BACKGROUND), browser.evaluate(FILL), float(picture.mean())
    assert seen[False][0] != seen[True][0]
    assert seen[False][1] != seen[True][1]
    assert seen[False][2] > 0.8
    assert seen[True][2] < 0.3


def test_paper_is_white_even_in_the_dark(browser, files):
    browser.open(files["plain"], dark=True, media="print")
    assert browser.evaluate(BACKGROUND) == "rgb(255, 255, 255)"
    assert browser.evaluate(FILL) == "rgb(38, 113, 179)"


def test_every_id_is_used_once_and_every_picture_is_named(browser, files):
    for path in files.values():
        browser.open(path)
        assert (
            browser.evaluate(
                "(ids => ids.length - new Set(ids).size)([...document.querySelectorAll('[id]')].map(e => e.id))"
            )
            == 0
        )
        assert browser.evaluate(
            "[...document.querySelectorAll('svg[role=img]')].every(s => s.querySelector('title')?.textContent.trim())"
        )
        assert browser.evaluate(
            "[...document.querySelectorAll('svg:not([role=img])')].every(s => s.ariaHidden)"
        )
