from __future__ import annotations

import torch

from allpass.papers.majority import majority


def test_the_most_frequent_class_is_that_of_the_nodes_that_are_known() -> None:
    y = torch.tensor([0, 1, 1, -1, 0, 1, 0, 0])
    known = torch.tensor([1, 1, 1, 0, 0, 0, 0, 0], dtype=torch.bool)
    asked = torch.tensor([0, 0, 0, 0, 1, 1, 1, 1], dtype=torch.bool)
    assert majority(y, known, asked) == 0.25
    assert majority(y, asked, known) == 1 / 3
