"""Columns of a node table that say which nodes train, validate and test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allpass.data.account import Account
from allpass.data.draft import some, splits_of_masks
from allpass.data.splits import Split
from allpass.data.tables.tabular import Table

if TYPE_CHECKING:
    import pandas as pd

PARTS = {"train": ("train",), "val": ("val", "valid", "validation", "dev"), "test": ("test",)}


def mask_columns(
    table: Table, frame: pd.DataFrame, taken: set[str | None], account: Account
) -> dict[str, str]:
    """Columns that are masks: column to part, or one column to ``"split"``.

    Args:
        table: The node table.
        frame: Its rows.
        taken: Columns that are something else.
        account: Gets a note on what was taken for a mask, and on what was not.
    """
    from pandas.api import types

    free = [name for name in table.columns if name not in taken]
    found = {}
    for part, words in PARTS.items():
        column = table.find([word + suffix for word in words for suffix in ("_mask", "")], free)
        if column is not None and _is_mask(frame[column]):
            found[column] = part
    if {"train", "test"} <= set(found.values()):
        account.add(
            "masks",
            len(found),
            f"The columns {some(list(found))} hold 0 and 1 and were taken as the masks of the split 'stored'.",
            "Name them in numbers= to use them as features.",
        )
        return found
    account.add(
        "lone-masks",
        len(found),
        f"The {'columns' if len(found) > 1 else 'column'} {some(list(found))} may mark a split, but it takes both "
        "train and test: used as a feature.",
        "If it marks a split, add the other column, or leave this one out with drop=.",
    )
    split = table.find(["split"], free)
    known = {word for words in PARTS.values() for word in words}
    if split is not None and not types.is_numeric_dtype(frame[split].dtype):
        values = {str(value).strip().lower() for value in frame[split].dropna().unique()}
        if "train" in values and values <= known | {"", "none", "unlabelled"}:
            account.add(
                "masks",
                1,
                f"The column {split!r} was taken as the split 'stored': each node trains, validates or tests.",
                "Name it in categories= to use it as a feature.",
            )
            return {split: "split"}
    return {}


def stored_splits(frame: pd.DataFrame, columns: dict[str, str]) -> dict[str, list[Split]]:
    """The split that the columns of :func:`mask_columns` describe."""
    if not columns:
        return {}
    masks = {part: frame[column].to_numpy(bool) for column, part in columns.items() if part != "split"}
    for column in (column for column, part in columns.items() if part == "split"):
        words_of = frame[column].astype(str).str.strip().str.lower()
        masks = {part: words_of.isin(words).to_numpy() for part, words in PARTS.items()}
    return {"stored": splits_of_masks(masks, len(frame))}


def _is_mask(column: pd.Series[Any]) -> bool:
    from pandas.api import types

    if types.is_bool_dtype(column.dtype):
        return not column.isna().any()
    return bool(types.is_integer_dtype(column.dtype) and column.isin((0, 1)).all())
