"""Clusters named by the nearest class."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.cluster import KMeans

from allpass.data.splits import Split
from allpass.train.few_labels.expansion import Labels
from allpass.train.few_labels.m3s import aligned

Outputs = tuple[torch.Tensor, torch.Tensor]


def labels_of(train: list[int], y: torch.Tensor) -> Labels:
    mask = torch.zeros(len(y), dtype=torch.bool)
    mask[train] = True
    return Labels.of(Split(mask, mask, mask, "by hand"), y)


@pytest.fixture(scope="module")
def outputs() -> Outputs:
    """Three bundles of directions, and the bundle of every node."""
    y = torch.arange(60) % 3
    return 4 * torch.eye(3)[y] + 0.3 * torch.randn(60, 3, generator=torch.Generator().manual_seed(0)), y


def test_clear_clusters_get_the_class_of_their_few_labels(outputs: Outputs) -> None:
    x, y = outputs
    assert torch.equal(aligned(x, labels_of([0, 1, 2], y), clusters=6).int().argmax(1), y)


def test_against_a_plain_loop(outputs: Outputs) -> None:
    x, y = outputs
    labels = labels_of([0, 1, 2, 4, 8], y)
    points = (x / x.norm(dim=1, keepdim=True)).double().numpy()
    found = KMeans(10, n_init=1, random_state=7).fit(points)
    means = [points[labels.target.numpy() == c].mean(0) for c in range(3)]
    classes = [
        min(range(3), key=lambda c: np.sum((means[c] - centre) ** 2)) for centre in found.cluster_centers_
    ]
    expected = [classes[cluster] for cluster in found.labels_]
    assert aligned(x, labels, clusters=10, seed=7).int().argmax(1).tolist() == expected


def test_the_seed_decides() -> None:
    x, y = torch.randn(200, 3, generator=torch.Generator().manual_seed(0)), torch.arange(200) % 3
    labels = labels_of(list(range(9)), y)
    assert torch.equal(aligned(x, labels, clusters=20, seed=1), aligned(x, labels, clusters=20, seed=1))
    assert not torch.equal(aligned(x, labels, clusters=20, seed=1), aligned(x, labels, clusters=20, seed=2))


def test_a_class_that_nobody_shows_names_no_cluster(outputs: Outputs) -> None:
    x, y = outputs
    assert not aligned(x, labels_of([0, 1], y), clusters=6)[:, 2].any()


def test_fewer_nodes_than_clusters() -> None:
    x = torch.eye(3)[[0, 0, 1, 2]]
    found = aligned(x, labels_of([0, 2, 3], torch.tensor([0, 0, 1, 2])))
    assert found.int().argmax(1).tolist() == [0, 0, 1, 2]
