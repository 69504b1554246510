from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from allpass.cli.scores import score_for


def labels(*sizes: int) -> Data:
    return Data(y=torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes)))


@pytest.mark.parametrize(
    ("sizes", "score"), [((60, 40), None), ((96, 4), "roc_auc"), ((90, 5, 5), "balanced_accuracy")]
)
def test_rare_classes_are_not_measured_by_accuracy(capsys, sizes, score):
    assert score_for(labels(*sizes), None) == score
    told = capsys.readouterr().err
    assert (score is None) == (told == "")
    if score is not None:
        assert f"{sizes[0]}% of the labels are of class 0" in told
        assert f"the score is {score}. --score accuracy" in told


def test_what_the_user_asks_for_is_reported(capsys):
    assert score_for(labels(96, 4), "accuracy") == "accuracy"
    assert score_for(Data(y=torch.rand(9)), None) is None
    assert score_for(Data(), None) is None
    assert capsys.readouterr().err == ""


def test_a_class_goes_by_its_name(capsys):
    data = labels(96, 4)
    data.class_names = ["legit", "fraud"]
    score_for(data, None)
    assert "of class legit" in capsys.readouterr().err
