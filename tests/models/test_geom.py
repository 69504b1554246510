from __future__ import annotations

import pytest
import torch

from allpass.models import create
from allpass.testing import BAR, accuracy_after_training


def count(**settings: object) -> int:
    model = create("geom-gcn", in_channels=10, out_channels=3, hidden_channels=4, **settings)
    return sum(parameter.numel() for parameter in model.parameters())


def test_parameter_counts() -> None:
    assert count() == 10 * 9 * 4 + (9 * 4) * 9 * 3
    paper = {"hidden_merge": "sum", "shared": True, "self_relation": False}
    assert count(**paper, overlap="both", degrees="graph") == 10 * 8 * 4 + 4 * 3


def test_the_form_of_the_paper_learns_too() -> None:
    torch.manual_seed(0)
    model = create(
        "geom-gcn",
        in_channels=8,
        out_channels=3,
        hidden_merge="sum",
        shared=True,
        self_relation=False,
        overlap="both",
        degrees="graph",
    )
    assert accuracy_after_training(model) >= BAR


@pytest.mark.parametrize("embedding", ["poincare", "struc2vec"])
def test_the_other_embeddings_learn(embedding: str) -> None:
    torch.manual_seed(0)
    model = create("geom-gcn", in_channels=8, out_channels=3, embedding=embedding)
    assert accuracy_after_training(model) >= 0.8
