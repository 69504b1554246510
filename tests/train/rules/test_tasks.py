"""Losses of tasks against torch's own on the chosen nodes, value and gradient; what is refused and what is noted."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from tests.train.quiet import captured, host_reads
from torch import Tensor
from torch.func import grad, vmap
from torch_geometric.data import Data

from allpass.errors import InputError, UnknownNameError
from allpass.train.rules.scores import SCORES
from allpass.train.rules.tasks import TASKS, task


def reference(name: str, output: Tensor, target: Tensor) -> Tensor:
    """The mean loss of nodes ``[n, C]``, all of which count."""
    match name:
        case "classification":
            return F.cross_entropy(output, target)
        case "binary":
            return F.binary_cross_entropy_with_logits(output[:, 0], target.to(output.dtype))
        case _:
            return F.mse_loss(output, target if target.dim() == 2 else target[:, None])


def draw(name: str, seed: int, R: int, N: int, C: int, own: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Outputs, targets of which some are missing, and masks of labelled nodes with at least one in each."""
    generator = torch.Generator().manual_seed(seed)
    C = {"classification": max(C, 2), "binary": 1}.get(name, C)
    outputs = torch.randn(R, N, C, generator=generator, dtype=torch.float64)
    shape = (R, N) if own else (N,)
    missing = torch.rand(shape, generator=generator) < 0.3
    missing[..., 0] = False
    if name == "regression":
        columns = (C,) if C > 1 else ()
        target = torch.randn(*shape, *columns, generator=generator, dtype=torch.float64)
        target[missing] = torch.nan
    else:
        target = torch.randint(max(C, 2), shape, generator=generator)
        target[missing] = -1
    mask = (torch.rand(R, N, generator=generator) < 0.5) & ~missing
    mask[:, 0] = True
    return outputs, target, mask


@pytest.mark.parametrize("name", TASKS.names)
@given(
    seed=st.integers(0, 2**31),
    R=st.integers(1, 4),
    N=st.integers(1, 12),
    C=st.integers(1, 4),
    own=st.booleans(),
)
def test_loss_and_gradient_are_torchs_on_the_chosen_nodes(name, seed, R, N, C, own):
    subject = task(name)
    outputs, target, mask = draw(name, seed, R, N, C, own)
    dims = (0, 0 if own else None, 0)
    found = vmap(subject.loss, in_dims=dims)(outputs, target, mask.double())
    slope = vmap(grad(subject.loss), in_dims=dims)(outputs, target, mask.double())
    for r in range(R):
        chosen = outputs[r].clone().requires_grad_()
        wanted = reference(name, chosen[mask[r]], (target[r] if own else target)[mask[r]])
        torch.testing.assert_close(found[r], wanted)
        torch.testing.assert_close(slope[r], torch.autograd.grad(wanted, chosen)[0])
    torch.testing.assert_close(subject.losses(outputs, target, mask), found)


@pytest.mark.parametrize("name", TASKS.names)
def test_a_missing_label_never_counts_even_in_a_mask(name):
    subject = task(name)
    outputs, target, _ = draw(name, 4, 3, 20, 2, own=False)
    everything = torch.ones(3, 20, dtype=torch.bool)
    labelled = ~target.isnan().any(1) if name == "regression" else target >= 0
    assert not labelled.all()
    only = labelled.expand(3, 20)
    assert torch.equal(subject.losses(outputs, target, everything), subject.losses(outputs, target, only))
    both = [
        vmap(grad(subject.loss), in_dims=(0, None, 0))(outputs, target, m.double())
        for m in (everything, only)
    ]
    assert torch.equal(*both)
    assert both[0].isfinite().all()


@pytest.mark.parametrize("name", TASKS.names)
def test_weights_need_not_be_zero_and_one(name):
    outputs, target, _ = draw(name, 6, 1, 15, 3, own=False)
    target = torch.nan_to_num(target, nan=1.0) if name == "regression" else target.clamp(min=0)
    weight = torch.rand(15, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    each = torch.stack([reference(name, outputs[0, [n]], target[[n]]) for n in range(15)])
    torch.testing.assert_close(
        task(name).loss(outputs[0], target, weight), (weight * each).sum() / weight.sum()
    )


@pytest.mark.parametrize("name", TASKS.names)
def test_losses_of_several_sets_no_nodes_and_no_replicas(name):
    subject = task(name)
    outputs, target, mask = draw(name, 2, 4, 10, 2, own=True)
    sets = torch.stack([mask, ~mask, torch.zeros_like(mask)])
    found = subject.losses(outputs.float(), target, sets)
    assert found.shape == (3, 4)
    assert found.dtype == torch.float64
    assert torch.equal(found[0], subject.losses(outputs.float(), target, mask))
    assert found[2].isnan().all()
    assert subject.losses(outputs[:0], target[:0], mask[:0]).shape == (0,)


@pytest.mark.parametrize("name", TASKS.names)
def test_a_nan_output_counts_in_its_own_mask_alone(name):
    outputs, target, mask = draw(name, 2, 2, 10, 2, own=False)
    mask[:, 1:] = False
    outputs[:, 5] = torch.nan
    assert task(name).losses(outputs, target, mask).isfinite().all()
    assert task(name).loss(outputs[0], target, mask[0].double()).isfinite()
    outputs[1, 0] = torch.nan
    assert task(name).losses(outputs, target, mask).isfinite().tolist() == [True, False]


def test_how_many_outputs_a_node_needs():
    y = torch.tensor([0, 4, -1, 2])
    assert task("classification").out_channels(y) == 5
    assert task("binary").out_channels(y.clamp(max=1)) == 1
    assert task("regression").out_channels(y.float()) == 1
    assert task("regression").out_channels(torch.zeros(4, 3)) == 3


def test_tasks_and_scores_fit():
    for one in TASKS:
        assert one.name in one.scorer.tasks
        assert one.scorer is SCORES[one.score]
    assert task("Binary", score="accuracy").score == "accuracy"
    assert task("classification", score="ROC-AUC").scorer.name == "roc_auc"
    with pytest.raises(
        InputError, match=r"'r2' is not for the task 'binary'. Take one of: accuracy, roc_auc"
    ):
        task("binary", score="r2")
    with pytest.raises(UnknownNameError, match="Did you mean 'regression'"):
        task("regresion")
    with pytest.raises(UnknownNameError, match="There is no score 'loss'"):
        task("regression", score="loss")


def masks(R: int = 2, N: int = 6, **sets: list[int]) -> dict[str, Tensor]:
    found = {}
    for name, nodes in sets.items():
        found[name] = torch.zeros(R, N, dtype=torch.bool)
        found[name][:, nodes] = True
    return found


Y = torch.tensor([0, 1, 2, 0, 1, -1])
GOOD = {"train": [0, 1, 2], "val": [3], "test": [4]}


def test_good_data_has_no_notes():
    assert task("classification").check(Data(y=Y), masks(**GOOD)) == []
    assert task("binary", score="accuracy").check(Data(y=Y.clamp(max=1)), masks(**GOOD)) == []
    numbers = torch.tensor([0.0, 1, 2, 3, 4, torch.nan])
    regression = task("regression", score="mae")
    assert regression.check(Data(y=numbers), masks(**GOOD)) == []
    assert regression.check(Data(y=numbers[:, None].expand(6, 2)), masks(**GOOD)) == []
    assert task("classification").check(Data(y=Y), masks(R=0, **GOOD)) == []


def test_what_is_odd_is_said():
    sets = masks(R=3, train=[0, 1, 2], val=[3], test=[4])
    sets["train"][1, 2] = False
    sets["val"][2] = False
    assert task("classification").check(Data(y=Y), sets) == [
        "1 of 3 splits have no validation nodes: nothing is measured there.",
        "The training nodes of 1 of 3 splits have none of class 2: what is not shown cannot be learnt.",
    ]
    assert task("binary").check(Data(y=Y % 2), masks(train=[0, 1], test=[0, 2])) == [
        "The test nodes of 2 of 2 splits are of one class: no roc_auc there."
    ]
    assert task("regression").check(
        Data(y=torch.tensor([1.0, 2, 2, 2, 3, 3])), masks(train=[0, 1], val=[2, 3])
    ) == ["A target of the validation nodes of 2 of 2 splits is constant: no r2."]


@pytest.mark.parametrize(
    ("name", "y", "message"),
    [
        ("classification", None, "no labels y for the task 'classification'"),
        ("classification", Y.float(), 'torch.float32 .* expected class numbers. Pass task="regression"'),
        ("classification", Y[:, None], r"shape \[6, 1\]"),
        ("classification", torch.full((6,), -1), "No node has a label"),
        (
            "classification",
            torch.tensor([0, 0, 0, 0, 0, -1]),
            "All labels are of class 0: there is nothing to tell",
        ),
        (
            "binary",
            torch.tensor([1, 1, 1, 1, 1, -1]),
            "All labels are of class 1: there is nothing to tell apart",
        ),
        ("binary", Y, 'run up to 2. Pass task="classification"'),
        ("binary", Y.double(), 'Pass task="regression"'),
        ("regression", Y, r"Pass data.y.float\(\)"),
        ("regression", torch.zeros(6, 1, 1), r"shape \[6, 1, 1\]"),
        ("regression", torch.tensor([0.0, 1, 2, 3, 4, torch.inf]), "infinite"),
    ],
)
def test_labels_of_another_task_are_refused(name, y, message):
    with pytest.raises(InputError, match=message):
        task(name).check(Data(y=y), masks(**GOOD))


def test_an_auc_of_three_classes_is_refused():
    with pytest.raises(InputError, match="'roc_auc' is of two classes; the labels run up to 2"):
        task("classification", score="roc_auc").check(Data(y=Y), masks(**GOOD))


@pytest.mark.parametrize("name", ["train", "val", "test"])
def test_a_node_without_a_label_in_a_mask_is_refused(name):
    sets = masks(**GOOD)
    sets[name][1, 5] = True
    word = {"train": "training", "val": "validation"}.get(name, name)
    with pytest.raises(InputError, match=f"1 {word} nodes of split 1 have no label, node 5 being the first"):
        task("classification").check(Data(y=Y), sets)
    numbers = torch.where(Y < 0, torch.nan, Y.double())
    with pytest.raises(InputError, match="have no label"):
        task("regression").check(Data(y=numbers), sets)
    with pytest.raises(InputError, match="have no label"):
        task("regression").check(Data(y=torch.stack([Y.double(), numbers], 1)), sets)


def test_masks_that_are_none_are_refused():
    y = Data(y=Y)
    for wrong in (torch.ones(2, 6), torch.ones(6, dtype=torch.bool), torch.ones(2, 5, dtype=torch.bool)):
        with pytest.raises(InputError, match=r"Got a val mask of shape .* for 6 nodes"):
            task("classification").check(y, {**masks(train=[0]), "val": wrong})
    empty = masks(R=3, **GOOD)
    empty["train"][1] = False
    with pytest.raises(InputError, match="Split 1 has no training nodes"):
        task("classification").check(y, empty)


@pytest.mark.parametrize("name", TASKS.names)
def test_nothing_is_read_back(name):
    subject = task(name)
    outputs, target, mask = draw(name, 2, 4, 10, 2, own=False)
    step = vmap(grad(subject.loss), in_dims=(0, None, 0))
    assert (
        host_reads(lambda: (subject.losses(outputs, target, mask), step(outputs, target, mask.double())))
        == set()
    )


@pytest.mark.gpu
@pytest.mark.parametrize("name", TASKS.names)
def test_captured_losses_and_gradients_follow_their_inputs(name):
    subject = task(name)
    step = vmap(grad(subject.loss), in_dims=(0, None, 0))
    inputs = [tensor.cuda() for tensor in draw(name, 0, 4, 30, 2, own=False)]

    def both(outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
        slopes = step(outputs, target, mask.double())
        return torch.cat([subject.losses(outputs, target, mask), slopes.flatten()])

    graph, result = captured(lambda: both(*inputs))
    for seed in (1, 2):
        now = draw(name, seed, 4, 30, 2, own=False)
        for tensor, value in zip(inputs, now, strict=True):
            tensor.copy_(value)
        graph.replay()
        torch.testing.assert_close(result.cpu(), both(*now))
