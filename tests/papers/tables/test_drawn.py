from __future__ import annotations

import itertools

import pytest

from allpass.errors import InputError
from allpass.papers.tables.drawn import Drawn
from allpass.papers.tables.spec import read_spec

ORDER = {"lr": [0.1, 0.2], "weight_decay": [0.0, 0.5, 1.0], "dropout": [0.0, 0.9]}
DRAWN = Drawn.read({"splits": {"name": "acm-search", "count": 10, "seed": 42}, "order": ORDER})


def test_the_place_is_that_of_nested_loops() -> None:
    for number, values in enumerate(itertools.product(*ORDER.values())):
        settings = {**dict(zip(ORDER, values, strict=True)), "hidden_channels": 64}
        assert DRAWN.of(settings) == {"name": "acm-search", "count": 10, "seed": 42, "skip": 10 * number}


def test_a_row_may_have_a_loop_of_its_own() -> None:
    changed = DRAWN.changed({"order": {"lr": [0.05, 0.1, 0.2]}, "splits": {"linear": 64}})
    assert changed.of({"lr": 0.1, "weight_decay": 0.0, "dropout": 0.0}) == {
        "name": "acm-search", "count": 10, "seed": 42, "linear": 64, "skip": 60,
    }  # fmt: skip


def test_of_a_setting_outside_the_loops_no_splits_are_known() -> None:
    assert DRAWN.of({"lr": 0.3, "weight_decay": 0.0, "dropout": 0.0}) is None
    assert DRAWN.of({"lr": 0.1, "weight_decay": 0.0}) is None


def test_a_table_that_lacks_something_is_refused() -> None:
    with pytest.raises(InputError, match="'order' is missing"):
        Drawn.read({"splits": {"name": "acm-search", "count": 10}})


def test_the_table_knows_the_splits_of_its_source() -> None:
    """ACM-GCN on Texas: rates 0.05 and 0.01 are second and ninth, dropout 0.6 the seventh of ten."""
    cell = read_spec("acm-random").cell("ACM-GCN", "Texas")
    assert cell.protocol.splits["skip"] == 10 * ((1 * 9 + 8) * 10 + 6)
    assert cell.fresh_protocol.splits == {"name": "random", "count": 50}
    assert cell.honest_protocol.splits["name"] == "random"
    assert read_spec("acm-random").cell("GCNII", "Texas").drawn is None
