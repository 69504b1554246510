"""Labels of any kind (numbers, text, booleans, one-hot rows) as whole numbers, with -1 for a missing one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.errors import DataError

Array = NDArray[Any]

DOUBTFUL = (
    "?",
    "-",
    "--",
    "na",
    "none",
    "unknown",
    "missing",
    "undefined",
    "unlabelled",
    "unlabeled",
    "n.a.",
)
"""Words that often mean a missing label, in lower case; they are classes until the reader says otherwise."""


@dataclass(frozen=True)
class Labels:
    """Labels as numbers.

    Args:
        y: int64 ``[N]``, classes 0 to C - 1, and -1 for a missing label.
        names: A name for each class; nothing when the source's labels already were 0 to C - 1.
        missing: The negative numbers that were read as missing labels, and how often each stands there.
        numeric: Whether the source's labels were numbers.
    """

    y: NDArray[np.int64]
    names: list[str] | None
    missing: dict[str, int] = field(default_factory=dict)
    numeric: bool = False


def class_labels(
    values: Array, class_names: list[str] | None = None, *, signs: bool = False, negative: bool = False
) -> Labels:
    """Number the classes: numbers in their order, text in alphabetical order.

    Args:
        values: ``[N]`` numbers, text or booleans (or ``[N, 1]``, or one-hot rows ``[N, C]``). Nothing, NaN, an
            empty text and a negative number are missing labels.
        class_names: Names of the classes 0, 1, ..., when the source states them; the numbers are then kept.
        signs: Read negative numbers as classes where -1 and 1 are the only labels, or where several are negative.
        negative: Read all negative numbers as classes.
    """
    values = _one_column(np.asarray(values))
    if values.dtype.kind == "b":
        return Labels(values.astype(np.int64), ["False", "True"])
    codes, found = _distinct(values)
    numbers = [value for value in found if isinstance(value, int)]
    below = [value for value in numbers if value < 0]
    keep = negative or (signs and (len(below) > 1 or set(numbers) == {-1, 1}))
    counts = np.bincount(codes[codes >= 0], minlength=len(found)).tolist()
    missing = {str(value): n for value, n in zip(found, counts, strict=True) if value in below and not keep}
    kept = sorted(value for value in found if str(value) not in missing)
    names: list[str] | None = [str(value) for value in kept]
    place = {value: number for number, value in enumerate(kept)}
    if class_names is not None and len(numbers) == len(found):
        if numbers and max(numbers) >= len(class_names):
            raise DataError(
                f"The labels go up to {max(numbers)}, but there are {len(class_names)} class names.",
                "Expected a name for each class, from 0 on.",
            )
        names, place = class_names, {value: value for value in kept}
    elif kept == list(range(len(kept))):
        names = None
    number_of = np.array(
        [place.get(value, -1) for value in found] + [-1], dtype=np.int64
    )  # code -1 is the last
    return Labels(number_of[codes], names, missing, numeric=bool(numbers))


def classes_of_columns(values: Array) -> list[str] | None:
    """The numbers of the columns as names, for one-hot rows of which a column is empty: that class has no node."""
    values = np.asarray(values)
    if values.ndim != 2 or values.shape[1] < 2 or values.dtype.kind not in "biuf" or values.any(axis=0).all():
        return None
    return [str(column) for column in range(values.shape[1])]


def regression_targets(values: Array) -> NDArray[np.float32]:
    """Labels as float32 ``[N]``; NaN is a missing one."""
    exact = exact_targets(values)
    with np.errstate(over="ignore"):
        targets = exact.astype(np.float32)
    if np.isinf(targets).any():
        raise DataError("The regression target holds infinite values.", "Replace them, or leave them empty.")
    return targets


def exact_targets(values: Array) -> NDArray[np.float64]:
    """Labels as float64 ``[N]``; NaN is a missing one."""
    values = _one_column(np.asarray(values))
    try:
        return np.asarray(values.tolist() if values.dtype.kind == "O" else values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            "The labels are not numbers, but task='regression' was asked for.",
            "Pass task='classification', or name another label column.",
        ) from None


def _one_column(values: Array) -> Array:
    if values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0]
    if values.ndim == 2 and values.dtype.kind in "biuf" and values.size:
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


def _distinct(values: Array) -> tuple[Array, list[Any]]:
    """Codes ``[N]`` and the values they stand for, all int or all str; -1 is the code of a missing label."""
    if values.dtype.kind in "iuf":
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, dtype=bool)
        _check_whole(values, missing)
        codes: Array = np.full(values.shape, -1, dtype=np.int64)
        distinct: tuple[Array, Array] = np.unique(values[~missing], return_inverse=True)
        codes[~missing] = distinct[1]
        return codes, [int(value) for value in distinct[0].tolist()]
    if values.dtype.kind not in "OSU":
        raise DataError(f"The labels are of the type {values.dtype}.", "Expected whole numbers or text.")
    items = values.tolist()
    absent = np.array([item is None or item != item or item in ("", b"") for item in items], dtype=bool)
    present = [item for item, gone in zip(items, absent.tolist(), strict=True) if not gone]
    if all(isinstance(item, (int, float, np.number)) and not isinstance(item, bool) for item in present):
        floats = [item if isinstance(item, (float, np.floating)) else 0.0 for item in items]
        _check_whole(np.array(floats), absent)
        words: list[Any] = [int(item) for item in present]
    else:
        words = [
            item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item) for item in present
        ]
    places: dict[Any, int] = {}
    codes = np.full(len(items), -1, dtype=np.int64)
    codes[~absent] = [places.setdefault(word, len(places)) for word in words]
    return codes, list(places)


def _check_whole(values: Array, missing: Array) -> None:
    """Refuse fractions and infinity: those are measurements."""
    if values.dtype.kind != "f":
        return
    wrong = np.flatnonzero(~missing & ((values != np.floor(values)) | np.isinf(values)))
    if wrong.size:
        raise DataError(
            f"The labels are not whole numbers: {values[wrong[0]]:g} at node {wrong[0]} ({wrong.size:,} in all).",
            "For a regression target pass task='regression'; else name another label column.",
        )


def merged_by_rounding(exact: Array) -> int:
    """How many different whole numbers become equal when they are rounded to float32, as those above 2**24 may."""
    large = exact[np.isfinite(exact) & (np.abs(exact) >= 2**24) & (exact == np.floor(exact))]
    different = np.unique(large)
    with np.errstate(over="ignore"):
        return int(different.size - np.unique(different.astype(np.float32)).size)
