from __future__ import annotations

import pandas as pd
import pytest
import torch

from allpass.data import load, splits
from allpass.data.many_classes import check_classes
from allpass.errors import InputError
from allpass.metrics import profile


def test_an_id_is_no_label():
    names = [f"person {i}" for i in range(400)]
    nodes = pd.DataFrame({"id": range(400), "name": names})
    data = load(
        edges=pd.DataFrame({"source": range(399), "target": range(1, 400)}), nodes=nodes, label="name"
    )
    for use in (lambda: splits(data, "stratified"), lambda: profile(data)):
        with pytest.raises(
            InputError, match=r"400 classes for 400 labelled nodes\. Is this column the label"
        ):
            use()


def test_thousands_of_classes_of_a_few_nodes_are_asked_about():
    """6,666 classes of 20,000 nodes took 2.5 GB and more than 30 seconds."""
    with pytest.raises(
        InputError, match=r"6,666 classes for 20,000 labelled nodes\. Is this column the label"
    ):
        check_classes(torch.arange(20_000) % 6_666)
    check_classes(torch.arange(20_000) % 1_000)


def test_scores_for_all_classes_have_to_fit():
    """3,000 classes of 60,000 nodes took 5 GB."""
    with pytest.raises(InputError, match="3,000 classes for 60,000 labelled nodes"):
        check_classes(torch.arange(60_000) % 3_000)
    check_classes(torch.arange(26_000) % 1_100)


@pytest.mark.parametrize(
    "y", [torch.arange(100), torch.arange(400) // 2, torch.full((500,), -1), torch.arange(300).clamp(max=120)]
)
def test_many_classes_of_many_nodes_are_fine(y):
    check_classes(y)
