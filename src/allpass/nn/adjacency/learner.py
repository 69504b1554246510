"""The adjacency learner: a new graph whose edges fit the labels, learned with the network that uses it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.func import functional_call

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.nn.adjacency.averaging import averaged
from allpass.nn.adjacency.base import Heads, build_base
from allpass.nn.adjacency.candidates import build_candidates
from allpass.nn.adjacency.fusion import (
    RANDOM,
    LearnedOperator,
    checked_fusion,
    chosen_weights,
    constant,
    fuse,
)
from allpass.nn.adjacency.limits import check_sizes
from allpass.nn.adjacency.pattern import CandidateGraph, stamp_of, without_loops
from allpass.nn.adjacency.pretraining import Loss, pretrain
from allpass.nn.adjacency.scores import checked_normalisation, logits, similarity, weights
from allpass.nn.adjacency.search import SEARCHES, Search, most_similar
from allpass.nn.adjacency.selection import Candidates, Selection
from allpass.nn.dropout import step_key
from allpass.nn.inputs import Features, Graph, read


class AdjacencyLearner(nn.Module):
    r"""Learns an adjacency from features, a graph and, by what it is used for, labels.

    Three steps, each exchangeable:

    1. *base*: an embedding h of the nodes, compared by several heads of weighted cosine:
       :math:`s_{ij} = \frac{1}{K} \sum_k \cos(w_k \odot h_i, w_k \odot h_j)`;
    2. *candidates*: the given neighbours and, of all other nodes, :math:`k_1` for each node;
    3. *fusion*: the :math:`k_2` best candidates of each node are kept. Scores become weights, the graph is symmetrised,
       renormalised and mixed with the given one.

    The result is an :class:`~allpass.graph.Operator` with differentiable values: call a layer or a model with it in
    place of ``edge_index``. Scores are never computed for all pairs of nodes.

    Args:
        in_channels: Number of features.
        base: A name of ``BASES`` (``"mlp"``, ``"gcn"``, ``"features"``), or a module of yours.
        embedding_channels: Width of h.
        hidden_channels: Width of the hidden layer of the base.
        heads: K.
        dropout: Probability of dropout in the base.
        candidates: A name of ``CANDIDATES`` (``"top-k"``, ``"sampled"``, ``"bandit"``), or a function that makes a
            way of choosing.
        k1: Candidates of the complement for each node.
        search: How similar nodes are found: ``"exact"``, ``"approximate"`` (needs the extra ``ann``), or ``"auto"``,
            exact up to 30,000 nodes.
        fusion: ``"top-k"`` (straight-through), ``"gumbel"`` (Gumbel top-k) or ``"sample"``.
        k2: Candidates that each node keeps.
        normalisation: How scores become weights: ``"standard"`` (a sigmoid of standardised scores), ``"softmax"`` (of
            each node's candidates) or ``"cosine"`` (cut off at 0).
        symmetrise: Give an edge that one of its ends keeps half the weight of one that both keep, in both directions.
        renormalise: Divide by degrees before mixing, so that hubs weigh no more than others.
        mix: The share of the given graph in the result, from 0 to 1.
        every: Epochs between two choices of candidates.
        warmup: Epochs in which the share of the learned graph grows from 0.
        averaging: How many times each node moves to the mean of its position and those of its k2 nearest candidates
            before nodes are compared. So positions follow the graph that follows from them, as in IDGL
            (arXiv:2006.13009), and nodes within a cluster come closer to each other. The means have no gradient
            through the choice of these candidates.
        momentum: How much of the old graph stays when candidates are chosen again: scores are mixed with those of a
            slowly moving average of the weights. At 1 the graph is that of the first weights: a pretrained learner.
        temperature: Divides the scores in the first epoch.
        final_temperature: Divides them after ``cooling`` epochs; in between it falls geometrically.
        cooling: Epochs of the temperature schedule.
        num_nodes: Keep the chosen candidates with the weights, for a graph of so many nodes.

    Shapes:
        x ``[N, in_channels]``; result an Operator ``[N, N]``.

    Notes:
        Self-loops of the given graph are left out, as networks add their own. Edges stand for similarity, so a
        candidate of one end is one of the other. Where :meth:`refresh` is not called, candidates are chosen in every
        forward. On the graph of the last refresh a loaded learner has its candidates; on another graph, such as one
        with new nodes, they are chosen by its weights.

    Example:
        >>> learner = AdjacencyLearner(5, k1=4, k2=2)
        >>> x, edge_index = torch.rand(9, 5), torch.tensor([[0, 1], [1, 0]])
        >>> A = learner(x, edge_index)
        >>> (A @ x).sum().backward()
        >>> learner.heads.weight.grad.shape
        torch.Size([2, 32])
    """

    chosen: Tensor
    stamp: Tensor
    schedule: Tensor
    seed: Tensor

    def __init__(
        self,
        in_channels: int,
        *,
        base: str | nn.Module = "mlp",
        embedding_channels: int = 32,
        hidden_channels: int = 64,
        heads: int = 2,
        dropout: float = 0.5,
        candidates: str | Callable[[], Candidates] = "top-k",
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
        temperature: float = 1.0,
        final_temperature: float = 1.0,
        cooling: int = 100,
        num_nodes: int | None = None,
    ) -> None:
        super().__init__()
        check_sizes(
            k1,
            k2,
            every,
            warmup,
            averaging,
            {"mix": mix, "momentum": momentum},
            (temperature, final_temperature),
        )
        if search not in SEARCHES:
            raise InputError(f"Got search = {search!r}.", f"Expected one of {', '.join(SEARCHES)}.")
        self.base = build_base(base, in_channels, embedding_channels, hidden_channels, dropout)
        self.heads = Heads(int(self.base.out_channels), heads)  # type: ignore[arg-type]
        build_candidates(candidates)  # an unknown name is refused here
        self.candidates, self.fusion = candidates, checked_fusion(fusion)
        self.normalisation = checked_normalisation(normalisation)
        self.k1, self.k2, self.search, self.every = k1, k2, search, every
        self.symmetrise, self.renormalise, self.mix = symmetrise, renormalise, float(mix)
        self.warmup, self.averaging, self.momentum = warmup, averaging, float(momentum)
        self.temperatures, self.cooling = (float(temperature), float(final_temperature)), cooling
        self._choosing: Candidates | None = None
        self._number = 0
        self.register_buffer("chosen", torch.full((num_nodes or 0, k1), -1, dtype=torch.int32))
        self.register_buffer("stamp", torch.zeros((), dtype=torch.int64))
        self.register_buffer(
            "schedule", torch.tensor([1.0, temperature])
        )  # share of the learned graph, temperature
        self.register_buffer("seed", torch.randint(2**62, ()), persistent=False)
        if self.is_random:
            self.register_buffer("noise", torch.randint(2**62, ()), persistent=False)
        if self.momentum:
            for name, parameter in self._scoring():
                self.register_buffer(_slow(name), parameter.detach().clone())

    @property
    def is_random(self) -> bool:
        """Whether a training forward differs from an evaluation whatever the dropout."""
        return self.fusion in RANDOM

    def forward(
        self, x: Features, edge_index: Graph | CandidateGraph, edge_weight: Tensor | None = None
    ) -> Operator:
        """The learned graph.

        Args:
            x: Node features.
            edge_index: The given graph, or what :meth:`refresh` made of it.
            edge_weight: Weights of edges.
        """
        if isinstance(edge_index, CandidateGraph):
            x, A = read(x, edge_index.given)
            graph = edge_index
        else:
            x, A = read(x, edge_index, edge_weight)
            graph = self.candidates_of(x, A)
        return self.fused(x, graph) if graph.fixed is None else graph.fixed

    def fused(self, x: Features, graph: CandidateGraph, *, mix: float | None = None) -> Operator:
        """The learned graph of these candidates.

        Args:
            x: Node features.
            graph: Given edges and candidates.
            mix: The share of the given graph; by default as the learner was made.
        """
        raw = self._scores(x, graph)
        found = logits(raw, graph.loops, graph.temperature, self.normalisation)
        value = weights(found, graph.pattern, self.k2, self.normalisation)
        key = step_key(self.get_buffer("noise")) if self.training and self.is_random else None
        chosen = chosen_weights(found, value, graph, self.k2, self.fusion, key)
        share = 1 - graph.share * (1 - self.mix) if mix is None else mix
        return fuse(
            chosen, graph, self.k2, symmetrise=self.symmetrise, renormalise=self.renormalise, mix=share
        )

    def _scores(self, x: Features, graph: CandidateGraph) -> Tensor:
        """Scores of the candidates ``[E]``: those of the present weights, mixed with those of the slow ones."""
        if graph.slow is None or self.momentum < 1:
            now = similarity(self._moved(self.positions(x, graph.given), graph), graph.pattern)
            return now if graph.slow is None else self.momentum * graph.slow + (1 - self.momentum) * now
        return graph.slow

    def positions(self, x: Features, A: Operator) -> Tensor:
        """Positions of the nodes ``[N, K F]``, whose inner product is the score."""
        found: Tensor = self.heads(self.base(x, A))
        return found

    def _moved(self, z: Tensor, graph: CandidateGraph) -> Tensor:
        """Positions after their averages."""
        return averaged(z, graph, self.k2, self.averaging, self.heads.normalised)

    def learned(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Operator:
        """The learned graph alone, without its share of the given one: constants, and the kept edges only."""
        x, A = read(x, edge_index, edge_weight)
        was = self.training
        self.eval()
        with torch.no_grad():
            found = self.fused(x, self.candidates_of(x, A), mix=0.0)
        self.train(was)
        return constant(found)

    def candidates_of(self, x: Features, A: Operator) -> CandidateGraph:
        """The candidates of the last :meth:`refresh`, where it saw this graph; else those of the present weights."""
        given = without_loops(A)
        share, temperature = self.schedule.tolist()
        if len(self.chosen) == A.shape[0] and int(self.stamp) == stamp_of(given):
            chosen = self.chosen.long()
        else:
            with torch.no_grad():
                chosen = self._select(x, given, build_candidates(self.candidates), 0)
        return self._prepared(x, CandidateGraph.of(given, chosen, share, temperature))

    @torch.no_grad()
    def refresh(
        self,
        x: Features,
        edge_index: Graph | CandidateGraph,
        edge_weight: Tensor | None = None,
        *,
        epoch: int = 0,
        rewards: Tensor | None = None,
    ) -> CandidateGraph | None:
        """Choose candidates again where it is time to, and keep them; nothing where it is not.

        Args:
            x: Node features.
            edge_index: The given graph, or what the last call gave.
            edge_weight: Weights of edges.
            epoch: Epochs done; 0 begins a new training.
            rewards: By how much each candidate of the last choice lowered the loss on held-out nodes, ``[N, k1]``.
        """
        if epoch % self.every:
            return None
        before = edge_index if isinstance(edge_index, CandidateGraph) else None
        x, A = read(x, before.given) if before else read(x, edge_index, edge_weight)  # type: ignore[arg-type]
        given = without_loops(A)
        if epoch == 0:
            self._choosing, self._number, before = build_candidates(self.candidates), 0, None
        self._follow(1.0 if epoch == 0 else 1 - self.momentum)
        share = min(1.0, epoch / self.warmup) if self.warmup else 1.0
        first, last = self.temperatures
        temperature = first * (last / first) ** min(1.0, epoch / max(self.cooling, 1))
        assert self._choosing is not None
        if before is not None and self.momentum == 1 and self._choosing.repeats and not self.averaging:
            chosen = before.chosen  # the slow weights never move
        else:
            chosen = self._select(x, given, self._choosing, self._number, before, rewards)
        self._number += 1
        self.schedule.copy_(torch.tensor([share, temperature]))
        self.stamp.fill_(stamp_of(given))
        if len(self.chosen) == len(chosen):
            self.chosen.copy_(chosen)
        if before is not None and torch.equal(before.chosen, chosen):
            if (before.share, before.temperature) == (share, temperature) and self.momentum in (0, 1):
                return None
            found = replace(before, share=share, temperature=temperature, slow=None, fixed=None)
        else:
            found = CandidateGraph.of(given, chosen, share, temperature)
        return self._prepared(x, found)

    def pretrain(
        self,
        x: Features,
        edge_index: Graph,
        *,
        target: Tensor,
        mask: Tensor,
        loss: Loss,
        out_channels: int,
        epochs: int,
    ) -> None:
        """Let the base learn the training labels by itself; arguments as of :func:`pretraining.pretrain`."""
        x, A = read(x, edge_index)
        seed = int(self.seed)
        pretrain(
            self.base,
            x,
            without_loops(A),
            target=target,
            mask=mask,
            loss=loss,
            out_channels=out_channels,
            epochs=epochs,
            seed=seed,
        )

    def _select(
        self,
        x: Features,
        given: Operator,
        choosing: Candidates,
        number: int,
        before: CandidateGraph | None = None,
        rewards: Tensor | None = None,
    ) -> Tensor:
        N = given.shape[0]
        if self.k1 >= N:
            raise InputError(
                f"Got k1 = {self.k1} candidates for each of {N} nodes.",
                f"Expected fewer than there are nodes: set k1 to {max(N - 1, 1)} or less, and k2 to no more.",
            )
        z, last = self._slow_positions(x, given), None if before is None else before.chosen
        if self.averaging:  # over the last candidates, or at first over the nearest ones
            graph = before or CandidateGraph.of(given, most_similar(z, given, self.k1, self.search))
            z = self._moved(z, graph)
        seed = int(self.seed)
        return choosing.select(Selection(z, given, self.k1, number, seed, self.search, last, rewards))

    def _prepared(self, x: Features, graph: CandidateGraph) -> CandidateGraph:
        """With what stays the same until candidates are chosen again."""
        if graph.share == 0:
            values = self.k2 * graph.normalized if self.renormalise else graph.weights
            return replace(graph, fixed=constant(LearnedOperator(graph, values)))
        if self.momentum:
            slow = similarity(self._moved(self._slow_positions(x, graph.given), graph), graph.pattern)
            graph = replace(graph, slow=slow)
        if self.momentum == 1 and not self.is_random:
            with torch.no_grad():
                graph = replace(graph, fixed=constant(self.fused(x, graph)))
        return graph

    def _scoring(self) -> list[tuple[str, Tensor]]:
        """What decides the scores."""
        return [
            (name, part) for name, part in self.named_parameters() if name.startswith(("base.", "heads."))
        ]

    def _follow(self, step: float) -> None:
        """Move the slow weights towards the present ones."""
        for name, parameter in self._scoring() if self.momentum else ():
            self.get_buffer(_slow(name)).lerp_(parameter, step)

    def _slow_positions(self, x: Features, A: Operator) -> Tensor:
        """Positions by the slow weights, without dropout."""
        was = self.training
        self.eval()
        with torch.no_grad():
            if not self.momentum:
                found = self.positions(x, A)
            else:
                slow = {name: self.get_buffer(_slow(name)) for name, _ in self._scoring()}
                named = {f"learner.{name}": value for name, value in slow.items()}
                found = functional_call(_Positions(self), named, (x, A))
        self.train(was)
        return found

    def extra_repr(self) -> str:
        return f"candidates={self.candidates}, k1={self.k1}, fusion={self.fusion}, k2={self.k2}, mix={self.mix:g}"


class _Positions(nn.Module):
    def __init__(self, learner: AdjacencyLearner) -> None:
        super().__init__()
        self.learner = learner

    def forward(self, x: Features, A: Operator) -> Tensor:
        return self.learner.positions(x, A)


def _slow(name: str) -> str:
    return "slow_" + name.replace(".", "_")
