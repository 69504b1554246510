"""A protocol says what a training is told, and changes keep what they do not touch."""

from __future__ import annotations

import torch
from torch_geometric.data import Data

from allpass.data import splits
from allpass.papers.tables.protocol import Protocol
from allpass.train.config import TrainingConfig
from allpass.train.rules.stopping import Window


def test_the_rules_are_those_that_the_names_say() -> None:
    protocol = Protocol(splits={"name": "random", "count": 3, "train": 0.5})
    found = splits(Data(y=torch.arange(100) % 4), **protocol.splits)
    assert [int(split.train.sum()) for split in found] == [48, 48, 48]  # round(12.5) of every class
    assert protocol.training("cpu").stop == Window(max_epochs=5000)


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


def test_a_shorter_one_has_fewer_splits_and_epochs_and_never_more() -> None:
    before = Protocol(splits={"name": "random", "count": 3}, stop={"name": "fixed", "max_epochs": 40})
    short = before.shortened(2, 30)
    assert (short.splits["count"], short.stop) == (2, {"name": "fixed", "max_epochs": 30})
    assert before.shortened(5, 100) == before
