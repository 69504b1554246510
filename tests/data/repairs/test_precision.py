"""Columns that float32 would collapse, and columns that it keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch

from allpass.data import from_scipy, load, save_npz
from allpass.data.repairs.precision import needs_float64
from allpass.data.tables.from_tables import from_tables

RNG = np.random.default_rng(0)
YEAR_2024 = 1_704_067_200


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (YEAR_2024 + np.arange(50.0), True),
        (np.append(YEAR_2024 + 86_400 * np.arange(300.0), YEAR_2024 + 1), True),
        (YEAR_2024 + np.arange(50) / 4, True),
        (YEAR_2024 * 1000 + np.unique(RNG.integers(0, 10**9, 200)), True),
        (1e6 + RNG.normal(size=50), True),
        (np.full(50, 1e9), False),
        (RNG.normal(size=50), False),
        (RNG.normal(1e6, 1e5, 500), False),
        (np.exp(RNG.normal(20, 2, 500)), False),
        (RNG.integers(0, 10**6, 500).astype(float), False),
        (RNG.integers(1990, 2024, 500).astype(float), False),
        (np.where(RNG.random(50) < 0.5, np.nan, 0.25), False),
        (np.zeros(50), False),
    ],
)
def test_what_needs_float64(form: Any, column: Any, expected: bool) -> None:
    x = form(np.stack([column, RNG.normal(size=len(column))], axis=1))
    assert needs_float64(x) == expected
    assert not needs_float64(x.astype(np.float32))


def test_whole_numbers_of_64_bits_count_too() -> None:
    assert needs_float64(YEAR_2024 + np.arange(50)[:, None])
    assert not needs_float64(np.arange(50)[:, None])


def test_two_seconds_of_2024_stay_apart_in_any_form_and_through_a_file(tmp_path: Any) -> None:
    when = pd.to_datetime("2024-05-01 12:00") + pd.to_timedelta(
        np.append(np.arange(59) * 3600.0, 1.0), unit="s"
    )
    nodes = pd.DataFrame({"id": [f"n{k}" for k in range(60)], "when": when, "y": np.arange(60) % 2})
    edges = pd.DataFrame({"u": nodes["id"], "v": np.roll(nodes["id"], 1)})
    data = from_tables(edges, nodes)
    assert data.x.dtype == torch.float64
    assert float(data.x[59] - data.x[0]) == 1
    save_npz(data, tmp_path / "graph.npz")
    again = load(tmp_path / "graph.npz")
    assert again.fingerprint == data.fingerprint
    sparse = from_scipy(sp.csr_array(np.eye(60)), x=sp.csr_array(data.x.numpy()))
    assert sparse.x.dtype == torch.float64
    assert sparse.x.to_dense().equal(data.x)
