from __future__ import annotations

import math

import pytest

from allpass.papers.rounding import rounded


def test_a_number_has_its_digits() -> None:
    assert rounded(12.34567) == 12.346
    assert rounded(12.34567, 1) == 12.3


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
def test_what_is_no_finite_number_is_nothing(value: float | None) -> None:
    assert rounded(value) is None
