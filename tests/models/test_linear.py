"""The linear model on a graph against scikit-learn on the same columns, and what it may and may not read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.models.catalog import direct, resolve
from allpass.models.direct import EndEarly, Examples
from allpass.models.graph_columns import Selection, graph_columns, reduction
from allpass.models.linear import PENALTIES, Linear
from allpass.testing import direct_examples

EXAMPLES = direct_examples()
NUMBERS = torch.stack([100 * EXAMPLES.x[:, 0] + 5 * EXAMPLES.target, EXAMPLES.x[:, 1] - 7], 1)


def standardised(examples: Examples, labels: torch.Tensor | None = None) -> np.ndarray:
    """The columns as scikit-learn scales them on the training nodes, missing values as the mean."""
    known = {} if labels is None else {"labels": labels, "mask": examples.train}
    chosen = Selection(labels=labels is not None, extremes=False)
    table = graph_columns(examples.x, examples.graph, chosen, seed=examples.seed, **known)
    scaler = StandardScaler().fit(table[examples.train.numpy()].astype(np.float64))
    return np.nan_to_num(scaler.transform(table.astype(np.float64)))


def best(examples: Examples, losses: list[float]) -> int:
    return int(np.argmin(losses)) if examples.val.any() else len(PENALTIES) // 2


def cross_entropy(logits: np.ndarray, y: np.ndarray) -> float:
    shifted = logits - logits.max(1, keepdims=True)
    chances = np.exp(shifted) / np.exp(shifted).sum(1, keepdims=True)
    return float(-np.log(chances[np.arange(len(y)), y]).mean())


@pytest.mark.parametrize("validation", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("label_input", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
def test_classes_against_scikit_learn(
    classes: int, label_input: bool, weighted: bool, validation: bool
) -> None:
    y = EXAMPLES.target.clamp(max=classes - 1)
    weight = torch.linspace(0.5, 2, len(y)) if weighted else None
    val = EXAMPLES.val & validation
    examples = replace(EXAMPLES, target=y, weight=weight, val=val)
    shown = torch.eye(classes)[y][:, (1 if classes == 2 else 0) :]
    Z = standardised(examples, shown if label_input else None)
    train, held = examples.train.numpy(), val.numpy()
    per_node = (np.ones(len(y)) if weight is None else weight.double().numpy())[train]
    logits, losses = [], []
    for penalty in PENALTIES:
        # scikit-learn adds up the losses of the nodes, weighted, and has 1 / C in front of the squares
        peer = LogisticRegression(C=1 / (penalty * per_node.sum()), tol=1e-9, max_iter=10_000)
        found = peer.fit(Z[train], y[examples.train].numpy(), sample_weight=per_node).decision_function(Z)
        logits.append(np.stack([0 * found, found], 1) if classes == 2 else found)
        losses.append(cross_entropy(logits[-1][held], y[val].numpy()) if validation else 0.0)
    wanted = torch.from_numpy(logits[best(examples, losses)]).softmax(1)
    found = Linear(8, classes, label_input=label_input).fit(examples).double().softmax(1)
    torch.testing.assert_close(found, wanted, atol=3e-3, rtol=0)


@pytest.mark.parametrize("validation", [True, False])
@pytest.mark.parametrize("targets", [1, 2])
def test_numbers_against_scikit_learn(targets: int, validation: bool) -> None:
    y = NUMBERS[:, :targets]
    examples = replace(EXAMPLES, target=y.squeeze(1), val=EXAMPLES.val & validation)
    Z = standardised(examples, y)
    train, held = examples.train.numpy(), examples.val.numpy()
    found = Linear(8, targets).fit(examples)
    for number in range(targets):
        fits = [
            Ridge(alpha=penalty * train.sum()).fit(Z[train], y[examples.train, number]).predict(Z)
            for penalty in PENALTIES
        ]
        losses = [
            float(np.square(fit[held] - y[:, number].numpy()[held]).mean()) if validation else 0.0
            for fit in fits
        ]
        wanted = torch.from_numpy(fits[best(examples, losses)]).float()
        torch.testing.assert_close(found[:, number], wanted, atol=1e-4, rtol=1e-4)


def test_numbers_of_different_size_choose_their_own_penalty() -> None:
    both = Linear(8, 2, label_input=False).fit(replace(EXAMPLES, target=NUMBERS))
    for number in range(2):
        alone = Linear(8, 1, label_input=False).fit(replace(EXAMPLES, target=NUMBERS[:, number]))
        torch.testing.assert_close(both[:, number : number + 1], alone)


def test_columns_of_wild_scale_constant_ones_and_missing_values_do_no_harm() -> None:
    plain = Linear(8, 3, label_input=False).fit(EXAMPLES)
    scale = torch.tensor([1e6, 1e-6, 1, 1, 1, 1, 1, 1])
    moved = replace(EXAMPLES, x=EXAMPLES.x * scale)
    torch.testing.assert_close(Linear(8, 3, label_input=False).fit(moved), plain, atol=0.02, rtol=0)
    x = torch.cat([EXAMPLES.x, torch.full((120, 1), 0.1)], 1)
    alone = torch.cat([x, torch.zeros(1, 9)])  # a node without neighbours
    graph = Operator.from_edge_index(EXAMPLES.graph.edge_index, num_nodes=121)
    more = {name: torch.cat([getattr(EXAMPLES, name), torch.tensor([0])]) for name in ("target",)}
    masks = {
        name: torch.cat([getattr(EXAMPLES, name), torch.tensor([name == "train"])])
        for name in ("train", "val")
    }
    found = Linear(9, 3).fit(replace(EXAMPLES, x=alone, graph=graph, **more, **masks))
    assert found.isfinite().all()
    rest = ~EXAMPLES.train & ~EXAMPLES.val
    assert (found[:-1].argmax(1) == EXAMPLES.target)[rest].float().mean() > 0.9


def test_shuffled_labels_give_chance() -> None:
    """Known labels around a node leave its own out; if they did not, training would be right and testing wrong."""
    right = []
    for seed in range(10):
        order = torch.randperm(120, generator=torch.Generator().manual_seed(seed))
        examples = replace(EXAMPLES, target=EXAMPLES.target[order], seed=seed)
        guess = Linear(8, 3).fit(examples).argmax(1)
        right.append((guess == examples.target)[~examples.train & ~examples.val].float().mean())
    assert float(torch.stack(right).mean()) == pytest.approx(1 / 3, abs=0.08)


def test_structure_alone_is_enough() -> None:
    noise = torch.randn(120, 8, generator=torch.Generator().manual_seed(0))
    found = Linear(8, 3).fit(replace(EXAMPLES, x=noise))
    blind = Linear(8, 3, label_input=False).fit(replace(EXAMPLES, x=noise))
    rest = ~EXAMPLES.train & ~EXAMPLES.val
    right, guessed = (
        (outputs.argmax(1) == EXAMPLES.target)[rest].float().mean() for outputs in (found, blind)
    )
    assert right > 0.85 > guessed


def test_a_sample_of_many_nodes_is_named() -> None:
    some, every = Linear(8, 3, max_nodes=20), Linear(8, 3)
    assert not torch.equal(some.fit(EXAMPLES), every.fit(EXAMPLES))
    assert some.sampled == f"20 of {int(EXAMPLES.train.sum())} training nodes"
    assert every.sampled == ""
    again = Linear(8, 3, max_nodes=20)
    assert torch.equal(again.fit(EXAMPLES), some.fit(EXAMPLES))
    assert not torch.equal(again.fit(replace(EXAMPLES, seed=1)), some.fit(EXAMPLES))


def test_long_tables_are_predicted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, numbers = Linear(8, 3).fit(EXAMPLES), Linear(8, 2).fit(replace(EXAMPLES, target=NUMBERS))
    monkeypatch.setattr("allpass.models.linear._CHUNK", 50)
    torch.testing.assert_close(Linear(8, 3).fit(EXAMPLES), wanted)
    torch.testing.assert_close(Linear(8, 2).fit(replace(EXAMPLES, target=NUMBERS)), numbers)


def test_wide_features_are_projected_and_come_back() -> None:
    words = (torch.rand(120, 300, generator=torch.Generator().manual_seed(0)) < 0.03).float()
    words[torch.arange(120), EXAMPLES.target] = 1
    examples = replace(EXAMPLES, x=words.to_sparse_csr())
    model = Linear(300, 3, components=16)
    wanted = model.fit(examples)
    matrix = reduction(examples.x, examples.graph, 16)
    assert torch.equal(model.state_dict()["reduce"], torch.from_numpy(matrix))
    other = Linear(300, 3, components=16)
    other.load_state_dict(model.state_dict())
    found = other(words, examples.graph, labels=examples.target, mask=examples.train)
    torch.testing.assert_close(found, wanted, atol=1e-3, rtol=0)


@pytest.mark.parametrize(
    ("name", "broken", "message"),
    [
        ("weights", lambda part: part[:-1], "weights of the linear model are damaged"),
        ("weights", lambda part: part.double(), "weights of the linear model are damaged"),
        ("bias", lambda part: part[:2], "weights of the linear model are damaged"),
        ("means", lambda part: part + torch.nan, "weights of the linear model are damaged"),
        ("deviations", lambda part: part * 0, "deviations of the linear model are not positive"),
    ],
)
def test_a_damaged_state_is_refused(name: str, broken, message: str) -> None:
    model = Linear(8, 3)
    model.fit(EXAMPLES)
    state = model.state_dict()
    before = {key: value.clone() for key, value in model.state_dict().items()}
    with pytest.raises(InputError, match=message):
        model.load_state_dict({**state, name: broken(state[name])})
    assert all(torch.equal(value, before[key]) for key, value in model.state_dict().items())


def test_the_features_alone_against_scikit_learn() -> None:
    train, val = EXAMPLES.train.numpy(), EXAMPLES.val.numpy()
    Z = StandardScaler().fit(EXAMPLES.x[train].double()).transform(EXAMPLES.x.double())
    y = NUMBERS[:, 0].double().numpy()
    fits = [Ridge(alpha=penalty * train.sum()).fit(Z[train], y[train]).predict(Z) for penalty in PENALTIES]
    wanted = min(fits, key=lambda found: float(((found - y)[val] ** 2).mean()))
    model = direct("feature-linear", in_channels=8, out_channels=1)
    found = model.fit(replace(EXAMPLES, target=NUMBERS[:, 0]))
    np.testing.assert_allclose(found[:, 0], wanted, rtol=1e-4, atol=1e-3)


def test_it_is_found_by_its_other_name() -> None:
    assert resolve("propagated-linear")[0].name == "linear"


def test_ended_early_it_keeps_its_best_weights():
    examples = direct_examples()

    def stop(step: int) -> None:
        if step >= 5:
            raise EndEarly

    model = direct("linear", in_channels=examples.x.shape[1], out_channels=3)
    outputs = model.fit(examples, stop)
    assert model.steps <= 6
    assert outputs.isfinite().all()
    assert float((outputs.argmax(1) == examples.target)[examples.train].float().mean()) > 0.5
