"""The learner as a layer: what it gives, when it chooses again, what it keeps, and what it says of bad input."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor, nn

from allpass.errors import InputError, UnknownNameError
from allpass.graph import Operator
from allpass.nn import GCNConv, seed_dropout
from allpass.nn.adjacency import AdjacencyLearner, CandidateGraph, pretraining
from allpass.nn.adjacency.search import exact
from allpass.testing import learnable_graph

X, A, Y, MASK = learnable_graph()
SMALL = {"k1": 6, "k2": 3, "embedding_channels": 6, "hidden_channels": 12, "num_nodes": 120}


def learner(seed: int = 0, **settings: object) -> AdjacencyLearner:
    torch.manual_seed(seed)
    made = AdjacencyLearner(8, **{**SMALL, **settings})  # type: ignore[arg-type]
    seed_dropout(made, seed)
    return made


@pytest.mark.parametrize("base", ["mlp", "gcn", "features"])
def test_each_base_gives_a_graph_that_carries_gradients(base: str) -> None:
    made = learner(base=base)
    found = made(X, A)
    assert isinstance(found, Operator)
    assert found.shape == (120, 120)
    assert torch.allclose(found.to_dense(), found.to_dense().T, atol=1e-6)
    GCNConv(8, 2)(X, found).square().sum().backward()
    assert all(part.grad is not None and part.grad.any() for part in made.parameters())


def test_a_base_of_your_own() -> None:
    class Halves(nn.Module):
        out_channels = 4

        def forward(self, x: Tensor, A: Operator) -> Tensor:
            return x[:, :4]

    found = learner(base=Halves()).eval()
    assert found.positions(X, A).shape == (120, 8)
    with pytest.raises(InputError, match="base Identity without out_channels"):
        learner(base=nn.Identity())


def test_gradients_equal_finite_differences_where_every_candidate_is_kept() -> None:
    x, graph = (
        X[:14].double(),
        Operator.from_edge_index(A.edge_index[:, (A.edge_index < 14).all(0)], num_nodes=14),
    )
    made = learner(k1=3, k2=3, num_nodes=14, dropout=0.0).double().eval()
    made.k2 = 100  # keep all: the choice itself has no derivative
    candidates = made.refresh(x, graph)
    names, values = zip(*made.named_parameters(), strict=True)

    def output(*parameters: Tensor) -> Tensor:
        named = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(made, named, (x, candidates)).values

    assert torch.autograd.gradcheck(output, tuple(value.detach().requires_grad_() for value in values))


def test_candidates_are_chosen_when_it_is_time_and_kept_with_the_weights() -> None:
    made = learner(every=5)
    graph = made.refresh(X, A, epoch=0)
    assert isinstance(graph, CandidateGraph)
    assert torch.equal(made.chosen.long(), graph.chosen)
    assert torch.equal(graph.chosen, exact(made.eval().positions(X, A).detach(), A, 6))
    assert all(made.refresh(X, graph, epoch=epoch) is None for epoch in range(1, 5))
    assert made.refresh(X, graph, epoch=5) is None  # nothing has changed
    with torch.no_grad():
        made.base.last.weight.mul_(torch.randn_like(made.base.last.weight))
    later = made.refresh(X, graph, epoch=10)
    assert later is not None
    assert not torch.equal(later.chosen, graph.chosen)
    other = learner(seed=3, every=5)
    other.load_state_dict(made.state_dict())
    other.eval()
    assert torch.equal(other(X, A).to_dense(), made(X, later).to_dense())
    moved = Operator.from_edge_index(A.edge_index.roll(1, 1).flip(1)[:, 5:], num_nodes=120)
    assert torch.equal(
        other.candidates_of(X, moved).chosen, exact(other.positions(X, moved).detach(), moved, 6)
    )


def test_the_share_grows_and_the_temperature_falls() -> None:
    made = learner(every=1, warmup=4, temperature=2.0, final_temperature=0.5, cooling=4).eval()
    graph, seen = A, []
    for epoch in range(6):
        graph = made.refresh(X, graph, epoch=epoch) or graph
        seen.append((graph.share, graph.temperature))
    assert seen == [(0.0, 2.0), (0.25, 2**0.5), (0.5, 1.0), (0.75, 2**-0.5), (1.0, 0.5), (1.0, 0.5)]
    first = made.refresh(X, A, epoch=0)
    half = A.row_sums.clamp(min=1).rsqrt()
    wanted = 3 * half[:, None] * A.to_dense() * half
    torch.testing.assert_close(made(X, first).to_dense(), wanted)  # the given graph alone


def test_a_slow_graph_follows_the_weights() -> None:
    made = learner(momentum=0.75, every=1, mix=0.0).eval()
    before = {name: part.clone() for name, part in made.base.named_parameters()}
    graph = made.refresh(X, A, epoch=0)
    assert graph is not None
    with torch.no_grad():
        for part in made.parameters():
            part.add_(0.3 * torch.randn_like(part))
    still = made.fused(X, graph)
    now = made.positions(X, A).detach()
    made.refresh(X, graph, epoch=1)
    for name, part in made.base.named_parameters():
        slow = made.get_buffer("slow_base_" + name.replace(".", "_"))
        torch.testing.assert_close(slow, 0.75 * before[name] + 0.25 * part.detach())
    rows, cols = graph.pattern.row, graph.pattern.col.long()
    assert graph.slow is not None
    raw = 0.75 * graph.slow + 0.25 * (now @ now.T)[rows, cols]
    torch.testing.assert_close(made._scores(X, graph), raw)
    assert still.values.requires_grad


def test_a_pretrained_learner_gives_the_same_constant_graph_whatever_happens_to_its_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = learner(momentum=1.0).eval()
    graph = made.refresh(X, A, epoch=0)
    found = made(X, graph)
    assert found.is_constant
    assert found is made(X, graph)
    with torch.no_grad():
        for part in made.parameters():
            part.zero_()
    monkeypatch.setattr(made, "_select", None)  # nothing is searched for again
    assert made.refresh(X, graph, epoch=10) is None
    monkeypatch.undo()
    assert torch.equal(made(X, A).to_dense(), found.to_dense())


def test_a_pretrained_learner_follows_its_temperature(monkeypatch: pytest.MonkeyPatch) -> None:
    made = learner(momentum=1.0, temperature=2.0, final_temperature=0.5, cooling=10).eval()
    first = made.refresh(X, A, epoch=0)
    monkeypatch.setattr(made, "_select", None)
    later = made.refresh(X, first, epoch=10)
    assert later is not None
    assert torch.equal(later.chosen, first.chosen)
    assert not torch.equal(made(X, later).to_dense(), made(X, first).to_dense())


def test_the_base_learns_the_labels_by_itself() -> None:
    made = learner()
    again, other = copy.deepcopy(made), copy.deepcopy(made)
    hidden = torch.where(MASK, Y, 0)  # labels outside the mask are not read

    def loss(output: Tensor, target: Tensor, weight: Tensor) -> Tensor:
        each = nn.functional.cross_entropy(output, target, reduction="none")
        return (each * weight).sum() / weight.sum()

    given = {"mask": MASK, "loss": loss, "out_channels": 3, "epochs": 60}
    made.pretrain(X, A, target=Y, **given)
    pretraining._finished.clear()
    again.pretrain(X, A, target=hidden, **given)
    other.pretrain(X, A, target=Y, **{**given, "epochs": 0})
    assert torch.equal(made.base.last.weight, again.base.last.weight)
    assert torch.equal(other.base.last.weight, learner().base.last.weight)
    made.eval()
    nearest = exact(made.positions(X, A).detach(), A, 3)
    share = (Y[nearest] == Y.unsqueeze(1)).double()[~MASK].mean()
    assert share > 0.9


def test_the_same_base_is_trained_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def loss(output: Tensor, target: Tensor, weight: Tensor) -> Tensor:
        calls.append(len(output))
        return (nn.functional.cross_entropy(output, target, reduction="none") * weight).sum() / weight.sum()

    def trained(x: Tensor = X, epochs: int = 5, **settings: object) -> AdjacencyLearner:
        made = learner(**settings)
        made.pretrain(x, A, target=Y, mask=MASK, loss=loss, out_channels=3, epochs=epochs)
        return made

    monkeypatch.setattr(pretraining, "_KEPT", 2)
    first, again = trained(), trained(mix=0.0, k2=2)
    assert len(calls) == 5
    for name, part in first.base.state_dict().items():
        assert torch.equal(part, again.base.state_dict()[name])
    assert torch.equal(first.base.dropouts[0].key, again.base.dropouts[0].key)  # the masks go on from there
    others = [{"seed": 1}, {"dropout": 0.2}, {"x": X + 1e-6}, {"epochs": 6}, {"base": "gcn"}]
    for number, other in enumerate(others):
        made = trained(**other)  # type: ignore[arg-type]
        assert len(calls) > 5 * (number + 1)
        assert not torch.equal(made.base.first.weight, first.base.first.weight)
    assert len(pretraining._finished) == 2


def test_noise_follows_the_seed_and_evaluation_has_none() -> None:
    for fusion in ("gumbel", "sample"):
        one, again, other = (learner(seed, fusion=fusion) for seed in (0, 0, 1))
        assert one.is_random
        first, second = one(X, A).values, one(X, A).values
        assert torch.equal(first, again(X, A).values)
        assert not torch.equal(first, second)
        assert not torch.equal(first, other(X, A).values)
        one.eval()
        assert torch.equal(one(X, A).values, one(X, A).values)
    assert not learner().is_random


def test_the_learned_graph_alone_has_the_kept_edges_as_constants() -> None:
    made = learner(mix=0.5)
    found = made.learned(X, A)
    assert found.is_constant
    assert (found.values > 0).all()
    assert made.training
    assert (found.diagonal == 0).all()
    kept = torch.bincount(found.pattern.row, minlength=120)
    assert (kept >= 3).all()  # its own three, and those that chose it


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"k2": 7}, InputError, "Got k2 = 7, more than the k1 = 6 candidates"),
        ({"k1": 0}, InputError, "Got k1 = 0. Expected 1 or more"),
        ({"every": 0}, InputError, "Got every = 0"),
        ({"averaging": -1}, InputError, "Got averaging = -1. Expected 0 or more"),
        ({"heads": 0}, InputError, "Got heads = 0"),
        ({"momentum": 1.5}, InputError, "Got momentum = 1.5. Expected a share"),
        ({"temperature": -1.0}, InputError, "Got the temperature -1.0"),
        ({"base": "gnc"}, UnknownNameError, "no base 'gnc'. Did you mean 'gcn'"),
        ({"candidates": "bandits"}, UnknownNameError, "Did you mean 'bandit'"),
    ],
)
def test_what_cannot_be_made(settings: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        learner(**settings)


def test_more_candidates_than_nodes() -> None:
    with pytest.raises(InputError, match=r"Got k1 = 6 candidates for each of 5 nodes.*set k1 to 4 or less"):
        learner()(X[:5], torch.tensor([[0], [1]]))
