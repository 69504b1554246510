from __future__ import annotations

import hashlib
import json
import math
from enum import StrEnum
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allpass.canonical import canonical, plain
from allpass.train.runs.identity import holds, identity

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
CONTENT = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)


class Colour(StrEnum):
    RED = "red"


@given(CONTENT)
def test_plain_content_stays_as_it_is_and_survives_a_file(content):
    assert plain(content, "it") == content
    assert identity(json.loads(json.dumps(plain(content, "it")))) == identity(content)


@given(st.dictionaries(st.text(), LEAVES, min_size=2))
def test_the_order_of_entries_does_not_matter(content):
    turned = dict(reversed(content.items()))
    assert identity(turned) == identity(content)


@given(CONTENT, CONTENT)
def test_other_content_has_another_identity(one, other):
    assert (identity(one) == identity(other)) == (canonical(one) == canonical(other))


def test_a_hash_by_hand():
    text = '{"lr":0.05,"name":"\\u00e9","widths":[64,32]}'
    content = {"widths": [64, 32], "name": "é", "lr": 5e-2}
    assert canonical(content) == text
    assert identity(content) == hashlib.sha256(text.encode()).hexdigest()[:32]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0, 0.0),
        (0.0, -0.0),
        (200, 2e2),
        (2**53, 2.0**53),
        ((1, (2,)), [1, [2]]),
        (np.float64(0.1), 0.1),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (Fraction(1, 2), 0.5),
        (Colour.RED, "red"),
    ],
)
def test_one_setting_in_two_types(one, other):
    assert identity(plain(one, "it")) == identity(plain(other, "it"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (True, 1),
        (None, 0),
        ("1", 1),
        (0.1, 0.1 + 2**-56),
        (np.float32(0.1), 0.1),
        (math.inf, -math.inf),
        (2**53, 2**53 + 1),
        ([], {}),
        ([[1], 2], [1, [2]]),
        ("é", "e\u0301"),
    ],
)
def test_two_settings(one, other):
    assert identity(plain(one, "it")) != identity(plain(other, "it"))


def test_part_of_a_description():
    content = {"lr": 0.1, "epochs": 200, "early": True}
    assert holds(content, {})
    assert holds(content, {"epochs": 200.0, "lr": 0.1})
    assert not holds(content, {"lr": 0.2})
    assert not holds(content, {"early": 1})
    assert not holds(content, {"patience": None})
