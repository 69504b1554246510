"""How far above its worth the best of many equally good settings is expected to be found."""

from __future__ import annotations

import math
from functools import cache

from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq

_MANY = 1_000_000


@cache
def best_of(settings: float) -> float:
    """By how many standard errors the best of so many noisy means is expected above the true mean that all share.

    Args:
        settings: How many there are.

    Example:
        >>> round(best_of(2) ** 2 * math.pi, 9)  # known in closed form for two
        1.0
    """
    normal = stats.norm
    found, _ = quad(lambda z: z * settings * normal.pdf(z) * normal.cdf(z) ** (settings - 1), -10, 10)
    return float(found)


def best_among(errors: float) -> float:
    """Of how many noisy means the best is expected so many standard errors above the true mean that all share.

    Args:
        errors: How many.

    Returns:
        At least 1; infinity for more than a million.

    Example:
        >>> round(best_among(best_of(100)))
        100
    """
    if errors <= 0:
        return 1.0
    if errors > best_of(_MANY):
        return math.inf
    return float(10 ** brentq(lambda power: best_of(10**power) - errors, 0.0, math.log10(_MANY)))


def told(settings: float) -> str:
    """How many settings, as a whole number to two digits.

    Example:
        >>> told(178.2), told(math.inf)
        ('180', 'over 1,000,000')
    """
    return f"{int(float(f'{math.ceil(settings):.2g}')):,}" if settings <= _MANY else f"over {_MANY:,}"
