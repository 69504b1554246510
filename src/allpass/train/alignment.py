"""The features of other data in the columns that a model was trained on."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional as F

from allpass.data.draft import some
from allpass.errors import InputError

_MISSING = " is missing"


def aligned(x: Tensor, names: Sequence[str] | None, count: int, wanted: Sequence[str] | None) -> Tensor:
    """The features ``x`` in the order that is wanted; where a side has no names, their number has to be right.

    A table makes a 0/1 column of each category it holds, and of missing values where there are some. Such a column of
    the training is 0 where the other table has its source but not that value. A value that the training never saw
    has no column to go to and is refused.

    Args:
        x: Features ``[N, F]``, dense or sparse.
        names: The names of their columns, where they have some.
        count: How many are wanted.
        wanted: The names that are wanted, where they are known.
    """
    if names is None or wanted is None:
        if x.shape[1] != count:
            raise InputError(
                f"Got {x.shape[1]:,} features; the model was trained on {count:,}.",
                "Give data with the same features, in the same order.",
            )
        return x
    if list(names) == list(wanted):
        return x
    _refuse(names, wanted)
    place = {name: column for column, name in enumerate(names)}
    padded = F.pad(x.to_dense(), (0, 1))  # a column of zeros, the last
    return padded[:, [place.get(name, -1) for name in wanted]]


def _refuse(names: Sequence[str], wanted: Sequence[str]) -> None:
    known = {_source(name) for name in names}
    lost = [name for name in wanted if name not in names and not (_is_made(name) and _source(name) in known)]
    if lost:
        raise InputError(
            f"The data lacks features that the model was trained on: {some(lost)}.",
            "Give data with the same columns; one without any value does not count.",
        )
    new = [name for name in names if name not in wanted]
    gaps = [_source(name) for name in new if name.endswith(_MISSING) and _source(name) in wanted]
    if gaps:
        raise InputError(
            f"Values are missing where the training had them all: {some(gaps)}.",
            "Fill them in, or pass nan='mean' to have it done.",
        )
    if new:
        raise InputError(
            f"The data has features that the model was not trained on: {some(new)}.",
            "Leave those columns or values out, name the labels with label= if that is what they are, or train on "
            "data that has them.",
        )


def _is_made(name: str) -> bool:
    return "=" in name or name.endswith(_MISSING)


def _source(name: str) -> str:
    """The column of the table that a feature was made from."""
    return name.partition("=")[0].removesuffix(_MISSING)
