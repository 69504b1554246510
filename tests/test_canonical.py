from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from allpass.canonical import canonical, plain
from allpass.errors import InputError


def test_the_text_of_equal_contents_is_equal():
    assert canonical({"b": 2.0, "a": -0.0}) == canonical({"a": 0, "b": 2}) == '{"a":0,"b":2}'
    assert json.loads(canonical(plain({"x": (1, [None])}, "it"))) == {"x": [1, [None]]}


def test_a_copy_is_made():
    settings = {"widths": [1]}
    kept = plain(settings, "settings")
    settings["widths"].append(2)
    assert kept == {"widths": [1]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.nan, "NaN"),
        (np.float32("nan"), "NaN"),
        ({1: 2}, "'1'"),
        ({"a", "b"}, "set"),
        (Path("x"), "Path"),
        (b"x", "bytes"),
        (1j, "complex"),
        (np.zeros(2), "ndarray"),
        (len, "builtin"),
        ("\ud800", "Unicode"),
        ({"\ud800": 1}, "Unicode"),
    ],
)
def test_what_has_no_stable_form(value, said):
    with pytest.raises(InputError, match=said) as refusal:
        plain({"deep": [0, value]}, "settings")
    assert "settings['deep'][1]" in str(refusal.value)
    assert refusal.value.cure
