"""Classes or numbers: labels of which the answer is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch_geometric.data import Data

from allpass.data import from_pyg, load, save_npz
from allpass.data.account import Account
from allpass.data.repairs.task import find_task, fractions_as_classes
from allpass.data.tables.from_tables import from_tables
from allpass.errors import DataError, InputError

RNG = np.random.default_rng(0)
PRICES = np.round(np.exp(RNG.normal(12.5, 0.4, 1500)))
AGES = RNG.integers(18, 95, 900)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (PRICES, "regression"),
        (RNG.normal(size=50), "regression"),
        (AGES, "regression"),
        (np.where(np.arange(900) % 7, AGES, np.nan), "regression"),
        (np.array([None, *AGES.tolist()], dtype=object), "regression"),
        (np.arange(-40, 40), "regression"),
        (np.arange(2000) % 60, "classification"),
        (np.arange(2000) % 60 + 1, "classification"),
        (np.where(np.arange(2000) % 9, np.arange(2000) % 60, -1), "classification"),
        (np.delete(np.arange(40), [3, 17]), "classification"),
        (np.arange(5000) % 172, "classification"),
        (np.arange(172), "regression"),
        (np.array([10, 20, 30] * 9), "classification"),
        (np.array(["a", "b", None], dtype=object), "classification"),
        (np.array([True, False] * 30), "classification"),
        (np.eye(30)[np.arange(90) % 30], "classification"),
        (None, "classification"),
    ],
)
def test_the_task_is_found(values: Any, expected: str) -> None:
    account = Account()
    assert find_task(values, None, "price", account) == expected
    assert ("found-regression" in account) == (expected == "regression")


def test_a_regression_that_was_found_is_said() -> None:
    account = Account()
    find_task(PRICES, None, "price", account)
    (note,) = account
    different = len(set(PRICES.tolist()))
    assert note.what == (
        f"The label 'price' holds {different:,} different numbers: taken as a number to predict (regression)."
    )
    assert note.cure == "task='classification' makes classes of it."


def test_what_was_asked_for_is_done() -> None:
    assert find_task(PRICES, "classification", None, Account()) == "classification"
    assert find_task(np.array([0, 1]), "regression", None, Account()) == "regression"
    with pytest.raises(InputError, match="task='ranking'"):
        find_task(None, "ranking", None, Account())


def test_a_few_fractions_could_be_either() -> None:
    with pytest.raises(
        DataError, match=r"0\.5 at node 0 \(2 in all\).*task='regression'.*task='classification'"
    ):
        find_task(np.array([0.5, 1, 1.5, np.nan]), None, None, Account())


def test_fractions_become_classes_that_keep_their_numbers() -> None:
    found = fractions_as_classes(np.array([10.5, np.nan, 9.25, 10.5, 0.1 + 0.2]))
    assert found is not None
    assert found[0].tolist() == [2, -1, 1, 2, 0]
    assert [float(name) for name in found[1]] == [0.1 + 0.2, 9.25, 10.5]
    assert fractions_as_classes(np.array([1.0, 2.0])) is None


def house_tables(**label: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    nodes = pd.DataFrame({"id": range(100, 1600), "size": RNG.normal(size=1500), **label})
    return pd.DataFrame({"u": range(100, 1599), "v": range(101, 1600)}), nodes


def test_tables_of_house_prices_are_a_regression_and_can_be_classes() -> None:
    edges, nodes = house_tables(price=PRICES + 0.25)
    data = from_tables(edges, nodes, label="price")
    assert data.y.dtype == torch.float32
    assert data.get("class_names") is None
    assert "found-regression" in data.account
    classes = from_tables(edges, nodes, label="price", task="classification")
    assert int(classes.y.max()) + 1 == len(classes.class_names) == len(set(PRICES.tolist()))
    assert [float(classes.class_names[k]) for k in classes.y.tolist()] == nodes["price"].tolist()


def test_sixty_classes_stay_classes() -> None:
    edges, nodes = house_tables(label=np.arange(1500) % 60)
    data = from_tables(edges, nodes)
    assert data.y.tolist() == (np.arange(1500) % 60).tolist()
    assert from_tables(edges, nodes, task="regression").y.is_floating_point()


def test_tensors_are_judged_likewise(tmp_path: Any) -> None:
    edge_index = torch.tensor([[0, 1], [1, 2]])
    numbers = from_pyg(Data(edge_index=edge_index, y=torch.randn(50), num_nodes=50))
    assert numbers.y.is_floating_point()
    names = [f"class {k}" for k in range(0, 90)]
    named = Data(edge_index=edge_index, y=torch.arange(0, 90, 2), num_nodes=45, class_names=names)
    assert not from_pyg(named).y.is_floating_point()
    asked = from_pyg(
        Data(edge_index=edge_index, y=torch.arange(0, 90, 2), num_nodes=45), task="classification"
    )
    save_npz(asked, tmp_path / "graph.npz")
    assert load(tmp_path / "graph.npz").fingerprint == asked.fingerprint
