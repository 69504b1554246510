"""The features of other data in the columns that a model was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from allpass.data.draft import some
from allpass.data.tables.encodings import MISSING, Encoding
from allpass.errors import InputError
from allpass.graph.operator import Operator


def aligned(
    x: Tensor,
    names: Sequence[str] | None,
    count: int,
    wanted: Sequence[str] | None,
    fills: Mapping[str, float] | None = None,
) -> Tensor:
    """The features ``x`` in the order that is wanted; where a side has no names, their number has to be right.

    A table makes a 0/1 column of each category it holds, and of missing values where there are some. Such a column of
    the training is 0 where the other table has its source but not that value. A value that the training never saw
    has no column to go to and is refused. A missing number is filled as in training: what its own table put there
    depends on the other nodes of that table.

    Args:
        x: Features ``[N, F]``, dense or sparse.
        names: The names of their columns, where they have some.
        count: How many are wanted.
        wanted: The names that are wanted, where they are known.
        fills: What stood for missing numbers in training, see :func:`fills_of`.
    """
    if names is None or wanted is None:
        if x.shape[1] != count:
            raise InputError(
                f"Got {x.shape[1]:,} features; the model was trained on {count:,}.",
                "Give data with the same features, in the same order.",
            )
        return x
    if list(names) != list(wanted):
        _refuse(names, wanted)
        place = {name: column for column, name in enumerate(names)}
        x = _taken(x, [place.get(name, -1) for name in wanted])
    return _filled(x, wanted, fills or {})


def check_words(
    names: Sequence[str] | None, encodings: Sequence[Encoding], trained: Sequence[Encoding]
) -> None:
    """Raise where the words of a text are not those of the training: the same column would mean another word.

    Args:
        names: The names of the features, where they have some.
        encodings: How they were made of the columns of a table.
        trained: How those of the training were made.
    """
    have = {encoding.column: encoding for encoding in encodings}
    known = set(names or ())
    for encoding in trained:
        if encoding.kind != "text" or names is None:
            continue
        if have.get(encoding.column, encoding) != encoding or not known.issuperset(encoding.features):
            raise InputError(
                f"The text {encoding.column!r} was not read with the words of the training.",
                "Load the data with encodings=trained.encodings; `allpass predict` does so by itself.",
            )


def _taken(x: Tensor, columns: list[int]) -> Tensor:
    """These columns of ``x``, zeros for a column -1; sparse features stay sparse."""
    if x.layout == torch.strided:
        return F.pad(x, (0, 1))[:, columns]
    csr = Operator.from_sparse(x).to_scipy()
    csr.resize(csr.shape[0], csr.shape[1] + 1)  # a column of zeros, the last
    return Operator.from_scipy(csr[:, columns]).to_sparse()


def rows_of(x: Tensor, rows: Tensor) -> Tensor:
    """These rows of ``x``; sparse features stay sparse."""
    if x.layout == torch.strided:
        return x[rows]
    return Operator.from_scipy(Operator.from_sparse(x).to_scipy()[rows.numpy()]).to_sparse()


def fills_of(x: Tensor, names: Sequence[str] | None) -> dict[str, float]:
    """What a table put in the place of missing numbers, by the name of their column.

    Args:
        x: Features ``[N, F]``, dense or sparse.
        names: The names of their columns, where they have some.

    Example:
        >>> import torch
        >>> fills_of(torch.tensor([[5.0, 0.0], [6.0, 1.0], [7.0, 0.0]]), ["age", "age is missing"])
        {'age': 6.0}
    """
    gaps = _gaps(names or ())
    dense = x.to_dense() if gaps else x
    found = {name: dense[dense[:, gap] == 1, column].unique() for name, (column, gap) in gaps.items()}
    return {name: float(values) for name, values in found.items() if len(values) == 1}


def _filled(x: Tensor, names: Sequence[str], fills: Mapping[str, float]) -> Tensor:
    gaps = {name: places for name, places in _gaps(names).items() if name in fills}
    x = x.to_dense().clone() if gaps else x
    for name, (column, gap) in gaps.items():
        x[x[:, gap] == 1, column] = fills[name]
    return x


def _gaps(names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Columns of numbers with missing ones: the place of each, and of the column that says where they are missing."""
    place = {name: column for column, name in enumerate(names)}
    return {
        name: (column, place[name + MISSING]) for name, column in place.items() if name + MISSING in place
    }


def _refuse(names: Sequence[str], wanted: Sequence[str]) -> None:
    cure = "Load the data with encodings=trained.encodings, which reads it as the data of the training."
    known = {_source(name) for name in names}
    lost = [name for name in wanted if name not in names and not (_is_made(name) and _source(name) in known)]
    if lost:
        raise InputError(f"The data lacks features that the model was trained on: {some(lost)}.", cure)
    new = [name for name in names if name not in wanted]
    gaps = [_source(name) for name in new if name.endswith(MISSING) and _source(name) in wanted]
    if gaps:
        raise InputError(f"Values are missing where the training had them all: {some(gaps)}.", cure)
    if new:
        raise InputError(f"The data has features that the model was not trained on: {some(new)}.", cure)


def _is_made(name: str) -> bool:
    return "=" in name or name.endswith(MISSING)


def _source(name: str) -> str:
    """The column of the table that a feature was made from."""
    return name.partition("=")[0].removesuffix(MISSING)
