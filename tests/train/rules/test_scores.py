"""Scores of many replicas against scikit-learn, one replica at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from tests.train.quiet import captured, host_reads
from torch import Tensor

from allpass.errors import InputError, UnknownNameError
from allpass.train.rules.scores import SCORES, accuracy, macro_f1, precision_at_k, r2, roc_auc

RANKINGS = ("roc_auc", "average_precision", "precision_at_k")
CLASS_SCORES = ("accuracy", "balanced_accuracy", "macro_f1", *RANKINGS)
NUMBER_SCORES = ("r2", "mae", "mse")


def rarest(y: np.ndarray) -> int:
    return int((y == 1).sum() <= (y == 0).sum())


def rarer_margin(outputs: np.ndarray, positive: int) -> np.ndarray:
    margin = outputs[:, 0] if outputs.shape[1] == 1 else outputs[:, 1] - outputs[:, 0]
    return margin if positive else -margin


def of_the_first(margin: np.ndarray, truth: np.ndarray, k: int) -> float:
    """The share of the positive ones among the first k, as a mean over all orders of equals, counted one by one."""
    least = np.sort(margin)[::-1][k - 1]
    sure, equals = margin > least, margin == least
    return (truth[sure].sum() + (k - sure.sum()) * truth[equals].mean()) / k


def decided(outputs: np.ndarray) -> np.ndarray:
    return (outputs[:, 0] > 0).astype(int) if outputs.shape[1] == 1 else outputs.argmax(1)


def auc(outputs: np.ndarray, y: np.ndarray) -> float:
    margin = outputs[:, 0] if outputs.shape[1] == 1 else outputs[:, 1] - outputs[:, 0]
    return metrics.roc_auc_score(y, margin) if len(set(y)) == 2 else math.nan


def constant(y: np.ndarray) -> bool:
    return bool((y == y[:1]).all(0).any())


REFERENCE: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "accuracy": lambda outputs, y: metrics.accuracy_score(y, decided(outputs)),
    "roc_auc": auc,
    "macro_f1": lambda outputs, y: metrics.f1_score(y, decided(outputs), average="macro", zero_division=0),
    "balanced_accuracy": lambda outputs, y: metrics.recall_score(
        y, decided(outputs), labels=np.unique(y), average="macro", zero_division=0
    ),
    "r2": lambda outputs, y: math.nan if constant(y) else metrics.r2_score(y, outputs),
    "mae": lambda outputs, y: metrics.mean_absolute_error(y, outputs),
    "mse": lambda outputs, y: metrics.mean_squared_error(y, outputs),
}


def expected(name: str, outputs: Tensor, target: Tensor, mask: Tensor) -> np.ndarray:
    """The score of each replica by scikit-learn; ``target`` has the replica axis."""
    found = []
    for output, y, chosen in zip(outputs.numpy(), target.numpy(), mask.numpy(), strict=True):
        if name in ("average_precision", "precision_at_k"):
            truth, margin = y[chosen] == rarest(y), rarer_margin(output, rarest(y))[chosen]
            known = truth.any() and not truth.all()
            k = truth.sum() if name == "precision_at_k" else 0
            ranked = (
                of_the_first(margin, truth, k)
                if k
                else metrics.average_precision_score(truth, margin)
                if known
                else 0
            )
            found.append(ranked if known else math.nan)
            continue
        found.append(REFERENCE[name](output[chosen], y[chosen]) if chosen.any() else math.nan)
    return np.array(found, dtype=np.float64)


def same(found: Tensor, wanted: np.ndarray) -> None:
    assert found.dtype == torch.float64
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-10, atol=1e-10)


@given(
    seed=st.integers(0, 2**32 - 1),
    R=st.integers(1, 5),
    N=st.integers(1, 30),
    C=st.integers(1, 5),
    levels=st.integers(1, 6),
    share=st.floats(0, 1),
    own=st.booleans(),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_class_scores_are_those_of_scikit_learn(seed, R, N, C, levels, share, own, dtype):
    rng = np.random.default_rng(seed)
    outputs = torch.from_numpy(rng.integers(-levels, levels, (R, N, C)) / 4).to(
        dtype
    )  # few levels: many ties
    present = rng.choice(
        max(C, 2), rng.integers(1, max(C, 2) + 1), replace=False
    )  # some classes do not occur
    target = torch.from_numpy(rng.choice(present, (R, N) if own else N))
    mask = torch.from_numpy(rng.random((R, N)) < share)
    for name in CLASS_SCORES:
        if name in RANKINGS and C > 2:
            continue
        wanted = expected(name, outputs, target.expand(R, N), mask)
        same(SCORES[name](outputs, target, mask), wanted)


@given(
    seed=st.integers(0, 2**32 - 1),
    R=st.integers(1, 4),
    N=st.integers(1, 20),
    C=st.integers(1, 3),
    share=st.floats(0, 1),
    own=st.booleans(),
    levels=st.sampled_from([1, 2, 1000]),
)
def test_number_scores_are_those_of_scikit_learn(seed, R, N, C, share, own, levels):
    rng = np.random.default_rng(seed)
    outputs = torch.from_numpy(rng.normal(size=(R, N, C)))
    shape = ((R, N) if own else (N,)) + ((C,) if C > 1 else ())
    target = torch.from_numpy(rng.integers(0, levels, shape) / 7 + 0.1)
    mask = torch.from_numpy(rng.random((R, N)) < share)
    full = (target if C > 1 else target.unsqueeze(-1)).expand(R, N, C)
    for name in NUMBER_SCORES:
        same(SCORES[name](outputs, target, mask), expected(name, outputs, full, mask))


@pytest.mark.parametrize("name", SCORES.names)
def test_several_sets_at_once_are_the_same_as_one_by_one(name):
    generator = torch.Generator().manual_seed(1)
    outputs = torch.randn(4, 30, 1, generator=generator)
    target = torch.randint(2, (30,), generator=generator)
    target = target if name in CLASS_SCORES else target + torch.randn(30, generator=generator)
    masks = torch.rand(3, 4, 30, generator=generator) < 0.3
    together = SCORES[name](outputs, target, masks)
    assert together.shape == (3, 4)
    assert torch.equal(together, torch.stack([SCORES[name](outputs, target, mask) for mask in masks]))


@pytest.mark.parametrize("name", SCORES.names)
def test_what_is_undefined_is_nan(name):
    score = SCORES[name]
    numbers = name in NUMBER_SCORES
    outputs = torch.randn(2, 4, 1, generator=torch.Generator().manual_seed(0))
    target = torch.tensor([1.0, 2, 3, 4]) if numbers else torch.tensor([0, 1, 0, 1])
    none = torch.zeros(2, 4, dtype=torch.bool)
    assert score(outputs, target, none).isnan().all()
    assert score(outputs[:0], target, none[:0]).shape == (0,)
    spoilt, all_nodes = outputs.clone(), ~none
    spoilt[1, 2] = torch.nan
    assert score(spoilt, target, all_nodes).isnan().tolist() == [False, True]
    elsewhere = all_nodes.clone()
    elsewhere[:, 2] = False
    assert not score(spoilt, target, elsewhere).isnan().any()


@pytest.mark.parametrize("name", SCORES.names)
def test_a_node_without_a_label_never_counts(name):
    generator = torch.Generator().manual_seed(3)
    outputs, mask = torch.randn(3, 12, 1, generator=generator), torch.ones(3, 12, dtype=torch.bool)
    numbers = name in NUMBER_SCORES
    target = torch.randn(12, generator=generator) if numbers else torch.arange(12) % 2
    fewer = mask.clone()
    fewer[:, [0, 5]] = False
    wanted = SCORES[name](outputs, target, fewer)
    target[[0, 5]] = torch.nan if numbers else -1
    assert torch.equal(SCORES[name](outputs, target, mask), wanted)


def test_one_class_has_an_accuracy_and_an_f1_but_no_auc():
    outputs, target = torch.tensor([[[2.0, 1.0], [1.0, 2.0]]]), torch.tensor([0, 0])
    mask = torch.ones(1, 2, dtype=torch.bool)
    assert accuracy(outputs, target, mask).item() == 0.5
    assert macro_f1(outputs, target, mask).item() == pytest.approx((2 / 3 + 0) / 2)
    assert roc_auc(outputs, target, mask).isnan().item()


def test_a_constant_target_has_no_r2_though_rounding_leaves_it_a_variance():
    target = torch.full((3,), 0.1, dtype=torch.float64)
    assert (target - target.sum() / 3).square().sum() > 0
    assert r2(torch.zeros(1, 3, 1), target, torch.ones(1, 3, dtype=torch.bool)).isnan().item()


def test_the_auc_of_many_nodes_is_exact():
    N = 100_000
    outputs = torch.arange(N, dtype=torch.float64).view(1, N, 1)
    target = (torch.arange(N) >= N // 2).long()
    mask = torch.ones(1, N, dtype=torch.bool)
    assert roc_auc(outputs, target, mask).item() == 1
    assert roc_auc(-outputs, target, mask).item() == 0
    assert roc_auc(torch.zeros_like(outputs), target, mask).item() == 0.5


@pytest.mark.parametrize("name", RANKINGS)
def test_a_ranking_of_three_classes_is_refused_with_its_cure(name):
    outputs, mask = torch.zeros(1, 4, 3), torch.ones(1, 4, dtype=torch.bool)
    with pytest.raises(InputError, match=rf"{name}' is of two classes; got outputs of 3.*macro_f1"):
        SCORES[name](outputs, torch.zeros(4, dtype=torch.long), mask)


@pytest.mark.parametrize("name", RANKINGS)
def test_a_ranking_of_one_class_is_undefined(name):
    outputs, mask = torch.randn(2, 4, 2), torch.tensor([[1, 1, 0, 0], [0, 0, 1, 1]]).bool()
    assert SCORES[name](outputs, torch.tensor([0, 0, 1, 1]), mask).isnan().all()


@pytest.mark.parametrize("name", ["average_precision", "precision_at_k"])
def test_the_rarer_class_is_the_positive_one_whatever_its_number(name):
    """Classes are numbered by the alphabet, and 'fraud' may come first."""
    generator = torch.Generator().manual_seed(0)
    outputs = torch.randn(3, 200, 2, generator=generator)
    target, mask = (torch.rand(200, generator=generator) < 0.1).long(), torch.ones(3, 200, dtype=torch.bool)
    found = SCORES[name](outputs, target, mask)
    assert float(found.max()) < 0.3
    torch.testing.assert_close(found, SCORES[name](outputs.flip(-1), 1 - target, mask), rtol=0, atol=0)


@given(seed=st.integers(0, 2**32 - 1), levels=st.integers(1, 6), k=st.integers(1, 50))
def test_precision_at_k_is_that_of_the_first_k(seed, levels, k):
    rng = np.random.default_rng(seed)
    outputs = rng.integers(-levels, levels, (1, 40, 1)) / 4
    target, mask = rng.integers(0, 2, 40), rng.random((1, 40)) < 0.7
    mask[0, :2], target[:2] = True, (0, 1)
    truth = target[mask[0]] == rarest(target)
    margin = rarer_margin(outputs[0], rarest(target))[mask[0]]
    found = precision_at_k(torch.from_numpy(outputs), torch.from_numpy(target), torch.from_numpy(mask), k)
    assert float(found) == pytest.approx(of_the_first(margin, truth, min(k, len(truth))))


def test_the_register_knows_direction_range_and_near_names():
    assert SCORES["ROC-AUC"].name == SCORES["auc"].name == "roc_auc"
    with pytest.raises(UnknownNameError, match="Did you mean 'accuracy'"):
        SCORES["acuracy"]
    values = torch.tensor([0.25, math.nan])
    for score in SCORES:
        assert score.citation
        assert score.low < score.high
        assert score.higher_is_better == (score.name not in ("mae", "mse"))
        assert score.gain(values)[0] == 0.25 * score.sign == (0.25 if score.higher_is_better else -0.25)


def example(name: str, seed: int, device: str = "cpu") -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    outputs = torch.randint(-3, 3, (50, 60, 2 if name in CLASS_SCORES else 1), generator=generator).float()
    target = torch.randint(2, (50, 60), generator=generator)
    mask = torch.rand(50, 60, generator=generator) < 0.4
    target = target if name in CLASS_SCORES else target.float()
    return outputs.to(device), target.to(device), mask.to(device)


@pytest.mark.parametrize("name", SCORES.names)
def test_nothing_is_read_back_and_no_shape_depends_on_values(name):
    assert host_reads(lambda: SCORES[name](*example(name, 0))) == set()
    assert SCORES[name](*example(name, 0, "meta")).shape == (50,)


@pytest.mark.gpu
@pytest.mark.parametrize("name", SCORES.names)
def test_a_captured_score_follows_its_inputs(name):
    inputs = example(name, 0, "cuda")
    graph, result = captured(lambda: SCORES[name](*inputs))
    for seed in (1, 2):
        for tensor, value in zip(inputs, example(name, seed), strict=True):
            tensor.copy_(value)
        graph.replay()
        torch.testing.assert_close(result.cpu(), SCORES[name](*example(name, seed)), equal_nan=True)
