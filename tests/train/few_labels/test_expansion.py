"""Choices of nodes and what they make of a training set, against loops in plain Python."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from allpass.data.splits import Split
from allpass.graph.operator import Operator
from allpass.train.few_labels.expansion import Labels, confident, nearest, needed, quota, top


def labels_of(train: list[int], y: list[int]) -> Labels:
    mask = torch.zeros(len(y), dtype=torch.bool)
    mask[train] = True
    return Labels.of(Split(mask, torch.zeros_like(mask), ~mask, "by hand"), torch.tensor(y))


def test_only_the_labels_of_training_nodes_are_known() -> None:
    labels = labels_of([0, 3], [1, 0, 1, 0])
    assert labels.target.tolist() == [1, -1, -1, 0]
    assert labels.one_hot(2).int().tolist() == [[0, 1], [0, 0], [0, 0], [1, 0]]


def test_a_choice_adds_nodes_with_their_classes() -> None:
    labels = labels_of([0], [1, 0, 1, 0])
    choice = torch.tensor([[True, False], [True, False], [False, True], [True, True]])
    grown = labels.grown(choice)
    assert grown.target.tolist() == [1, 0, 1, -1]  # 0 has its label, and 3 is taken to be of both classes
    assert grown.split.train.tolist() == [True, True, True, False]
    assert grown.given.tolist() == [True, False, False, False]
    assert torch.equal(grown.split.test, labels.split.test)


def test_the_quota_follows_the_given_labels_and_not_the_added() -> None:
    labels = labels_of([0, 1, 2, 3], [0, 0, 0, 1, 1, 1])
    expected = [math.floor(10 * 3 / 4), math.floor(10 * 1 / 4), 0]
    assert quota(labels, 3, 10).tolist() == expected
    choice = torch.zeros(6, 3, dtype=torch.bool)
    choice[4:, 1] = True
    assert quota(labels.grown(choice), 3, 10).tolist() == expected


@pytest.mark.parametrize("num_layers", [1, 2, 3])
def test_labels_needed_by_the_published_rule(num_layers: int) -> None:
    ring = torch.stack([torch.arange(50), (torch.arange(50) + 1) % 50])
    A = Operator.from_edge_index(torch.cat([ring, ring.flip(0)], dim=1))
    assert needed(A, num_layers) == pytest.approx(3 * 50 / 2**num_layers)


def test_a_graph_without_edges_needs_all_labels() -> None:
    A = Operator.from_edge_index(torch.empty(2, 0, dtype=torch.long), num_nodes=4)
    assert needed(A, 2) == 12


@given(seed=st.integers(0, 10_000), counts=st.lists(st.integers(0, 7), min_size=3, max_size=3))
def test_top_takes_the_highest_of_each_column(seed: int, counts: list[int]) -> None:
    scores = torch.rand(6, 3, generator=torch.Generator().manual_seed(seed)) - 0.2
    chosen = top(scores, torch.tensor(counts))
    for c, count in enumerate(counts):
        best = sorted(range(6), key=lambda i: -float(scores[i, c]))[:count]
        assert chosen[:, c].nonzero().squeeze(1).tolist() == sorted(i for i in best if scores[i, c] > 0)


def test_nothing_is_chosen_of_answers_that_are_no_numbers() -> None:
    assert not top(torch.full((4, 2), torch.nan), torch.tensor([2, 2])).any()


@given(seed=st.integers(0, 10_000))
def test_confident_nodes_are_those_of_the_published_loop(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(12, 3, generator=generator)
    labels = labels_of([0, 5], [0] * 12)
    counts = [2, 1, 3]
    expected, left = set(), list(counts)
    chance = logits.softmax(1)
    for i in chance.amax(1).argsort(descending=True).tolist():
        c = int(chance[i].argmax())
        if left[c] and i not in (0, 5):
            left[c] -= 1
            expected.add((i, c))
    found = confident(logits, labels, torch.tensor(counts))
    assert {tuple(pair) for pair in found.nonzero().tolist()} == expected


def test_nearest_ranks_every_class_by_itself_and_leaves_labelled_nodes_out() -> None:
    absorbed = torch.tensor([[9.0, 3.0], [8.0, 2.0], [7.0, 0.0], [6.0, 1.0]])
    found = nearest(absorbed, labels_of([0], [0, 1, 0, 1]), torch.tensor([2, 2]))
    assert found.int().tolist() == [[0, 0], [1, 1], [1, 0], [0, 1]]
