from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.data.tables.written_numbers import FORMATS, example_of, number_format, written_numbers

SWAPPED = str.maketrans(",.", ".,")


@given(
    st.lists(st.integers(-(10**12), 10**12), min_size=2, max_size=30),
    st.integers(1, 4),
    st.sampled_from(["", "€", "%"]),
)
def test_what_python_writes_is_read(numbers: list[int], places: int, sign: str) -> None:
    numbers = [*numbers, 1_234_567]  # both signs occur, so that no way of writing is ambiguous
    values = [number / 10**places for number in numbers]
    points = pd.Series([f"{value:,.{places}f}{sign}" for value in values])
    commas = points.str.translate(SWAPPED)
    for text, form in ((points, "1,234.5"), (commas, "1.234,5")):
        assert number_format(text) in (form, "1,234.5")
        np.testing.assert_allclose(written_numbers(text, form), [round(value, places) for value in values])


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (["0,123", "1,234"], "1.234,5"),
        (["1,234", "2,345"], "1,234.5"),
        (["1,234", "2,34"], "1.234,5"),
        (["1 234,50", "12,1"], "1.234,5"),
        (["1'234.50", "12"], "1,234.5"),
        (["-€5", "€1.5"], "1,234.5"),
        (["10 %", "12.5 %"], "1,234.5"),
        ([",5", "1"], "1.234,5"),
    ],
)
def test_all_values_together_say_how_numbers_are_written(values: list[str], form: str) -> None:
    assert number_format(pd.Series(values)) == form


@pytest.mark.parametrize(
    "values",
    [
        [],
        ["red"],
        ["1,5", "unknown"],
        ["1,5", "1.5"],
        ["5%", "€5"],
        ["030 123 456", "030 123 457"],
        ["12.05.2024", "13.05.2024"],
        ["1,2,3", "2,3"],
        ["007", "1.5"],
        ["--1,5", "1,5"],
        ["1,5e3", "1"],
    ],
)
def test_other_text_is_no_number(values: list[str]) -> None:
    text = pd.Series(values, dtype=object)
    form = number_format(text)
    assert form == "" or np.isnan(written_numbers(text, form)).any()


def test_what_is_written_in_another_way_is_no_number() -> None:
    text = pd.Series(["1.234", "1.23", "12,5", "1,234.5", "x"])
    found = written_numbers(text, "1.234,5")
    assert found[[0, 2]].tolist() == [1234, 12.5]
    assert np.isnan(found[[1, 3, 4]]).all()


def test_an_example_says_what_was_read() -> None:
    assert example_of(pd.Series(["1,234", "5"]), "1,234.5") == "'1,234' is 1234"
    assert set(FORMATS) == {"1,234.5", "1.234,5"}
