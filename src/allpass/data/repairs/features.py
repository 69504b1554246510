"""Features of a graph of your own: numbers of the right shape, missing ones filled or refused, useless ones noted."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from allpass.data.account import Account
from allpass.data.draft import many, some
from allpass.data.repairs.precision import needs_float64
from allpass.errors import DataError, InputError

Array = NDArray[Any]

_MOST_COLUMNS = 2**21


def checked_features(
    x: Any,
    num_nodes: int,
    names: list[str] | None,
    nan: str,
    account: Account,
    *,
    precise: bool | None = None,
) -> Any:
    """``[N, F]`` finite numbers, dense or CSR; NaN and infinity are refused or filled as ``nan`` says.

    They are float64 or float32 as ``precise`` says; by default float64 where float32 would lose differences.
    """
    if nan not in ("error", "zero", "mean"):
        raise InputError(f"Got nan={nan!r}.", "Expected 'error', 'zero' or 'mean'.")
    if x is None and names is not None:
        raise DataError(f"Got {many(len(names), 'feature name')} and no features.", "Leave the names out.")
    if x is None:
        account.add("no-features", num_nodes, "The graph has no features.")
        return None
    sparse = sp.issparse(x)
    x = sp.csr_array(x, copy=True) if sparse else np.asarray(x)
    if x.ndim != 2 or x.shape[0] != num_nodes:
        raise DataError(
            f"The features have the shape {list(x.shape)}.",
            f"Expected [{num_nodes}, F]: one row for each node.",
        )
    if x.shape[1] > _MOST_COLUMNS:
        raise DataError(f"The features claim {x.shape[1]:,} columns.", f"Expected at most {_MOST_COLUMNS:,}.")
    if names is not None and len(names) != x.shape[1]:
        raise DataError(
            f"Got {many(len(names), 'feature name')} for {many(x.shape[1], 'feature')}.", "Expected one each."
        )
    if x.dtype.kind not in "biuf":
        raise DataError(f"The features are of the type {x.dtype}.", "Expected numbers.")
    with np.errstate(over="ignore"):
        precise = needs_float64(x) if precise is None else precise
        x = x.astype(np.float64 if precise else np.float32, copy=False)
    if sparse:
        x.sum_duplicates()
    x = _fill_sparse(x, names, nan, account) if sparse else _fill_dense(x, names, nan, account)
    _note_constant(x, names, account)
    return x


def _fill_dense(x: Array, names: list[str] | None, nan: str, account: Account) -> Array:
    good = np.isfinite(x)
    if good.all():
        return x
    rows, columns = np.nonzero(~good)
    _refuse_or_note(rows, columns, names, nan, account)
    with np.errstate(invalid="ignore"):
        fill = np.where(good, x, 0).sum(axis=0, dtype=np.float64) / np.maximum(good.sum(axis=0), 1)
    return np.where(good, x, fill.astype(x.dtype) if nan == "mean" else x.dtype.type(0))


def _fill_sparse(x: Any, names: list[str] | None, nan: str, account: Account) -> Any:
    bad = ~np.isfinite(x.data)
    if not bad.any():
        return x
    rows = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))[bad]
    _refuse_or_note(rows, x.indices[bad], names, nan, account)
    x.data[bad] = 0
    counts = x.shape[0] - np.bincount(x.indices[bad], minlength=x.shape[1])
    means = np.bincount(x.indices, weights=x.data, minlength=x.shape[1]) / np.maximum(counts, 1)
    x.data[bad] = means[x.indices[bad]] if nan == "mean" else 0
    return x


def _refuse_or_note(rows: Array, columns: Array, names: list[str] | None, nan: str, account: Account) -> None:
    where = [column_name(names, column) for column in np.unique(columns).tolist()]
    found = f"{many(rows.size, 'feature value is', 'feature values are')} NaN or infinite, in {some(where)}"
    if nan == "error":
        raise DataError(
            f"{found}; the first is at node {rows[0]}.",
            "Fill them in, or pass nan='zero' or nan='mean' to have it done.",
        )
    account.add(
        "nan-features", int(rows.size), f"{found}; replaced by {'0' if nan == 'zero' else 'the mean'}."
    )


def _note_constant(x: Any, names: list[str] | None, account: Account) -> None:
    if x.shape[0] < 2 or x.shape[1] == 0:
        return
    low, high = x.min(axis=0), x.max(axis=0)
    if sp.issparse(x):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    constant = np.flatnonzero(low == high).tolist()
    account.add(
        "constant-features",
        len(constant),
        f"{many(len(constant), 'feature is', 'features are')} the same for every node: "
        f"{some([column_name(names, column) for column in constant])}.",
        "They tell nothing; leave them out to save time.",
    )


def column_name(names: list[str] | None, column: int) -> str:
    """The name of a column of features, or its number in words."""
    return names[column] if names is not None else f"column {column}"
