"""Numbers as the rows of a study have them."""

from __future__ import annotations

import math


def rounded(value: float | None, digits: int = 3) -> float | None:
    """A number with so many digits after the point; nothing where there is none, or it is not finite.

    Args:
        value: The number.
        digits: How many.

    Example:
        >>> rounded(2 / 3), rounded(math.nan)
        (0.667, None)
    """
    return round(value, digits) if value is not None and math.isfinite(value) else None
