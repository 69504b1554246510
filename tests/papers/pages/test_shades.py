from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.papers.pages.html import html
from allpass.papers.pages.latex import latex
from allpass.papers.pages.markdown import markdown
from allpass.papers.pages.page import Page, Table
from allpass.papers.pages.shades import LEAST, SCALE, STRONGEST, captioned, on_white, shaded, tint
from allpass.report.theme import COLOURS


@given(st.lists(st.none() | st.floats(0, 100), min_size=1))
def test_the_best_is_bold_and_shades_are_places_around_the_middle(numbers: list[float | None]) -> None:
    values = shaded(numbers, [str(number) for number in numbers])
    known = [number for number in numbers if number is not None]
    assert [value.text for value in values] == [str(number) for number in numbers]
    for number, value in zip(numbers, values, strict=True):
        assert value.best == (number is not None and len(known) > 1 and number == max(known))
        if number is None or max(known) == min(known):
            assert value.shade is None
        else:
            low, high = min(known), max(known)
            assert value.shade == pytest.approx(0.5 + (number - (low + high) / 2) / max(high - low, LEAST))
            assert 0 <= value.shade <= 1


def test_numbers_that_are_close_look_alike() -> None:
    wide, close = (shaded([low, 90.0], ["", ""]) for low in (90.0 - LEAST, 89.9))
    assert [value.shade for value in wide] == [0.0, 1.0]
    assert [tint(value.shade or 0.0)[1] for value in close] == [1, 1]  # of 45 percent


def test_what_has_no_number_sets_no_scale() -> None:
    without, alone = shaded([80.0, None, 90.0], ["80", "(20)", "90"]), shaded([80.0, 90.0], ["80", "90"])
    assert (without[0], without[2]) == alone
    assert without[1].shade is None


def test_a_caption_tells_of_colour_where_there_is_some() -> None:
    plain = Table("Means.", ("row", "one"), (("a", "1"),))
    coloured = Table.of_columns("Means.", ("row", "one"), ["a", "b"], [shaded([1.0, 2.0], ["1", "2"])])
    assert captioned(plain) == "Means."
    assert captioned(coloured) == f"Means. {SCALE}"
    shown = Page("A page", (coloured,))
    assert "red, the worst" in html(shown)
    assert "red, the worst" in latex(shown)
    assert "red, the worst" not in markdown(shown)
    assert all("red, the worst" not in render(Page("A page", (plain,))) for render in (html, latex))


def test_the_middle_is_white_and_the_ends_are_the_colours_of_the_theme() -> None:
    assert on_white(0.5) == "FFFFFF"
    for shade, role in ((0.0, "worst"), (1.0, "best")):
        assert tint(shade) == (role, STRONGEST)
        drawn = [int(on_white(shade)[place : place + 2], 16) for place in (0, 2, 4)]
        full = [int(COLOURS[role].light[place : place + 2], 16) for place in (1, 3, 5)]
        assert drawn == [round(255 - (255 - part) * STRONGEST / 100) for part in full]


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("shade", [0.0, 0.2, 0.8, 1.0])
def test_text_stays_readable_on_every_shade(theme: str, shade: float) -> None:
    role, strength = tint(shade)
    colour, panel, ink = (getattr(COLOURS[name], theme) for name in (role, "panel", "ink"))
    mixed = "#" + "".join(
        f"{round((int(colour[p : p + 2], 16) * strength + int(panel[p : p + 2], 16) * (100 - strength)) / 100):02x}"
        for p in (1, 3, 5)
    )
    bright, dark = sorted((luminance(mixed), luminance(ink)), reverse=True)
    assert (bright + 0.05) / (dark + 0.05) >= 4.5
