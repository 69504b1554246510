"""Columns whose meaning is known."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from allpass.data.tables.roles import _log_chance_all_differ, guess, is_row_index, says_id

RNG = np.random.default_rng(0)
N = 1500
FACEBOOK = RNG.choice(10**15, N, replace=False) + 10**14


def role(values: Any, name: str = "column", cap: int = 50) -> str:
    return guess(pd.Series(values), name, cap).role


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("column", RNG.normal(size=N)),
        ("column", RNG.integers(0, 100, N)),
        ("column", RNG.choice(10**6, N, replace=False) * 1.5),
        ("population", RNG.choice(10**8, N, replace=False)),  # all differ, and that proves nothing
        ("rank", RNG.permutation(N)),
        ("views", np.exp(RNG.normal(12, 2, N)).round()),
        ("area", [3, 5, 8, 13, 21]),
        ("size", range(20)),
        ("city_id", RNG.integers(0, 30, N)),  # repeats: names no node
        ("paid", RNG.choice(10**8, N, replace=False)),
        ("flag", [True, False] * 20),
        ("income", [np.inf, *range(40)]),
        ("price", np.round(RNG.normal(3e5, 5e4, N))),
        ("score", [f"{k}.5" for k in range(60)]),
    ],
)
def test_measurements_stay_numbers(name: str, values: Any) -> None:
    assert role(values, name) == "number"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("column", range(N)),
        ("column", RNG.permutation(N) + 5000),
        ("column", RNG.permutation(2 * N)[:N]),
        ("column", np.where(np.arange(N) == 7, np.nan, np.arange(N))),
        ("column", FACEBOOK),
        ("column", RNG.choice(np.arange(3 * 10**9, 4 * 10**9, 7919), N, replace=False)),
        ("facebook_id", RNG.choice(10**8, N, replace=False)),
        ("userId", [7, 3, 12]),
        ("uuid", [str(UUID(int=k)) for k in range(3)]),
        ("key", ["a", "b", "c"]),
        ("column", [f"code-{k:04d}" for k in range(30)]),
        ("name", [f"First{k} Last{k}" for k in range(30)]),
    ],
)
def test_ids_are_ids(name: str, values: Any) -> None:
    assert role(values, name) == "id"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["red", "blue"] * 20, "category"),
        (["United States of America", "Costa Rica"] * 20, "category"),
        ([f"text {k}" for k in range(20)], "category"),
        ([f"v{k % 60}" for k in range(200)], "left out"),
        ([f"this is sentence number {k}" for k in range(40)], "text"),
        ([f"this is sentence number {k % 60}" for k in range(400)], "text"),
        ([None, np.nan], "left out"),
        (["20-30", "30-40"] * 20, "category"),
        ([True, None, False], "category"),
    ],
)
def test_text(values: Any, expected: str) -> None:
    assert role(values) == expected


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("column", pd.date_range("2020", periods=5)),
        ("column", pd.to_timedelta([1, 2], unit="s")),
        ("column", ["2024-01-05", "2024-02-05"]),
        ("column", RNG.choice(10**8, N, replace=False) + 1_600_000_000),
        ("created_at", 1_700_000_000 + np.arange(30)),
        ("timestamp", 1_700_000_000_000 + np.arange(30)),
    ],
)
def test_dates(name: str, values: Any) -> None:
    assert role(values, name) == "date"


def test_consecutive_numbers_of_ten_digits_are_no_times() -> None:
    assert role(1_700_000_000 + np.arange(30)) == "id"


@settings(max_examples=50)
@given(
    st.lists(st.floats(-1e6, 1e6).filter(lambda value: value % 1 != 0), min_size=25, max_size=60, unique=True)
)
def test_numbers_with_fractions_are_never_ids(values: list[float]) -> None:
    assert role(values, "id") == "number"


@settings(max_examples=30)
@given(st.integers(21, 200), st.integers(0, 5000), st.integers(0, 10**6))
def test_chance_is_that_of_the_birthday_problem(n: int, more: int, low: int) -> None:
    values = n + more
    exact = sum(np.log1p(-k / values) for k in range(n))
    assert _log_chance_all_differ(n, values) == pytest.approx(exact, rel=1e-6, abs=1e-6)


def test_a_large_range_has_the_same_chance_by_both_formulas() -> None:
    values, n = 1e12, 10**6
    exact = gammaln(values + 1) - gammaln(values - n + 1) - n * np.log(values)
    assert _log_chance_all_differ(n, values + 1) == pytest.approx(exact, rel=1e-2)


def test_names() -> None:
    assert all(map(says_id, ("id", "user_id", "ID", "nodeId", "UUID", "zip code", "accountid", "Key")))
    assert not any(map(says_id, ("paid", "grid", "humidity", "idea", "keyboard", "decoded", "hidden")))


def test_row_numbers_without_a_name() -> None:
    assert is_row_index(pd.Series([4, 7, 9]), "Unnamed: 0")
    assert not is_row_index(pd.Series([4, 4, 9]), "Unnamed: 0")
    assert not is_row_index(pd.Series([0.5, 7.0]), "Unnamed: 0")
    assert not is_row_index(pd.Series([0, 1]), "age")
