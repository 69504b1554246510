"""Labels of any kind (numbers, text, booleans, one-hot rows) as whole numbers, with -1 for a missing one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.errors import DataError

Array = NDArray[Any]


@dataclass(frozen=True)
class Labels:
    """Labels as numbers.

    Args:
        y: int64 ``[N]``, classes 0 to C - 1, and -1 for a missing label.
        names: A name for each class; nothing when the source's labels already were 0 to C - 1.
    """

    y: NDArray[np.int64]
    names: list[str] | None


def class_labels(values: Array, class_names: list[str] | None = None, *, signs: bool = False) -> Labels:
    """Number the classes.

    Args:
        values: ``[N]`` numbers, text or booleans (or ``[N, 1]``, or one-hot rows ``[N, C]``). Nothing, NaN, an
            empty text and a negative number are missing labels.
        class_names: Names of the classes 0, 1, ..., when the source states them; the numbers are then kept.
        signs: Read a column of -1 and 1 alone as two classes.
    """
    values = _one_column(np.asarray(values))
    if values.dtype.kind in "OSU":
        text = _text_labels(values)
        if isinstance(text, Labels):
            return text
        values = text
    if values.dtype.kind == "b":
        return Labels(values.astype(np.int64), ["False", "True"])
    numbers = _whole_numbers(values)
    found = np.unique(numbers)
    if signs and np.array_equal(found, (-1, 1)):
        return Labels((numbers > 0).astype(np.int64), ["-1", "1"])
    found = found[found >= 0]
    if class_names is not None:
        if found.size and found[-1] >= len(class_names):
            raise DataError(
                f"The labels go up to {found[-1]}, but there are {len(class_names)} class names.",
                "Expected a name for each class, from 0 on.",
            )
        return Labels(np.maximum(numbers, -1), class_names)
    if np.array_equal(found, np.arange(found.size)):
        return Labels(np.maximum(numbers, -1), None)
    y = np.searchsorted(found, numbers).astype(np.int64)
    return Labels(np.where(numbers < 0, -1, y), [str(value) for value in found.tolist()])


def regression_targets(values: Array) -> NDArray[np.float32]:
    """Labels as float32 ``[N]``; NaN is a missing one."""
    values = _one_column(np.asarray(values))
    try:
        targets = np.asarray(values.tolist() if values.dtype.kind == "O" else values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            "The labels are not numbers, but task='regression' was asked for.",
            "Pass task='classification', or name another label column.",
        ) from None
    if np.isinf(targets).any():
        raise DataError("The regression target holds infinite values.", "Replace them, or leave them empty.")
    return targets.astype(np.float32)


def _one_column(values: Array) -> Array:
    if values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0]
    if values.ndim == 2 and values.dtype.kind in "biuf" and values.shape[0]:
        one_hot = np.isin(values, (0, 1)).all() and (values.sum(axis=1) <= 1).all()
        if not one_hot:
            raise DataError(
                f"The labels have the shape {list(values.shape)} and are not one-hot.",
                "Expected one label for each node; several labels for one node cannot be read.",
            )
        return np.where(values.any(axis=1), values.argmax(axis=1), -1)
    if values.ndim != 1:
        raise DataError(
            f"The labels have the shape {list(values.shape)}.", "Expected [N]: one for each node."
        )
    return values


def _text_labels(values: Array) -> Labels | Array:
    """Text as classes in alphabetical order; an object array of numbers alone is handed back as numbers."""
    missing = np.array([value is None or value != value or value in ("", b"") for value in values.tolist()])
    present = values[~missing].tolist()
    if present and all(isinstance(value, (bool, np.bool_)) for value in present) and not missing.any():
        return np.array(present, dtype=bool)
    if all(isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for value in present):
        numbers = np.full(values.shape, np.nan)
        numbers[~missing] = present
        return numbers
    words = [
        value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in present
    ]
    names, codes = np.unique(np.array(words, dtype=object), return_inverse=True)
    y = np.full(values.shape, -1, dtype=np.int64)
    y[~missing] = codes
    return Labels(y, [str(name) for name in names])


def _whole_numbers(values: Array) -> NDArray[np.int64]:
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    if values.dtype.kind != "f":
        raise DataError(f"The labels are of the type {values.dtype}.", "Expected whole numbers or text.")
    missing = np.isnan(values)
    wrong = np.flatnonzero(~missing & ((values != np.floor(values)) | np.isinf(values)))
    if wrong.size:
        raise DataError(
            f"The labels are not whole numbers: {values[wrong[0]]:g} at node {wrong[0]} ({wrong.size:,} in all).",
            "For a regression target pass task='regression'; else name another label column.",
        )
    return np.where(missing, -1, values).astype(np.int64)
