from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.report.results.shades import STRONGEST, on_white, shaded, tint
from allpass.report.theme import COLOURS


@given(st.lists(st.none() | st.floats(0, 100), min_size=1))
def test_the_best_is_bold_and_shades_are_places_between_the_ends(numbers: list[float | None]) -> None:
    values = shaded(numbers, [str(number) for number in numbers])
    known = [number for number in numbers if number is not None]
    assert [value.text for value in values] == [str(number) for number in numbers]
    for number, value in zip(numbers, values, strict=True):
        assert value.best == (number is not None and len(known) > 1 and number == max(known))
        if number is None or max(known) == min(known):
            assert value.shade is None
        else:
            assert value.shade == pytest.approx((number - min(known)) / (max(known) - min(known)))


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
