"""Columns that mark a split, and columns that only sound like it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from allpass.data.account import Account
from allpass.data.tables.node_table import read_nodes
from allpass.data.tables.tabular import Table

N = 12


def read(account: Account, columns: dict[str, Any], **options: Any) -> Any:
    frame = pd.DataFrame({"id": [f"n{k}" for k in range(N)], "y": np.arange(N) % 2, **columns})
    return read_nodes(Table(frame, "node table"), account, **options)


def notes(account: Account) -> dict[str, str]:
    return {note.code: f"{note.what} {note.cure}" for note in account}


def test_masks_are_noted_and_can_be_features() -> None:
    masks = {"train": np.arange(N) < 6, "test": (np.arange(N) >= 6).astype(int)}
    account = Account()
    draft = read(account, masks)
    assert draft.splits["stored"][0].test.tolist() == [k >= 6 for k in range(N)]
    assert notes(account)["masks"] == (
        "The columns 'train', 'test' hold 0 and 1 and were taken as the masks of the split 'stored'. "
        "Name them in numbers= to use them as features."
    )
    draft = read(Account(), masks, numbers=["train", "test"])
    assert draft.splits == {}
    assert draft.feature_names == ["train", "test"]


def test_a_lone_mask_is_a_feature_with_a_note() -> None:
    account = Account()
    draft = read(account, {"test": np.arange(N) % 3 == 0})
    assert draft.feature_names == ["test"]
    assert notes(account)["lone-masks"] == (
        "The column 'test' may mark a split, but it takes both train and test: used as a feature. "
        "If it marks a split, add the other column, or leave this one out with drop=."
    )
    account = Account()
    assert read(account, {"test": np.arange(N) % 3 == 0}, drop="test").x is None
    assert "lone-masks" not in account


def test_a_column_of_words_is_noted_too() -> None:
    account = Account()
    draft = read(account, {"split": ["train", "val", "test"] * 4})
    assert len(draft.splits["stored"]) == 1
    assert "each node trains, validates or tests" in notes(account)["masks"]
    assert {role.column: role.role for role in draft.roles} == {"id": "id", "y": "label", "split": "mask"}
