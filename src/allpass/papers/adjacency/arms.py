"""The arms of the adjacency studies: learners, networks on the given graph, and controls that separate the causes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.data import Data

from allpass.data.splits import Split
from allpass.models.adjacency import AdjacencyNetwork
from allpass.nn.adjacency.learner import AdjacencyLearner
from allpass.nn.inputs import as_features
from allpass.papers.measuring import Measured
from allpass.train.adjacency import adjacency
from allpass.train.fit import Replica, fit
from allpass.train.learned_graph import learned_graph
from allpass.train.scaling import Scaler
from allpass.train.trained import Trained

TRAINING: Final = {"stop": "patience-loss", "epochs": 200, "patience": 30, "select": "lowest-val-loss"}
PRETRAINING = 100
_LR = {"lr": 0.02}
_PLAIN = {**_LR, "grid": {"dropout": [0.2, 0.6], "weight_decay": [5e-4, 5e-3]}}
_MIXED = {**_LR, "grid": {"dropout": [0.2, 0.6], "mix": [0.0, 0.5]}}
"""Four settings each; graphs that are not given choose their share of the given graph in place of weight decay."""


def _learner(model: str = "adjacency-gcn", **fixed: object) -> dict[str, Any]:
    return {"model": model, "fixed": {"pretraining": PRETRAINING, **fixed}, "graph": "learned", **_MIXED}


ARMS: Mapping[str, Mapping[str, Any]] = {
    "MLP": {"model": "mlp", **_PLAIN},
    "GCN": {"model": "gcn", **_PLAIN},
    "ACM-GCN": {"model": "acm-gcn", **_PLAIN},
    "MLP on base": {"model": "mlp", "base": True, **_PLAIN},
    "kNN of X": _learner(training="pretrained", base="features", pretraining=0),
    "kNN of base": _learner(training="pretrained"),
    "shuffled": _learner(training="pretrained") | {"graph": "shuffled"},
    "top-k": _learner(),
    "sampled": _learner(candidates="sampled"),
    "bandit": _learner(candidates="bandit"),
    "fourth channel": _learner("acm-gcn-adjacency") | _PLAIN,
}
"""How each arm is trained, in the types of JSON.

``kNN of base`` is a learner whose graph is that of the pretrained base, ``shuffled`` the same graph with its nodes
permuted, ``MLP on base`` an MLP whose features are X and the embedding of that base.
"""

GIVEN = ("GCN", "ACM-GCN")
CONTROLS = ("MLP", "MLP on base", "kNN of X", "kNN of base", "shuffled")
LEARNERS = ("top-k", "sampled", "bandit", "fourth channel")


def measure_arm(arm: Mapping[str, Any], data: Data, split: Split, seed: int) -> Measured:
    """Train an arm with each of its settings on one split; validation nodes choose, test nodes are reported.

    Args:
        arm: An entry of ``ARMS``.
        data: The graph.
        split: The split.
        seed: Of weights and dropout.
    """
    data = with_base(data, split, seed) if arm.get("base") else data
    settings = settings_of(arm)
    wrap = Shuffling(seed) if arm.get("graph") == "shuffled" else None
    scaling = "none" if arm.get("base") else "auto"
    runs = fit(
        arm["model"],
        data,
        split,
        settings,
        seeds=seed,
        wrap=wrap,
        scaling=scaling,
        score=arm.get("score"),
        device="cpu",
        on_progress=None,
        **TRAINING,  # type: ignore[arg-type]
    )
    best = max(range(len(runs)), key=lambda number: _merit(runs[number]))
    scores = {"test": runs[best].scores["test_score"], "val": runs[best].scores["val_score"]}
    scores |= {"setting": float(best), "epochs": float(runs[best].epochs)}
    if arm.get("graph") == "learned":
        found = learned_graph(Trained.of(runs[best], data), data).summary()
        scores |= {name: float(value) for name, value in found.items() if value is not None}
    return Measured(scores)


def settings_of(arm: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All settings that an arm chooses among."""
    grid = arm["grid"]
    fixed = {"lr": arm["lr"], **arm.get("fixed", {})}
    return [{**fixed, **dict(zip(grid, values, strict=True))} for values in product(*grid.values())]


def _merit(run: Replica) -> tuple[float, float]:
    if run.epoch is None:
        return -torch.inf, -torch.inf
    return run.scores["val_score"], -run.scores["val_loss"]


class Shuffling:
    """Permutes the nodes of a learned graph: as many edges and degrees, but no similarity.

    Args:
        seed: Of the permutation.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, network: nn.Module) -> nn.Module:
        assert isinstance(network, AdjacencyNetwork)
        network.learner.heads.register_forward_hook(self._permuted)
        return network

    def _permuted(self, _: nn.Module, __: object, positions: Tensor) -> Tensor:
        order = torch.randperm(len(positions), generator=torch.Generator().manual_seed(self.seed))
        return positions[order.to(positions.device)]


def with_base(data: Data, split: Split, seed: int) -> Data:
    """The graph with the embedding of a pretrained base behind its scaled features.

    Args:
        data: The graph.
        split: Its training nodes are learnt.
        seed: Of the weights.
    """
    x = Scaler.of(data.x, "auto")(data.x)
    features, A = as_features(x), adjacency(data, torch.float32)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        learner = AdjacencyLearner(x.shape[1])
        learner.pretrain(
            features,
            A,
            target=data.y,
            mask=split.train,
            loss=_loss,
            out_channels=int(data.y.max()) + 1,
            epochs=PRETRAINING,
        )
    with torch.no_grad():
        h = learner.eval().base(features, A)
    h = (h - h.mean(0)) / h.std(0).clamp(min=1e-6)
    dense = x if x.layout == torch.strided else x.to_dense()
    wide = torch.cat([dense, h], dim=1)
    found = data.clone()
    found.x = wide if x.layout == torch.strided else wide.to_sparse_csr()
    for name in ("feature_names", "encodings"):
        found.pop(name, None)
    return found


def _loss(output: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    each = F.cross_entropy(output, target.clamp(min=0), reduction="none")
    return (each * weight).sum() / weight.sum()
