"""Which nodes each strategy adds: told by what its last training was told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch_geometric.data import Data

from allpass.data import splits
from allpass.testing import learnable_graph
from allpass.train.few_labels import strategies
from allpass.train.few_labels.expansion import Labels, confident, nearest, quota
from allpass.train.few_labels.learner import Learner
from allpass.train.few_labels.m3s import aligned
from allpass.train.few_labels.walks import absorption
from allpass.train.fit import Replica
from allpass.train.rules.stopping import stopping

HOW = {"stop": stopping("fixed", max_epochs=10), "select": "final", "dtype": torch.float64}


class Noting(Learner):
    """A learner that keeps what it was told."""

    told: list[Labels]

    def fit(self, known: Sequence[Labels], **more: Any) -> list[Replica]:
        object.__setattr__(self, "told", [*getattr(self, "told", []), *known])
        return super().fit(known, **more)


@pytest.fixture(scope="module")
def data() -> Data:
    x, A, y, _ = learnable_graph()
    return Data(x=x, edge_index=A.edge_index, y=y, num_nodes=len(y))


@pytest.fixture
def learner(data: Data) -> Noting:
    return Noting("gcn", data, {"lr": 0.05}, 0, HOW)


@pytest.fixture(scope="module")
def few(data: Data) -> Labels:
    (split,) = splits(data, "few-label", percent=5, val=30, test=30, count=1)
    return Labels.of(split, data.y)


@pytest.fixture
def choices(learner: Noting, few: Labels) -> dict[str, torch.Tensor]:
    """What the first network and the walks would add, of 24 nodes in all."""
    (run,) = Learner(learner.model, learner.data, learner.settings, 0, HOW).fit([few])
    counts = quota(few, 3, 24)
    absorbed = absorption(learner.graph, few.one_hot(3), alpha=1e-6)
    return {
        "network": confident(learner.predict(run), few, counts),
        "walks": nearest(absorbed, few, counts),
        "clusters": aligned(learner.predict(run), few, clusters=5, seed=0),
    }


def last(learner: Noting) -> list[int]:
    return learner.told[-1].target.tolist()


def test_self_training(learner: Noting, few: Labels, choices: dict[str, torch.Tensor]) -> None:
    strategies.self_training(learner, [few], added=24)
    assert last(learner) == few.grown(choices["network"]).target.tolist()
    assert int(learner.told[-1].split.train.sum()) == int(few.split.train.sum()) + 24


def test_co_training_needs_no_first_network(
    learner: Noting, few: Labels, choices: dict[str, torch.Tensor]
) -> None:
    strategies.co_training(learner, [few], added=24, alpha=1e-6)
    assert len(learner.told) == 1
    assert last(learner) == few.grown(choices["walks"]).target.tolist()


def test_union_and_intersection(learner: Noting, few: Labels, choices: dict[str, torch.Tensor]) -> None:
    strategies.union(learner, [few], added=24, alpha=1e-6)
    assert last(learner) == few.grown(choices["network"] | choices["walks"]).target.tolist()
    strategies.intersection(learner, [few], added=24, alpha=1e-6)
    assert last(learner) == few.grown(choices["network"] & choices["walks"]).target.tolist()


def test_stages_add_a_share_each(learner: Noting, few: Labels) -> None:
    strategies.multi_stage(learner, [few], added=24, stages=4)
    sizes = [int(labels.split.train.sum()) for labels in learner.told]
    assert [size - sizes[0] for size in sizes] == [0, 6, 12, 18, 24]


def test_m3s_adds_what_clusters_confirm(
    learner: Noting, few: Labels, choices: dict[str, torch.Tensor]
) -> None:
    strategies.m3s(learner, [few], added=24, stages=1, clusters=5)
    assert last(learner) == few.grown(choices["network"] & choices["clusters"]).target.tolist()


def test_the_published_number_of_nodes_is_the_default(learner: Noting, few: Labels) -> None:
    strategies.co_training(learner, [few], added=None, alpha=1e-6)
    mean_degree = learner.data.num_edges / 120
    third = int(120 * 3 / mean_degree**2 / 3)
    assert int(learner.told[-1].split.train.sum()) == int(few.split.train.sum()) + 3 * third


@pytest.mark.parametrize("everywhere", [True, False])
def test_adversarial_weights_are_those_of_the_network(learner: Noting, few: Labels, everywhere: bool) -> None:
    options = {"epsilon": 0.1, "xi": 1e-3, "steps": 1, "weight": 1.0}
    (run,) = strategies.adversarial(learner, [few], everywhere=everywhere, **options)
    right = learner.predict(run).argmax(1) == learner.data.y
    assert float(right[few.split.test].double().mean()) == pytest.approx(run.scores["test_score"])
