"""Networks on a graph that they learn: any network that takes edge weights, and ACM-GCN with it as a fourth channel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, cast, get_args

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.models.entry import GRID, Model
from allpass.nn.adjacency.candidates import build_candidates
from allpass.nn.adjacency.channel import ACMAdjacencyConv
from allpass.nn.adjacency.fusion import LearnedOperator
from allpass.nn.adjacency.learner import AdjacencyLearner
from allpass.nn.adjacency.pattern import CandidateGraph
from allpass.nn.adjacency.pretraining import Loss
from allpass.nn.adjacency.search import Search
from allpass.nn.dropout import Dropout, hashed, rate_buffers, spread_indices
from allpass.nn.inputs import Features, Graph, read

Training = Literal["end-to-end", "pretrained"]

SECTION = "Report, section 3.6: adjacency learner"
NETWORK = "network"
"""The setting that names the network on the learned graph."""

FOURTH = "fourth-channel"
"""The network that has the learned graph as a channel next to the given one."""


class AdjacencyNetwork(nn.Module):
    """A network around an adjacency learner, trained together.

    Args:
        learner: Makes the graph.
        network: Called as ``network(x, given, learned)``; see :class:`OnLearned`.
        out_channels: Width of the output.
        pretraining: Epochs in which the base of the learner learns the labels by itself, before the first epoch.
        holdout: The share of the training nodes that is kept out of the loss where candidates are rewarded by it.
    """

    def __init__(
        self,
        learner: AdjacencyLearner,
        network: nn.Module,
        out_channels: int,
        *,
        pretraining: int = 0,
        holdout: float = 0.2,
    ) -> None:
        super().__init__()
        if not 0 < holdout < 1:
            raise InputError(f"Got holdout = {holdout}.", "Expected a share between 0 and 1.")
        self.learner, self.network = learner, network
        self.out_channels, self.pretraining, self.holdout = out_channels, pretraining, holdout
        self.rewarded = build_candidates(learner.candidates).needs_rewards

    @property
    def refresh_every(self) -> int:
        """Epochs between two calls of :meth:`refresh` that may change something."""
        return self.learner.every

    def parameter_groups(self) -> dict[str, list[str]]:
        """The learner is a group of its own: ``lr:learner`` and ``weight_decay:learner``."""
        return {"learner": [f"learner.{name}" for name, _ in self.learner.named_parameters()]}

    def forward(
        self, x: Features, edge_index: Graph | CandidateGraph, edge_weight: Tensor | None = None
    ) -> Tensor:
        if isinstance(edge_index, CandidateGraph):
            graph = edge_index
        else:
            x, A = read(x, edge_index, edge_weight)
            graph = self.learner.candidates_of(x, A)
        output: Tensor = self.network(x, graph.given, self.learner(x, graph))
        return output

    def refresh(
        self,
        epoch: int,
        x: Features,
        edge_index: Graph | CandidateGraph,
        target: Tensor,
        mask: Tensor,
        loss: Loss,
    ) -> CandidateGraph | None:
        """What the training calls before every epoch: what takes the place of the graph from now on, if anything.

        Args:
            epoch: Epochs done.
            x: Node features.
            edge_index: The given graph at first, and then what the last call gave.
            target: Labels ``[N]``; those of the mask alone are read.
            mask: Training nodes, bool ``[N]``.
            loss: The loss of the task, ``loss(output, target, weight)``.
        """
        if epoch % self.learner.every:
            return None
        if not bool(mask.any()):
            raise InputError("Got no training node for an adjacency learner.", "Label some nodes.")
        if isinstance(edge_index, CandidateGraph) and epoch:
            rewards = self._rewards(x, edge_index, target, mask, loss) if self.rewarded else None
            return self.learner.refresh(x, edge_index, epoch=epoch, rewards=rewards)
        given = edge_index.given if isinstance(edge_index, CandidateGraph) else edge_index
        self.learner.pretrain(
            x,
            given,
            target=target,
            mask=self.counted(mask),
            loss=loss,
            out_channels=self.out_channels,
            epochs=self.pretraining,
        )
        return self.learner.refresh(x, given, epoch=epoch)

    def counted(self, mask: Tensor) -> Tensor:
        """The training nodes that enter the loss: without those that candidates are rewarded by."""
        if not self.rewarded:
            return mask
        left = mask & ~self.held(mask)
        return torch.where(left.any(), left, mask)

    def held(self, mask: Tensor) -> Tensor:
        """The training nodes that candidates are rewarded by: at least one, the same in every epoch."""
        bits = hashed(spread_indices(len(mask), mask.device), self.learner.seed)
        least = torch.where(mask, bits, 2**63 - 1).min()
        return mask & (bits <= torch.maximum(least, rate_buffers(self.holdout)[0].to(mask.device)))

    def _rewards(
        self, x: Features, graph: CandidateGraph, target: Tensor, mask: Tensor, loss: Loss
    ) -> Tensor:
        r"""By how much each candidate lowers the loss L of the held-out training nodes, ``[N, k1]``.

        To first order that is :math:`-a \, \partial L / \partial a` for an edge of weight a, in both directions.
        """
        with torch.no_grad():
            values = self.learner.fused(x, graph).values
        with torch.enable_grad():
            leaf = values.detach().requires_grad_()
            output = self.network(x, graph.given, LearnedOperator(graph, leaf))
            held = self.held(mask).to(output.dtype)
            (slope,) = torch.autograd.grad(loss(output, target, held), [leaf])
        gain = -slope * leaf.detach()
        gain = gain + gain[graph.mirrored]
        return torch.where(graph.chosen >= 0, gain[graph.places], 0)

    def learned_graph(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Operator:
        """The learned graph alone, without its share of the given one: the kept edges, as constants."""
        return self.learner.learned(x, edge_index, edge_weight)


class OnLearned(nn.Module):
    """A network on the learned graph alone.

    Args:
        network: Called as ``network(x, A)``.
    """

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Features, given: Operator, learned: Operator) -> Tensor:  # noqa: ARG002 - as it is called
        output: Tensor = self.network(x, learned)
        return output


class FourChannels(nn.Module):
    """ACM layers in a row whose fourth channel is the learned graph: dropout, layer, dropout, layer.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        hidden_channels: Width of the hidden layers.
        num_layers: Number of layers.
        dropout: Probability of dropout before every layer.
        scale: Factor of the mixture; by default 4.
        temperature: T of the softmax; by default 4.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        hidden_channels: int,
        num_layers: int,
        dropout: float,
        scale: float | None = None,
        temperature: float | None = None,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise InputError(f"Got num_layers = {num_layers}.", "Expected 1 or more.")
        widths = [in_channels, *[hidden_channels] * (num_layers - 1), out_channels]
        layer = partial(ACMAdjacencyConv, scale=scale, temperature=temperature)
        self.layers = nn.ModuleList(map(layer, widths[:-1], widths[1:]))
        self.dropouts = nn.ModuleList(Dropout(dropout) for _ in self.layers)

    def forward(self, x: Features, given: Operator, learned: Operator) -> Tensor:
        for layer, drop in zip(self.layers, self.dropouts, strict=True):
            x = layer(drop(x), given, learned)
        return cast(Tensor, x)


def adjacency_network(
    in_channels: int,
    out_channels: int,
    *,
    network: str = "gcn",
    hidden_channels: int = 64,
    num_layers: int = 2,
    dropout: float = 0.5,
    training: Training = "end-to-end",
    pretraining: int = 100,
    base: str = "mlp",
    embedding_channels: int = 32,
    heads: int = 2,
    candidates: str = "top-k",
    k1: int = 20,
    search: Search = "auto",
    fusion: str = "top-k",
    k2: int = 10,
    normalisation: str = "standard",
    symmetrise: bool = True,
    renormalise: bool = True,
    mix: float = 0.5,
    every: int = 10,
    warmup: int = 0,
    averaging: int = 0,
    momentum: float = 0.0,
    score_temperature: float = 1.0,
    final_temperature: float = 1.0,
    cooling: int = 100,
    holdout: float = 0.2,
    scale: float | None = None,
    temperature: float | None = None,
    num_nodes: int | None = None,
) -> AdjacencyNetwork:
    """A network on a graph that is learned with it.

    Args:
        in_channels: Number of features.
        out_channels: Number of classes.
        network: The network: a name of ``MODELS`` that takes edge weights, or ``"fourth-channel"``, ACM-GCN on the
            given graph with the learned one as its fourth channel.
        hidden_channels: Width of the hidden layers, also of the base.
        num_layers: Number of layers of the network, where it has such a setting.
        dropout: Probability of dropout before every layer, also of the base.
        training: ``"end-to-end"``, or ``"pretrained"``: the graph is that of the base after its pretraining.
        pretraining: Epochs in which the base learns the labels by itself, before the first epoch.
        base: What embeds the nodes: ``"mlp"``, ``"gcn"`` or ``"features"``, the features as they are.
        embedding_channels: Width of the embedding.
        heads: Weighted cosines that are averaged.
        candidates: How candidates are chosen: ``"top-k"``, ``"sampled"`` or ``"bandit"``.
        k1: Candidates of the complement for each node.
        search: How similar nodes are found: ``"exact"``, ``"approximate"`` (needs the extra ``ann``), or ``"auto"``,
            exact up to 30,000 nodes.
        fusion: How candidates are kept: ``"top-k"``, ``"gumbel"`` or ``"sample"``.
        k2: Candidates that each node keeps.
        normalisation: How scores become weights: ``"standard"``, ``"softmax"`` or ``"cosine"``.
        symmetrise: Give an edge that one of its ends keeps half the weight of one that both keep.
        renormalise: Divide by degrees before the graphs are mixed.
        mix: The share of the given graph, from 0 to 1. The fourth channel has none.
        every: Epochs between two choices of candidates.
        warmup: Epochs in which the share of the learned graph grows from 0.
        averaging: How many times nodes move to the mean of themselves and their ``k2`` nearest candidates before they
            are compared.
        momentum: How much of the old graph stays when candidates are chosen again.
        score_temperature: Divides the scores in the first epoch.
        final_temperature: Divides them after ``cooling`` epochs.
        cooling: Epochs of the temperature schedule.
        holdout: The share of the training nodes that is kept out of the loss to reward candidates of ``"bandit"`` by.
        scale: Factor of the mixture in a network that mixes channels. By default the number of channels.
        temperature: T of the softmax in a network that mixes channels. By default the number of channels.
        num_nodes: Number of nodes, to keep their candidates with the weights.
    """
    if training not in get_args(Training):
        raise InputError(f"Got training = {training!r}.", f"Expected one of {', '.join(get_args(Training))}.")
    learner = AdjacencyLearner(
        in_channels,
        base=base,
        embedding_channels=embedding_channels,
        hidden_channels=hidden_channels,
        heads=heads,
        dropout=dropout,
        candidates=candidates,
        k1=k1,
        search=search,
        fusion=fusion,
        k2=k2,
        normalisation=normalisation,
        symmetrise=symmetrise,
        renormalise=renormalise,
        mix=0.0 if network == FOURTH else mix,
        every=every,
        warmup=warmup,
        averaging=averaging,
        momentum=1.0 if training == "pretrained" else momentum,
        temperature=score_temperature,
        final_temperature=final_temperature,
        cooling=cooling,
        num_nodes=num_nodes,
    )
    sizes = {"hidden_channels": hidden_channels, "num_layers": num_layers, "dropout": dropout}
    mixing = {"scale": scale, "temperature": temperature}
    inner: nn.Module
    if network == FOURTH:
        inner = FourChannels(in_channels, out_channels, **sizes, **mixing)  # type: ignore[arg-type]
    else:
        wanted = {name: value for name, value in mixing.items() if value is not None}
        inner = OnLearned(_named(network, in_channels, out_channels, sizes, wanted, num_nodes))
    return AdjacencyNetwork(learner, inner, out_channels, pretraining=pretraining, holdout=holdout)


_UNFIT = {
    "fitted-directly": "is no network",
    "ignores-graph": "reads no graph",
    "ignores-weights": "takes no edge weights",
    "uses-labels": "is called with labels too",
    "parameter-free": "has nothing to train",
}


def _named(
    name: str,
    in_channels: int,
    out_channels: int,
    sizes: Mapping[str, Any],
    wanted: Mapping[str, Any],
    num_nodes: int | None,
) -> nn.Module:
    """A network of the catalogue, where a learned graph can be put under it.

    Args:
        name: Its name.
        in_channels: Number of features.
        out_channels: Number of classes.
        sizes: Settings that it gets where it has them.
        wanted: Settings that it must have.
        num_nodes: Number of nodes, for networks with weights for each.
    """
    from allpass.models.catalog import create, resolve  # which lists the models of this file too

    entry, numbered = resolve(name)
    why = [words for trait, words in _UNFIT.items() if trait in entry.traits]
    if entry.build is adjacency_network:
        why = ["learns a graph itself"]
    if why:
        raise InputError(
            f"Got network = {name!r}, which {why[0]}: a learned graph cannot be put under it.",
            "Name a network that takes edge weights, such as 'gcn' or 'acm-gcn'.",
        )
    chosen = {key: value for key, value in {**sizes, **numbered}.items() if key in entry.settings}
    sized = {} if num_nodes is None else {"num_nodes": num_nodes}
    return create(name, in_channels=in_channels, out_channels=out_channels, **chosen, **wanted, **sized)


_model = partial(
    Model,
    build=adjacency_network,
    citation=SECTION,
    space={**GRID, "mix": (0.0, 0.5, 0.9), "k2": (5, 10, 20)},
    training={"lr": 0.01, "weight_decay": 5e-4, "lr:learner": 0.001, "weight_decay:learner": 0.0},
    traits=frozenset({"not-batchable"}),
)

ENTRIES = (
    _model("adjacency-gcn", summary="gcn on a graph that is learned from features, edges and labels"),
    _model("adjacency-acm-gcn", summary="acm-gcn on a learned graph", preset={"network": "acm-gcn"}),
    _model(
        "acm-gcn-adjacency",
        summary="acm-gcn with a learned graph as its fourth channel",
        preset={"network": FOURTH},
    ),
)
