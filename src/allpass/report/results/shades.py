"""Where a number stands among those beside it, as a colour: red for the worst, green for the best, as in the report.

The number stands in every cell and the best is bold, so a reader who does not tell the two apart misses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from allpass.report.results.page import Value
from allpass.report.theme import light

STRONGEST = 45
"""How much of its colour the best or the worst cell has, in percent."""


def shaded(numbers: Sequence[float | None], texts: Sequence[str]) -> tuple[Value, ...]:
    """Texts with the shade of the number behind each; what has no number, or none beside it, has no shade.

    Args:
        numbers: The numbers that are compared.
        texts: What is shown in their places.

    Example:
        >>> [value.shade for value in shaded([1.0, None, 2.0], ["1", "none", "2"])]
        [0.0, None, 1.0]
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


def on_white(shade: float) -> str:
    """The same as six hexadecimal digits on white paper."""
    role, strength = tint(shade)
    colour = light(role)
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "".join(f"{round(255 + (part - 255) * strength / 100):02X}" for part in parts)


def _place(number: float, low: float, high: float) -> float | None:
    return (number - low) / (high - low) if high > low else None
