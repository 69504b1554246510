from __future__ import annotations

import itertools

import pytest

from allpass.report.theme import COLOURS, HEAT_TURN, css_variables, follow_theme


def channels(colour: str) -> list[float]:
    return [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]


def luminance(rgb: list[float]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: list[float], other: list[float]) -> float:
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


TEXT = [
    (role, ground)
    for role in ("ink", "muted", "accent", "good", "bad", "note")
    for ground in ("panel", "ground")
]
TEXT += [("accent", "accent-soft"), ("ink", "accent-soft"), ("ink", "note-soft")]
TEXT += [("on-low", "low"), ("on-low", "both"), ("on-high", "high"), ("ink", "neither")]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT)
def test_text_is_readable(text: str, ground: str, theme: str):
    colours = [channels(getattr(COLOURS[role], theme)) for role in (text, ground)]
    assert contrast(*colours) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_on_the_heat_map_are_readable_at_every_strength(theme: str):
    heat, panel, under, on = (
        channels(getattr(COLOURS[role], theme)) for role in ("heat", "panel", "under-heat", "on-heat")
    )
    for step in range(101):
        strength = step / 100
        cell = [strength * h + (1 - strength) * p for h, p in zip(heat, panel, strict=True)]
        assert contrast(on if strength > HEAT_TURN else under, cell) >= 4.4


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_stacked_parts_differ_in_lightness_not_in_hue_alone(theme: str):
    parts = [channels(getattr(COLOURS[role], theme)) for role in ("low", "both", "high", "neither")]
    for left, right in itertools.pairwise(parts):
        assert contrast(left, right) >= 1.4


def test_a_drawn_colour_has_one_role():
    assert len({colour.light for colour in COLOURS.values()}) == len(COLOURS)


def test_variables():
    assert "--ink: #1b2430;" in css_variables("light")
    assert "--ink: #e6eaf0;" in css_variables("dark")


def test_follow_theme_leaves_strangers_alone():
    assert follow_theme("fill: #2671b3; stroke: #123456") == "fill: var(--low); stroke: #123456"
