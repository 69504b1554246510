"""Checks of plain arguments: whole numbers and shares, refused with the number that was got."""

from __future__ import annotations

import numbers

from allpass.errors import InputError

_LARGEST = 2**63 - 1


def whole_number(name: str, value: object, *, least: int = 0, most: int = _LARGEST) -> int:
    """``value`` as an int, or an error when it is not a whole number from ``least`` to ``most``."""
    number = int(value) if isinstance(value, numbers.Integral) and not isinstance(value, bool) else None
    if number is None or not least <= number <= most:
        bounded = most < _LARGEST or (number is not None and number > most)
        wanted = f"from {least} to {most:,}" if bounded else f"{least} or more"
        raise InputError(f"Got {name}={value!r:.60}.", f"Expected a whole number, {wanted}.")
    return number


def share(name: str, value: object, *, above_zero: bool = False) -> float:
    """``value`` as a float between 0 and 1, or an error; ``above_zero`` refuses 0 itself."""
    number = float(value) if isinstance(value, numbers.Real) else float("nan")
    if not 0 <= number <= 1 or (above_zero and number == 0):  # also refuses NaN
        interval = "above 0 and at most 1" if above_zero else "between 0 and 1"
        raise InputError(f"Got {name}={value!r}; expected a number {interval}.", "Pass a share, such as 0.2.")
    return number
