"""Checks of plain arguments: whole numbers and shares, refused with the number that was got."""

from __future__ import annotations

import numbers

from allpass.errors import InputError


def whole_number(name: str, value: object, *, least: int = 0) -> int:
    """``value`` as an int, or an error when it is not a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise InputError(f"Got {name}={value!r}.", f"Expected a whole number, {least} or more.")
    return int(value)


def share(name: str, value: object, *, above_zero: bool = False) -> float:
    """``value`` as a float between 0 and 1, or an error; ``above_zero`` refuses 0 itself."""
    number = float(value) if isinstance(value, numbers.Real) else float("nan")
    if not 0 <= number <= 1 or (above_zero and number == 0):  # also refuses NaN
        interval = "above 0 and at most 1" if above_zero else "between 0 and 1"
        raise InputError(f"Got {name}={value!r}; expected a number {interval}.", "Pass a share, such as 0.2.")
    return number
