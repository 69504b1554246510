from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from allpass.kge.known import Known

TRIPLETS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 4)), max_size=30)


@given(TRIPLETS)
def test_questions_are_answered_as_a_set_answers_them(rows: list[tuple[int, int, int]]) -> None:
    triplets = torch.tensor(rows, dtype=torch.int64).reshape(-1, 3)
    given_, relations = (
        grid.reshape(-1) for grid in torch.meshgrid(torch.arange(5), torch.arange(3), indexing="ij")
    )
    known, heads = Known(triplets, 5, 3), Known.heads(triplets, 5, 3)
    found = known.holds(given_, relations, torch.arange(5))
    back = heads.holds(given_, relations, torch.arange(5))
    pairs = list(zip(given_.tolist(), relations.tolist(), strict=True))
    assert found.tolist() == [[(h, r, t) in rows for t in range(5)] for h, r in pairs]
    assert back.tolist() == [[(h, r, t) in rows for h in range(5)] for t, r in pairs]
    matrix = torch.zeros(len(given_), 5, dtype=torch.bool)
    matrix[known.true(given_, relations)] = True
    assert torch.equal(matrix, found)
