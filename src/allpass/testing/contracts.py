"""What every layer and model promises. Each contract is a function that raises AssertionError when it is broken."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import load_model, save_model
from torch import Tensor, nn
from torch.func import functional_call, grad, stack_module_state, vmap
from torch.nn import functional as F

from allpass.nn.dropout import seed_dropout
from allpass.testing.subjects import NODES, Example, Subject, examples

TIGHT = 1e-9
REPLICAS = 3


def follows_its_formula(subject: Subject) -> None:
    """Forward and every gradient equal the dense formula, on undirected, directed, weighted and looped graphs."""
    assert subject.reference is not None, f"{subject} has no reference"
    for example in examples():
        module = subject.module()
        x = example.x.clone().requires_grad_("ignores-features" not in subject.traits)
        ours = subject(module, example, x)
        theirs = subject.reference(module, x, example.dense)
        _close(ours, theirs, f"{subject}: the formula on a graph {example}")
        inputs = [*module.parameters(), *([x] if x.requires_grad else [])]
        if not inputs:
            continue
        weight = torch.randn(ours.shape, generator=torch.Generator().manual_seed(1), dtype=ours.dtype)
        pairs = zip(_gradients(ours, weight, inputs), _gradients(theirs, weight, inputs), strict=True)
        for mine, wanted in pairs:
            _close(mine, wanted, f"{subject}: a gradient on a graph {example}")


def _gradients(out: Tensor, weight: Tensor, inputs: list[Tensor]) -> tuple[Tensor, ...]:
    return torch.autograd.grad((out * weight).sum(), inputs, allow_unused=True, materialize_grads=True)


def takes_edge_index_or_operator(subject: Subject) -> None:
    """An Operator, ``edge_index`` with weights and a sparse adjacency give the same, by place and by PyG's keywords."""
    for example in examples():
        module = subject.module()
        wanted = subject(module, example)
        if example.edge_weight is None:
            _close(subject(module, example, edge_index=example.edge_index), wanted, f"{subject}: edge_index")
        else:
            labels = {"labels": example.y, "mask": example.mask} if "uses-labels" in subject.traits else {}
            given = module(example.x, example.edge_index, example.edge_weight, **labels)
            _close(given, wanted, f"{subject}: edge_index with edge_weight")
            named = {"edge_index": example.edge_index, "edge_weight": example.edge_weight}
            _close(module(x=example.x, **named, **labels), wanted, f"{subject}: edge_index= and edge_weight=")
        _close(
            subject(module, example, edge_index=example.operator.to_sparse()), wanted, f"{subject}: sparse"
        )


def is_equivariant(subject: Subject) -> None:
    """Another order of the nodes gives the same rows in that order."""
    if "embeds-nodes" in subject.traits:
        return
    for number, example in enumerate(examples()):
        order = torch.randperm(
            NODES, generator=torch.Generator().manual_seed(number)
        )  # new i is old order[i]
        place = order.argsort()
        moved = Example(
            example.name,
            place[example.edge_index],
            example.x[order],
            example.y[order],
            example.mask[order],
            example.edge_weight,
        )
        module = subject.module()
        wanted = subject(module, example)[order]
        if "fixed-nodes" in subject.traits:
            with torch.no_grad():
                for parameter in module.parameters():
                    if parameter.shape[:1] == (NODES,):
                        parameter.copy_(parameter[order])
        _close(subject(module, moved), wanted, f"{subject}: another order of the nodes")


def batches_under_vmap(subject: Subject) -> None:
    """``vmap`` over stacked parameters and buffers equals a loop: forward, gradient, and masks of dropout."""
    if {"not-batchable", "parameter-free"} & subject.traits:
        return
    for training in (False, True):
        for example in examples()[:2]:
            modules = [subject.module(seed, training=training) for seed in range(REPLICAS)]
            for seed, module in enumerate(modules):
                seed_dropout(module, seed)
            stacked, buffers = stack_module_state(modules)
            buffers = {name: buffer.clone() for name, buffer in buffers.items()}
            frame = copy.deepcopy(modules[0]).to("meta").train(training)
            _batch_equals_loop(subject, example, modules, frame, stacked, buffers)


def _batch_equals_loop(
    subject: Subject,
    example: Example,
    modules: list[nn.Module],
    frame: nn.Module,
    stacked: dict[str, Tensor],
    buffers: dict[str, Tensor],
) -> None:
    def loss(parameters: dict[str, Tensor], state: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        out = subject(_Frame(frame, parameters, state), example)
        return F.cross_entropy(out, example.y), out

    gradients, outputs = vmap(grad(loss, has_aux=True))(stacked, buffers)
    for number, module in enumerate(modules):
        out = subject(module, example)
        _close(outputs[number], out, f"{subject}: replica {number} of a batch on a graph {example}")
        F.cross_entropy(out, example.y).backward()
        for name, parameter in module.named_parameters():
            wanted = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
            _close(gradients[name][number], wanted, f"{subject}: gradient of {name} in replica {number}")


class _Frame(nn.Module):
    """A module that borrows its parameters and buffers."""

    def __init__(self, module: nn.Module, parameters: dict[str, Tensor], buffers: dict[str, Tensor]) -> None:
        super().__init__()
        self._call: Callable[..., Tensor] = lambda *given, **named: functional_call(
            module, (parameters, buffers), given, named
        )

    def forward(self, *given: object, **named: object) -> Tensor:
        return self._call(*given, **named)


def uses_every_parameter(subject: Subject) -> None:
    """Every parameter gets a gradient, and some graph makes it other than zero."""
    reached: dict[str, bool] = {}
    for seed in range(5):
        for example in examples(seed):
            module = subject.module(seed)
            out = subject(module, example)
            if not any(True for _ in module.parameters()):
                assert "parameter-free" in subject.traits, (
                    f"{subject} has no parameters: say so in its traits"
                )
                return
            assert "parameter-free" not in subject.traits, f"{subject} has parameters: its traits say none"
            (out * torch.linspace(-1, 1, out.numel(), dtype=out.dtype).reshape(out.shape)).sum().backward()
            for name, parameter in module.named_parameters():
                moved = parameter.grad is not None and bool(parameter.grad.any())
                reached[name] = reached.get(name, False) or moved
    idle = [name for name, moved in reached.items() if not moved]
    assert not idle, f"{subject}: no gradient ever reaches {', '.join(idle)}"


def takes_sparse_features(subject: Subject) -> None:
    """Sparse features give what dense ones give, in training too: the masks of dropout are the same."""
    for example in examples():
        for training in (False, True):
            results = []
            for x in (example.x, example.x.to_sparse_csr(), example.x.to_sparse_coo()):
                module = subject.module(training=training)
                seed_dropout(module, 0)
                results.append(subject(module, example, x))
            _close(results[1], results[0], f"{subject}: features in CSR")
            _close(results[2], results[0], f"{subject}: features in COO")


def repeats_itself(subject: Subject) -> None:
    """The same seed gives the same weights, the same masks and the same numbers to the last bit."""
    example = examples()[0]
    first, second = (subject.module(7, training=True) for _ in range(2))
    assert torch.equal(subject(first, example), subject(second, example)), f"{subject}: same seed, other bits"


def comes_back_from_a_file(subject: Subject) -> None:
    """Saved and loaded through safetensors it gives the same."""
    example = examples()[0]
    module, other = subject.module(0), subject.module(1)
    if not module.state_dict():
        return
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.safetensors")
        save_model(module, path)
        load_model(other, path)
    _close(subject(other, example), subject(module, example), f"{subject}: loaded from a file")


def survives_an_empty_graph(subject: Subject) -> None:
    """A graph without an edge, and one with a single edge, give finite numbers and finite gradients."""
    for edges in ([], [[0, 1]]):
        edge_index = torch.tensor(edges, dtype=torch.int64).reshape(-1, 2).T.contiguous()
        example = examples()[0]
        bare = Example("without edges", edge_index, example.x, example.y, example.mask)
        module = subject.module()
        out = subject(module, bare)
        assert out.isfinite().all(), f"{subject}: {out} on a graph of {len(edges)} edges"
        if out.requires_grad:
            out.sum().backward()
            grads = [p.grad for p in module.parameters() if p.grad is not None]
            assert all(g.isfinite().all() for g in grads), f"{subject}: gradients on {len(edges)} edges"


def reads_the_graph(subject: Subject) -> None:
    """The result depends on the edges and on their weights, unless its traits say otherwise.

    The weights are moved a little first: some networks begin as the identity filter on purpose.
    """
    example = examples()[1]
    module = subject.module()
    with torch.no_grad():
        for number, parameter in enumerate(module.parameters()):
            noise = torch.randn(parameter.shape, generator=torch.Generator().manual_seed(number))
            parameter.add_(0.1 * noise)
    wanted = subject(module, example)
    other = examples(seed=3)[1]
    same = torch.allclose(subject(module, example, edge_index=other.operator), wanted)
    assert same == ("ignores-graph" in subject.traits), f"{subject}: trait ignores-graph should be {same}"
    doubled = torch.where(torch.arange(example.operator.nnz) % 2 == 0, 2.0, 1.0).double()
    heavier = example.operator.with_values(example.operator.values * doubled).detached()
    same = torch.allclose(subject(module, example, edge_index=heavier), wanted)
    stated = bool({"ignores-graph", "ignores-weights"} & subject.traits)
    assert same == stated, f"{subject}: trait ignores-weights should be {same}"


def reads_features_and_labels(subject: Subject) -> None:
    """The result depends on the features and on the training labels exactly where its traits say so."""
    example = examples()[0]
    module = subject.module()
    wanted = subject(module, example)
    same = torch.allclose(subject(module, example, example.x.flip(0)), wanted)
    assert same == ("ignores-features" in subject.traits), (
        f"{subject}: trait ignores-features should be {same}"
    )
    if "uses-labels" in subject.traits:
        other = replace(example, y=example.y.flip(0))
        assert not torch.allclose(subject(module, other), wanted), f"{subject}: the labels change nothing"
        unseen = replace(example, y=torch.where(example.mask, example.y, 0))
        _close(subject(module, unseen), wanted, f"{subject}: labels outside the mask were read")


def batches_its_masks(subject: Subject) -> None:
    """Replicas may have training nodes of their own: ``vmap`` over masks equals a loop."""
    if "uses-labels" not in subject.traits or "not-batchable" in subject.traits:
        return
    example = examples()[0]
    module = subject.module()
    masks = torch.stack([example.mask, ~example.mask, example.mask.flip(0)])
    found = vmap(lambda mask: module(example.x, example.operator, labels=example.y, mask=mask))(masks)
    for number, mask in enumerate(masks):
        wanted = subject(module, replace(example, mask=mask))
        _close(found[number], wanted, f"{subject}: mask {number} of a batch")


def agrees_on_cuda(subject: Subject) -> None:
    """The first CUDA device gives what the CPU gives."""
    for example in examples():
        module = subject.module()
        wanted = subject(module, example)
        there = Example.__new__(Example)
        for name, value in vars(example).items():
            object.__setattr__(there, name, value.to("cuda") if hasattr(value, "to") else value)
        out = subject(module.to("cuda"), there)
        _close(out.cpu(), wanted, f"{subject}: CUDA against CPU on a graph {example}")


CONTRACTS: tuple[Callable[[Subject], None], ...] = (
    follows_its_formula,
    takes_edge_index_or_operator,
    is_equivariant,
    batches_under_vmap,
    uses_every_parameter,
    takes_sparse_features,
    repeats_itself,
    comes_back_from_a_file,
    survives_an_empty_graph,
    reads_the_graph,
    reads_features_and_labels,
    batches_its_masks,
)
"""What holds everywhere; :func:`agrees_on_cuda` needs a device, and learning is in ``allpass.testing.learning``."""


def _close(found: Tensor, wanted: Tensor, what: str) -> None:
    assert found.shape == wanted.shape, f"{what}: shape {list(found.shape)}, expected {list(wanted.shape)}"
    found, wanted = found.detach(), wanted.detach()
    error = float((found - wanted).abs().max() / (1 + wanted.abs().max())) if wanted.numel() else 0.0
    assert error <= TIGHT, f"{what}: off by {error:.1e}"
