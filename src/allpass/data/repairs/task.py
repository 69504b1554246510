"""Classes or numbers: what a label of numbers asks a model to predict."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.errors import DataError, InputError

Array = NDArray[Any]
Task = Literal["classification", "regression"]

FEW = 20
"""Up to this many different numbers are classes."""

MANY = 100
"""Above this many, codes are classes only when each has several nodes."""

_NODES_OF_A_CLASS = 10  # on average, for more than MANY classes
_FILLED = 0.9  # the share of the range 0..K-1 or 1..K that codes of classes fill at least


def find_task(values: Array | None, asked: str | None, label: str | None, account: Account) -> Task:
    """The task of a label column: the one that was asked for, or the one its values suggest.

    More than 20 different numbers are a regression when some have a fraction, or when they are not codes 0 to K - 1
    or 1 to K. Codes may lack a tenth of their numbers. More than 100 codes are classes when each has 10 nodes on
    average. Text, booleans, one-hot rows and up to 20 different whole numbers are classes.

    Args:
        values: Labels as they were read; nothing when there are none, or when their classes have names already.
        asked: ``"classification"``, ``"regression"``, or nothing.
        label: The name of the label column, for the note.
        account: Gets a note when a regression was found.
    """
    if asked is not None:
        if asked not in ("classification", "regression"):
            raise InputError(f"Got task={asked!r}.", "Expected 'classification' or 'regression'.")
        return "classification" if asked == "classification" else "regression"
    numbers = None if values is None else _numbers(values)
    if numbers is None:
        return "classification"
    present = numbers[np.isfinite(numbers)]
    different = np.unique(present)
    if different.size <= FEW:
        _refuse_fractions(numbers)
        return "classification"
    if _are_codes(different) and (
        different.size <= MANY or present.size >= _NODES_OF_A_CLASS * different.size
    ):
        return "classification"
    named = f"{label!r} " if label else ""
    account.add(
        "found-regression",
        int(present.size),
        f"The label {named}holds {different.size:,} different numbers: "
        "taken as a number to predict (regression).",
        "task='classification' makes classes of it.",
    )
    return "regression"


def fractions_as_classes(values: Array) -> tuple[Array, list[str]] | None:
    """Codes ``[N]`` and a name for each class when some numbers have a fraction; nothing for any other label."""
    numbers = _numbers(values)
    if numbers is None or not _fractions(numbers).size:
        return None
    missing = np.isnan(numbers)
    names, codes = np.unique(numbers[~missing], return_inverse=True)
    y = np.full(numbers.shape, -1, dtype=np.int64)
    y[~missing] = codes
    return y, [f"{name:.17g}" if float(f"{name:g}") != name else f"{name:g}" for name in names.tolist()]


def _numbers(values: Array) -> NDArray[np.float64] | None:
    """Labels ``[N]`` as floats with NaN for a missing one; nothing for text, booleans and one-hot rows."""
    values = np.asarray(values)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        return None
    if values.dtype.kind in "iuf":
        return values.astype(np.float64)
    if values.dtype.kind != "O":
        return None
    items = [None if value is None or value != value else value for value in values.tolist()]
    if any(isinstance(value, bool) or not isinstance(value, int | float | None) for value in items):
        return None
    return np.array([np.nan if value is None else float(value) for value in items])


def _are_codes(different: NDArray[np.float64]) -> bool:
    """Whether whole numbers are 0 to K - 1 or 1 to K, nearly all of them; -1 stands for a missing label."""
    different = different[different != -1]
    low, high = different[0], different[-1]
    whole = bool((different == np.floor(different)).all())
    return whole and low in (0, 1) and bool(different.size >= _FILLED * (high - low + 1))


def _fractions(numbers: NDArray[np.float64]) -> Array:
    """The places of the numbers that are not whole."""
    return np.flatnonzero(np.isfinite(numbers) & (numbers != np.floor(numbers)))


def _refuse_fractions(numbers: NDArray[np.float64]) -> None:
    wrong = _fractions(numbers)
    if wrong.size:
        raise DataError(
            f"The labels are not whole numbers: {numbers[wrong[0]]:g} at node {wrong[0]} ({wrong.size:,} in all), "
            "and they are too few to tell classes from measurements.",
            "Pass task='regression' to predict numbers, or task='classification' to make a class of each value.",
        )
