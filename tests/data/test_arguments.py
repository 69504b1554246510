"""Plain arguments are taken in every numeric type and refused with the value that was got."""

from __future__ import annotations

import numpy as np
import pytest

from allpass.data.arguments import share, whole_number
from allpass.errors import InputError


@pytest.mark.parametrize("value", [3, np.int32(3), np.uint8(3)])
def test_whole_numbers_become_ints(value):
    assert type(whole_number("seed", value)) is int
    assert whole_number("seed", value, least=3) == 3


@pytest.mark.parametrize("value", [-1, 2.0, "3", None, True, float("nan")])
def test_other_things_are_no_whole_numbers(value):
    with pytest.raises(InputError, match=r"Got seed=.*Expected a whole number, 0 or more"):
        whole_number("seed", value)
    with pytest.raises(InputError, match="a whole number, 5 or more"):
        whole_number("count", 4, least=5)


def test_whole_numbers_have_a_largest_one():
    assert whole_number("seed", 2**63 - 1) == 2**63 - 1
    with pytest.raises(InputError, match="a whole number, from 0 to 9,223,372,036,854,775,807"):
        whole_number("seed", 2**63)
    with pytest.raises(InputError, match=r"Got count=11\. Expected a whole number, from 1 to 10"):
        whole_number("count", 11, least=1, most=10)
    with pytest.raises(InputError) as raised:
        whole_number("seed", 10**2000)
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize("value", [0, 1, 0.25, np.float32(0.25)])
def test_shares_become_floats(value):
    assert type(share("homophily", value)) is float
    assert share("homophily", value) == value


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), float("inf"), "0.5", None])
def test_other_things_are_no_shares(value):
    with pytest.raises(InputError, match=r"Got homophily=.*between 0 and 1"):
        share("homophily", value)
    with pytest.raises(InputError, match="Got homophily=0; expected a number above 0"):
        share("homophily", 0, above_zero=True)
