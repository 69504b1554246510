from __future__ import annotations

import pytest

import allpass.rl


def test_every_name_is_there() -> None:
    assert set(allpass.rl.__all__) == set(dir(allpass.rl))
    for name in allpass.rl.__all__:
        assert getattr(allpass.rl, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'TabularMdp'"):
        _ = allpass.rl.TabularMdp
