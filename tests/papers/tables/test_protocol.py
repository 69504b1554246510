"""A protocol names only what exists, and changes keep what they do not touch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import splits
from allpass.errors import AllpassError, InputError
from allpass.papers.tables.protocol import Protocol
from allpass.train.config import TrainingConfig
from allpass.train.rules.stopping import Window


def test_the_rules_are_those_that_the_names_say() -> None:
    protocol = Protocol(splits={"name": "random", "count": 3, "train": 0.5})
    found = splits(Data(y=torch.arange(100) % 4), **protocol.splits)
    assert [int(split.train.sum()) for split in found] == [48, 48, 48]  # round(12.5) of every class
    assert protocol.stopping() == Window(max_epochs=5000)


def test_it_tells_a_training_all_that_it_says() -> None:
    protocol = Protocol(optimizer="rmsprop", scaling="none", undirected=False, tf32=True)
    assert protocol.training("cpu", "roc_auc") == TrainingConfig(
        task="classification",
        score="roc_auc",
        optimizer="rmsprop",
        stop=Window(max_epochs=5000),
        select="lowest-val-loss",
        scaling="none",
        undirected=False,
        tf32=True,
        device="cpu",
    )
    assert Protocol().training("cpu").score == "accuracy"


def test_a_change_keeps_the_rest() -> None:
    before = Protocol(splits={"name": "few-label", "count": 10}, scaling="none")
    after = before.changed({"splits": {"percent": 0.5}, "optimizer": "rmsprop"})
    assert after.splits == {"name": "few-label", "count": 10, "percent": 0.5}
    assert (after.optimizer, after.scaling) == ("rmsprop", "none")
    assert before.splits == {"name": "few-label", "count": 10}
    assert before.changed({}) == before


def test_another_rule_does_not_inherit_options() -> None:
    before = Protocol(splits={"name": "few-label", "count": 10, "percent": 0.5})
    assert before.changed({"splits": {"name": "random"}}).splits == {"name": "random"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"optimiser": "adam"}, "no entry 'optimiser'. Did you mean 'optimizer'"),
        ({"optimizer": "adma"}, "no optimizer 'adma'. Did you mean 'adam"),
        ({"select": "lowest-val-los"}, "Did you mean 'lowest-val-loss'"),
        ({"scaling": "row"}, "Did you mean 'rows'"),
        ({"deviation": "samples"}, "Did you mean 'sample'"),
        ({"unlabelled": "zeros"}, "Did you mean 'zero'"),
        ({"undirected": "yes"}, "Got undirected = 'yes'. Expected true or false"),
        ({"tf32": 1}, "Got tf32 = 1. Expected true or false"),
        ({"splits": {"name": "randm"}}, "Did you mean 'random'"),
        ({"splits": {"percent": 5}}, "no entry 'percent'"),
        ({"splits": 10}, "Expected a table"),
        ({"stop": {"name": "gprgn"}}, "no stopping rule 'gprgn'. Did you mean 'gprgnn'"),
        ({"stop": {"windw": 5}}, "no option 'windw'. Did you mean 'window'"),
        ({"stop": {"max_epochs": 0}}, "max_epochs"),
        ("adam", "Expected a table"),
    ],
)
def test_wrong_options_are_refused(options: Any, message: str) -> None:
    with pytest.raises(AllpassError, match=message):
        Protocol().changed(options)


def test_stored_splits_must_come_with_the_dataset() -> None:
    fixed = Protocol(splits={"name": "geom-gcn", "count": 10})
    fixed.check_dataset("texas")
    with pytest.raises(
        InputError, match=r"'texas-4' does not come with the splits 'geom-gcn'. It has: platonov"
    ):
        fixed.check_dataset("texas-4")
    with pytest.raises(InputError, match="It has: none"):
        fixed.check_dataset("karate")
    with pytest.raises(InputError, match=r"no dataset 'texs'. Did you mean 'texas'"):
        Protocol().check_dataset("texs")
