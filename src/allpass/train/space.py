"""Which settings of a model are tried: its own space, or what is written on a command line."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress

import numpy as np

from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.models.catalog import resolve
from allpass.models.entry import LABEL_INPUT
from allpass.train.job import TRAINING

STEPS = 10
"""How many values a range has, unless it is of whole numbers."""

_WORDS = {"none": None, "true": True, "false": False}


def space_of(model: str) -> dict[str, tuple[object, ...]]:
    """What is worth trying of a model; what the number in its name sets stays as it is.

    Example:
        >>> space_of("gcn")["lr"]
        (0.01, 0.05, 0.1)
        >>> "num_layers" in space_of("snowball"), "num_layers" in space_of("snowball-5")
        (True, False)
    """
    entry, numbered = resolve(model)
    return {name: tuple(values) for name, values in entry.space.items() if name not in numbered}


def read_space(words: Iterable[str], model: str) -> dict[str, tuple[object, ...]]:
    """Values of settings from words such as ``lr=0.01,0.05`` and ``dropout=0:0.9``.

    ``LOW:HIGH`` stands for every whole number between the two where the setting is a whole number, and for ten values
    otherwise: evenly spaced, or each larger by the same factor for ``lr`` and ``weight_decay``. A setting that is a
    list has its parts joined by ``+``. Networks have the setting ``label_input`` too.

    Args:
        words: Each ``NAME=VALUE,VALUE`` or ``NAME=LOW:HIGH``.
        model: Whose settings they are.

    Example:
        >>> read_space(["lr=0.01,0.05", "num_layers=2:4", "activation=relu"], "gcn")
        {'lr': (0.01, 0.05), 'num_layers': (2, 3, 4), 'activation': ('relu',)}
        >>> read_space(["powers=0+1,0+1+2"], "mixhop")
        {'powers': ((0, 1), (0, 1, 2))}
    """
    entry, _ = resolve(model)
    defaults = {**({LABEL_INPUT: False} if entry.is_network else {}), **entry.training, **entry.settings}
    space: dict[str, tuple[object, ...]] = {}
    for word in words:
        name, sign, values = (part.strip() for part in word.partition("="))
        if not sign or not name or not values:
            raise InputError(f"Got the setting {word!r}.", "Write NAME=VALUE,VALUE or NAME=LOW:HIGH.")
        if name.split(":")[0] not in TRAINING and name not in defaults:
            raise UnknownNameError(
                f"There is no setting {name!r} of the model {entry.name!r}.",
                did_you_mean(name, {*defaults, *TRAINING}),
            )
        if name in space:
            raise InputError(f"Got the setting {name!r} twice.", "Write it once.")
        default = defaults.get(name, 0.01)
        if ":" in values and not isinstance(default, str | bool | tuple):
            space[name] = _range(name, values, whole=isinstance(default, int))
        else:
            space[name] = tuple(_value(name, text.strip(), default) for text in values.split(","))
    return space


def _value(name: str, text: str, default: object) -> object:
    """A value as one would write it in Python, without quotes; the default says what kind it is."""
    if isinstance(default, str):
        return text
    if isinstance(default, tuple):
        return tuple(_value(name, part, default[0]) for part in text.split("+"))
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    if text.lower() not in _WORDS or type(default) in (int, float):
        raise InputError(f"Got {name} = {text!r}.", f"Expected a value like {default!r}.")
    return _WORDS[text.lower()]


def _range(name: str, text: str, *, whole: bool) -> tuple[object, ...]:
    try:
        low, high = (float(end) for end in text.split(":"))
    except ValueError:
        low, high = math.nan, math.nan
    if not -math.inf < low < high < math.inf:
        raise InputError(f"Got the range {name}={text}.", "Expected LOW:HIGH, two numbers, the lower first.")
    if whole:
        if not (low.is_integer() and high.is_integer()):
            raise InputError(
                f"Got the range {name}={text}.", f"{name} is a whole number: expected two of them."
            )
        return tuple(range(int(low), int(high) + 1))
    if name.split(":")[0] not in TRAINING:
        between = [float(f"{value:.6g}") for value in np.linspace(low, high, STEPS)[1:-1]]
    elif low > 0:
        between = [float(f"{value:.3g}") for value in np.geomspace(low, high, STEPS)[1:-1]]
    else:
        raise InputError(
            f"Got the range {name}={text}, whose values grow by a factor.",
            "Begin above 0; where 0 is wanted too, list the values: 0,0.0001,0.001.",
        )
    return low, *between, high
