"""Where a number stands among those beside it, as a colour: red for the worst, green for the best, as in the report.

The number stands in every cell and the best is bold, so a reader who does not tell the two apart misses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from allpass.papers.pages.page import Table, Value
from allpass.report.theme import light

STRONGEST = 45
"""How much of its colour the best or the worst cell has, in percent."""

LEAST = 5.0
"""The points between full red and full green at least.

Means of ten splits have standard errors of half a point or so, and differ by chance by one or two. Numbers as close as
that are to look alike, and tables print no deviations from which a span of their own could be told.
"""
SCALE = (
    "Colour goes from red, the worst of a column, to green, the best; it is paler where the two are less than "
    f"{LEAST:g} points apart."
)
"""How shades are read, for pages and pictures that have them."""


def shaded(numbers: Sequence[float | None], texts: Sequence[str]) -> tuple[Value, ...]:
    """Texts with the shade of the number behind each; what has no number, or none beside it, has no shade.

    Args:
        numbers: The numbers that are compared, in percent; none for those that cannot be.
        texts: What is shown in their places.

    Example:
        >>> [value.shade for value in shaded([80.0, None, 90.0], ["80", "none", "90"])]
        [0.0, None, 1.0]
        >>> [value.shade for value in shaded([89.0, 90.0], ["89", "90"])]
        [0.4, 0.6]
    """
    known = [number for number in numbers if number is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    return tuple(
        Value(text)
        if number is None or len(known) < 2
        else Value(text, number == high, _place(number, low, high))
        for number, text in zip(numbers, texts, strict=True)
    )


def tint(shade: float) -> tuple[str, int]:
    """The role of a colour, as in the theme, and how much of it there is, in percent.

    Example:
        >>> tint(0.0), tint(0.5), tint(1.0)
        (('worst', 45), ('best', 0), ('best', 45))
    """
    away = min(max(shade, 0.0), 1.0) - 0.5
    return "worst" if away < 0 else "best", round(2 * abs(away) * STRONGEST)


def captioned(table: Table) -> str:
    """What stands above a table in a format that shows shades.

    Args:
        table: The table.
    """
    return f"{table.caption} {SCALE}" if table.in_colour else table.caption


def on_white(shade: float) -> str:
    """The same as six hexadecimal digits on white paper."""
    role, strength = tint(shade)
    colour = light(role)
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "".join(f"{round(255 + (part - 255) * strength / 100):02X}" for part in parts)


def _place(number: float, low: float, high: float) -> float | None:
    """Where it stands on a scale whose middle is that of the ends; nothing where these are the same."""
    room = max(LEAST - (high - low), 0.0)
    return (number - low + room / 2) / (high - low + room) if high > low else None
