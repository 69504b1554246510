"""Plain content, as JSON writes it, and the one text of it that hashes are taken of."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from allpass.errors import InputError

_WHOLE = 2.0**53  # up to here a float holds every whole number, so 2.0 and 2 are one setting


def plain(value: object, where: str) -> Any:
    """A copy of ``value`` in the types of JSON: tuples as lists, NumPy's numbers as Python's.

    Args:
        value: Nothing, a truth value, a number, a text, or lists, tuples and mappings of these.
        where: What it is, for the message of a refusal.

    Example:
        >>> plain({"widths": (64, 32), "dropout": 0.5}, "settings")
        {'widths': [64, 32], 'dropout': 0.5}
    """
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return _text(value, where)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return _number(float(value), where)
    if isinstance(value, Mapping):
        return {_name(name, where): plain(part, f"{where}[{name!r}]") for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part, f"{where}[{place}]") for place, part in enumerate(value)]
    raise InputError(
        f"{where} is {_shown(value)}, which cannot be kept in a file.",
        "Use text, numbers, booleans, None, and lists and dicts of these; for an activation, its name.",
    )


def canonical(value: object) -> str:
    """The one JSON text of plain content: keys in order, whole floats as whole numbers, ASCII alone.

    Example:
        >>> canonical({"lr": 0.05, "dropout": 0.0}) == canonical({"dropout": 0, "lr": 5e-2})
        True
    """
    return json.dumps(_folded(value), sort_keys=True, separators=(",", ":"))


def _folded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _folded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_folded(part) for part in value]
    if isinstance(value, float) and value.is_integer() and abs(value) <= _WHOLE:
        return int(value)  # -0.0 becomes 0 as well
    return value


def _text(value: str, where: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{where} is {value!r}, which is no valid Unicode.", "Give another name.") from error
    return str.__str__(value)  # the bare text, where a subclass such as an Enum came


def _number(value: float, where: str) -> float:
    if math.isnan(value):
        raise InputError(f"{where} is NaN, which equals nothing, itself included.", "Use None for 'not set'.")
    return value


def _name(name: object, where: str) -> str:
    if not isinstance(name, str):
        raise InputError(
            f"{where} has the key {name!r}; a key has to be a text.", f"Write {str(name)!r} instead."
        )
    return _text(name, f"a key of {where}")


def _shown(value: object) -> str:
    return f"{value!r:.80} of type {type(value).__name__}"
