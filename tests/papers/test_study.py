"""Plans as plain data."""

from __future__ import annotations

import pytest

from allpass.errors import InputError
from allpass.papers.study import Plan


def test_by_default_everything_is_asked_for() -> None:
    assert Plan() == Plan(cells=(), quick=False)


def test_single_cells_are_offered_to_whoever_asks_for_one() -> None:
    known = ["Row", "Column", "Row/Column"]
    with pytest.raises(InputError) as caught:
        Plan(("zzz",)).check("tiny", known)
    assert caught.value.cure == "Known names: Column, Row."
    with pytest.raises(InputError, match="Did you mean 'Row/Column'"):
        Plan(("Row/Colum",)).check("tiny", known)


def test_a_name_is_not_taken_letter_by_letter() -> None:
    with pytest.raises(
        InputError, match=r"Got cells = 'bipartite'. Expected a tuple: cells=\('bipartite',\)"
    ):
        Plan(cells="bipartite")  # type: ignore[arg-type]
