from __future__ import annotations

import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from allpass.train.runs.rows import pack, unpack
from allpass.train.runs.run import CURVE_LIMIT


@given(
    hnp.arrays(np.float32, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0), elements=st.floats(width=32))
)
def test_curves_come_back_bit_by_bit(values):
    found = unpack(*pack(values))
    assert found.shape == values.shape
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.view(np.uint32), values.view(np.uint32))
    assert found.flags.writeable


def test_the_bytes_are_little_endian_whatever_the_machine():
    shape, content = pack(np.array([1.0, -2.0], np.float32))
    assert json.loads(shape) == [2]
    assert zlib.decompress(content) == bytes.fromhex("0000803f000000c0")
    assert pack(np.array([1.0, -2.0], ">f4")) == (shape, content)


@pytest.mark.parametrize(
    ("shape", "raw", "said"),
    [
        ("[3]", bytes(8), "number of values"),
        ("[1]", bytes(8), "number of values"),
        ("[]", b"", "number of values"),
        (f"[{CURVE_LIMIT + 1}]", bytes(8), "claims"),
        ("[-1]", bytes(8), "shape"),
        ("[1.0]", bytes(4), "shape"),
        ("[true]", bytes(4), "shape"),
        ('{"a": 1}', bytes(4), "shape"),
        ("two", bytes(8), "Expecting"),
    ],
)
def test_content_that_is_not_what_it_claims(shape, raw, said):
    with pytest.raises(ValueError, match=said):
        unpack(shape, zlib.compress(raw))


def test_a_bomb_is_not_unpacked():
    bomb = zlib.compress(bytes(100_000_000))
    with pytest.raises(ValueError, match="number of values"):
        unpack("[2]", bomb)


@pytest.mark.parametrize("content", [b"", b"junk", zlib.compress(bytes(8))[:-3]])
def test_content_that_is_no_stream(content):
    with pytest.raises((ValueError, zlib.error)):
        unpack("[2]", content)
