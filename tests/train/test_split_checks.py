"""Splits that would give a score of nothing are refused by every verb that measures."""

from __future__ import annotations

import copy
import logging

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass import NodeClassifier
from allpass.data import Split, load, splits
from allpass.errors import InputError
from allpass.train import Store, compare, divide, stopping, sweep, train_folds
from allpass.train.split_checks import check_splits

SHORT = stopping("fixed", max_epochs=2)


def classes(*sizes: int, unlabelled: int = 0) -> Tensor:
    y = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    return torch.cat([y, torch.full((unlabelled,), -1)])


def graph(y: Tensor, **given) -> Data:
    N = len(y)
    ring = torch.stack([torch.arange(N), (torch.arange(N) + 1) % N])
    return Data(x=torch.rand(N, 3), edge_index=ring, y=y, num_nodes=N, **given)


@pytest.fixture
def frauds() -> Data:
    return graph(classes(960, 40), class_names=["ok", "fraud"], name="accounts", source="tables")


def test_all_frauds_in_training_are_refused(frauds):
    """The equal counts of 'random' put a rare class into training alone, and an MLP had 100.0 ± 0.0."""
    folds = divide(frauds, "random", count=2)
    assert folds[0].train[frauds.y == 1].all()
    with pytest.raises(
        InputError,
        match=r"Class 'fraud' has 40 labelled nodes, but none in the validation set of the split 'random/0'.*"
        r"Take splits='stratified'",
    ):
        check_splits(frauds, folds, "accuracy")
    with pytest.raises(InputError) as refused:
        check_splits(frauds, folds, "accuracy")
    assert "masks" not in str(refused.value)  # nobody passed any: the split was drawn
    assert check_splits(frauds, divide(frauds, count=2), "roc_auc") == []


def test_every_verb_refuses_them(frauds, tmp_path):
    folds, told = divide(frauds, "random", count=2), "Class 'fraud' has 40 labelled nodes, but none in the"
    with pytest.raises(InputError, match=told):
        train_folds("mlp-1", frauds, folds, {}, stop=SHORT)
    with pytest.raises(InputError, match=told):
        compare(["mlp-1"], frauds, folds, stop=SHORT)
    with Store(tmp_path / "runs.db") as store, pytest.raises(InputError, match=told):
        sweep(store, "mlp-1", frauds, folds, {"lr": (0.1,)}, stop=SHORT)
    loaded = load(frauds)
    with pytest.raises(InputError, match="none in the validation set"):
        NodeClassifier("mlp-1", epochs=2).fit(loaded, split=folds[0])


def test_an_estimator_needs_no_test_nodes(frauds):
    (fold,) = divide(frauds, count=1)
    without = Split(fold.train, fold.val, torch.zeros_like(fold.test), "no test")
    NodeClassifier("mlp-1", epochs=2).fit(load(frauds), split=without)
    with pytest.raises(InputError, match="There is no node in the test set of the split 'no test'"):
        check_splits(frauds, [without], "accuracy")


def test_masks_of_ones_own_are_held_to_the_same(frauds):
    (fold,) = divide(frauds, count=1)
    moved = fold.test & (frauds.y == 1)
    own = Split(fold.train | moved, fold.val, fold.test & ~moved, "stored/0")
    with pytest.raises(
        InputError, match=r"none in the test set of the split 'stored/0'.*Change your masks, or take splits="
    ):
        check_splits(frauds, [own], "accuracy")


def test_classes_of_one_or_two_train_only_and_are_named():
    data = graph(classes(50, 2, 40, 1, unlabelled=5), class_names=["a", "b", "c", "d"])
    assert check_splits(data, divide(data, count=3), "accuracy") == [
        "Class 'b' has 2 labelled nodes, fewer than the 3 needed to train, validate and test: used for training only, "
        "and no score covers it.",
        "Class 'd' has 1 labelled node, fewer than the 3 needed to train, validate and test: used for training only, "
        "and no score covers it.",
    ]


def test_many_small_classes_share_a_sentence():
    data = graph(classes(50, 40, *[2] * 30))
    (note,) = check_splits(data, divide(data, count=2), "accuracy")
    assert note == (
        "30 classes (2, 3, 4, ...) have one or two labelled nodes, fewer than the 3 needed to train, validate and "
        "test: used for training only, and no score covers it."
    )


def test_notes_are_logged_once(caplog):
    data = graph(classes(50, 2, 40), class_names=["a", "tiny", "c"])
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            check_splits(data, divide(data, count=1), "accuracy")
    assert sum("'tiny'" in record.message for record in caplog.records) == 1


def test_named_datasets_keep_their_splits():
    """Texas has a class of one, and the equal counts of its papers put two classes into training alone."""
    data = graph(classes(33, 1, 18, 101, 30), name="texas", source="data folder")
    notes = check_splits(data, splits(data, "random", count=3), "accuracy")
    assert notes == [
        "Class 1 has 1 labelled node, fewer than the 3 needed to train, validate and test: used for training only, "
        "and no score covers it.",
        *(
            f"Class 2 has 18 labelled nodes, but none in the {part} set of the split 'random/0': a score there says "
            "nothing about it. The same holds for 2 other splits."
            for part in ("validation", "test")
        ),
    ]
    own = copy.copy(data)
    own.source = "tables"  # a folder that someone called texas
    with pytest.raises(InputError, match="Class 2 has 18"):
        check_splits(own, splits(data, "random", count=3), "accuracy")


@pytest.mark.parametrize("score", ["roc_auc", "average_precision", "precision_at_k"])
def test_an_undefined_ranking_is_refused_even_for_named_datasets(score):
    data = graph(classes(97, 3), name="questions", source="data folder")
    with pytest.raises(
        InputError, match=f"Only class 0 is in the validation set .* {score} is undefined there"
    ):
        check_splits(data, splits(data, "random", count=1), score)
    tiny = graph(classes(40, 2))
    with pytest.raises(InputError, match=r"Only class 0 is in .*Label three or more nodes of each class"):
        check_splits(tiny, divide(tiny, count=1), score)


def test_numbers_need_two_values_to_be_predicted():
    y = torch.arange(20.0)
    mask = torch.arange(20)
    fold = Split(mask < 10, (mask >= 10) & (mask < 15), mask >= 15, "mine")
    assert check_splits(graph(y), [fold], "r2") == []
    with pytest.raises(
        InputError, match="All 5 labels in the validation set of the split 'mine' are 3: there is"
    ):
        check_splits(graph(torch.where(fold.val, 3.0, y)), [fold], "mae")
    with pytest.raises(InputError, match="There is no node in the test set"):
        check_splits(graph(torch.where(fold.test, torch.nan, y)), [fold], "r2")
    columns = torch.stack([y, torch.where(fold.test, 0.5, y)], 1)
    with pytest.raises(InputError, match=r"All 5 labels in the test set of the split 'mine' are 0\.5"):
        check_splits(graph(columns), [fold], "r2")


def test_numbers_are_refused_by_the_verbs_too():
    y = torch.where(torch.arange(60) < 2, torch.arange(60.0), 5.0)
    data = graph(y)
    with pytest.raises(InputError, match="there is nothing to predict"):
        compare(["mlp-1"], data, divide(data, count=3), stop=SHORT)
