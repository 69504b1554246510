"""What the settings of a model may be, checked by their names and defaults before anything is built."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real

from allpass.errors import InputError
from allpass.nn.inputs import checked_filter

WIDTHS = ("in_channels", "out_channels")
FILTERS = ("filter", "low", "high")
NUMBERS = ("scale", "temperature")
"""Numbers whose default is nothing."""

SEQUENCES = ("init",)
"""Names in whose place some models take the numbers themselves."""

FROM_ZERO = ("num_layers", "hops", "degree", "positions", "pretraining", "warmup", "averaging")
"""Whole numbers that may be 0; some models ask for more of their own."""

MOST = {
    "hidden_channels": 100_000,
    "embedding_channels": 10_000,
    "heads": 1_000,
    "out_heads": 1_000,
    "num_layers": 10_000,
    "num_node_layers": 10_000,
    "num_edge_layers": 10_000,
    "num_prior_layers": 10_000,
    "blocks": 10_000,
    "k1": 10_000,
    "hops": 10_000,
    "degree": 10_000,
    "positions": 10_000,
    "pretraining": 1_000_000,
    "max_trees": 100_000,
    "num_leaves": 131_072,  # of LightGBM
}
"""The largest whole numbers that are built; beyond them a setting is a slip, and would fill the memory."""

_MOST = 2**31 - 1
_LARGEST = 1_000_000


def check_settings(settings: Mapping[str, object], defaults: Mapping[str, object]) -> None:
    """Complain about the first setting that cannot be right.

    Args:
        settings: What was asked for.
        defaults: What they are otherwise; a whole number asks for whole numbers, any number for numbers.

    Example:
        >>> check_settings({"hidden_channels": 2.5}, {"hidden_channels": 64})
        Traceback (most recent call last):
        ...
        allpass.errors.InputError: Got hidden_channels = 2.5. Expected a whole number from 1 to 100,000.
    """
    for name, value in settings.items():
        default = defaults.get(name)
        if value is None and default is None and name not in WIDTHS:
            continue
        if name in FILTERS:
            checked_filter(value, name)  # type: ignore[arg-type]
        elif isinstance(default, bool):
            _refuse(name, value, "Expected True or False.", unless=isinstance(value, bool))
        elif name in (*WIDTHS, "num_nodes") or isinstance(default, int):
            least, most = 0 if name in FROM_ZERO else 1, MOST.get(name, _MOST)
            whole = _is_number(value) and isinstance(value, Integral)
            fits = whole and least <= int(value) <= most  # type: ignore[call-overload]
            _refuse(name, value, f"Expected a whole number from {least} to {most:,}.", unless=fits)
        elif name.endswith("dropout"):
            fits = _is_number(value) and 0 <= value <= 1  # type: ignore[operator]
            _refuse(name, value, "Expected a probability, from 0 to 1.", unless=fits)
        elif isinstance(default, float) or name in NUMBERS:
            fits = _is_number(value) and abs(value) <= _LARGEST  # type: ignore[arg-type]
            _refuse(name, value, f"Expected a number from -{_LARGEST:,} to {_LARGEST:,}.", unless=fits)
        elif isinstance(default, str):
            wrong = Real | None if name in SEQUENCES else list | dict | set
            _refuse(name, value, "Expected a name.", unless=not isinstance(value, wrong))
        elif isinstance(default, tuple):
            _refuse(name, value, f"Expected several, such as {default!r}.", unless=_is_like(value, default))


def _is_like(values: object, default: tuple[object, ...]) -> bool:
    kind = Integral if isinstance(default[0], int) else type(default[0])
    return isinstance(values, list | tuple) and all(isinstance(value, kind) for value in values)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _refuse(name: str, value: object, cure: str, *, unless: bool) -> None:
    if not unless:
        raise InputError(f"Got {name} = {value!r:.60}.", cure)
