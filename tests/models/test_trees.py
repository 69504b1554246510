"""Trees on a graph: they learn what is there, give the same with the same seed, and read no label they may not."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.models.catalog import direct
from allpass.models.direct import Examples
from allpass.models.graph_columns import graph_columns
from allpass.models.trees import Trees
from allpass.testing import direct_examples

EXAMPLES = direct_examples()


def numbers(examples: Examples, targets: int) -> Examples:
    y = examples.x[:, :targets].double() * 100 + 5
    return replace(examples, target=y.squeeze(1) if targets == 1 else y)


@pytest.mark.parametrize("threads", [1, 2])
def test_as_many_threads_as_there_are_give_the_same(threads: int) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(threads)
        found = Trees(8, 3).fit(EXAMPLES)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(found, Trees(8, 3).fit(EXAMPLES))


def test_another_seed_gives_other_trees() -> None:
    assert not torch.equal(Trees(8, 3).fit(EXAMPLES), Trees(8, 3).fit(replace(EXAMPLES, seed=1)))


def test_labels_of_test_nodes_change_nothing_and_those_of_validation_choose_the_round_alone() -> None:
    shuffled = EXAMPLES.target[torch.randperm(120, generator=torch.Generator().manual_seed(0))]
    states, rounds = [], []
    for kept in (torch.ones(120).bool(), EXAMPLES.train | EXAMPLES.val, EXAMPLES.train):
        model = Trees(8, 3)
        model.fit(replace(EXAMPLES, target=torch.where(kept, EXAMPLES.target, shuffled)))
        states.append(model.state_dict())
        rounds.append(model.steps)
    plain, other_test, other_val = states
    assert all(torch.equal(plain[name], other_test[name]) for name in plain)
    assert rounds[2] < rounds[0]
    for name, value in other_val.items():  # the same trees, fewer of them
        assert torch.equal(plain[name][: len(value)] if value.dim() else plain[name], value)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 100))
def test_the_width_of_the_table_follows_from_the_settings(seed: int) -> None:
    """A checkpoint does not say how wide the table is, so nobody can say it wrongly."""
    draw = torch.Generator().manual_seed(seed)
    on = [bool(flag) for flag in torch.randint(0, 2, (4,), generator=draw)]
    names = ("features", "neighbours", "structure", "label_input")
    chosen = dict(zip(names, on, strict=True))
    positions = int(torch.randint(0, 5, (), generator=draw))
    for examples, outputs in ((EXAMPLES, 3), (numbers(EXAMPLES, 1), 1), (numbers(EXAMPLES, 2), 2)):
        model = Trees(8, outputs, positions=positions, max_trees=2, **chosen)
        model.fit(examples)
        columns = model._table(examples.x, examples.graph, examples.target, examples.train).shape[1]
        other = Trees(8, outputs, positions=positions, **chosen)
        other.load_state_dict(model.state_dict())
        assert {booster.columns for booster in other.boosters} == {columns}


def test_two_classes_by_one_logit_or_by_two() -> None:
    y = (EXAMPLES.target > 0).long()
    one, two = (Trees(8, outputs).fit(replace(EXAMPLES, target=y)) for outputs in (1, 2))
    assert one.shape == (120, 1)
    torch.testing.assert_close(two[:, 1:] - two[:, :1], one)


def test_numbers_keep_their_unit() -> None:
    examples = numbers(EXAMPLES, 2)
    found = Trees(8, 2, min_leaf=3, column_share=1.0).fit(examples)
    assert found.shape == (120, 2)
    wanted = examples.target
    rest = ~examples.train & ~examples.val
    error = (found - wanted)[rest].square().mean(0)
    assert bool((error < 0.3 * wanted[rest].var(0)).all())


def test_wide_sparse_features_are_projected_and_come_back() -> None:
    generator = torch.Generator().manual_seed(0)
    words = (torch.rand(120, 300, generator=generator) < 0.03).float()
    words[torch.arange(120), EXAMPLES.target] = 1
    examples = replace(EXAMPLES, x=words.to_sparse_csr())
    model = Trees(300, 3, components=16)
    wanted = model.fit(examples)
    assert model.state_dict()["reduce"].shape == (300, 16)
    other = Trees(300, 3, components=16)
    other.load_state_dict(model.state_dict())
    found = other(words, examples.graph, labels=examples.target, mask=examples.train)
    torch.testing.assert_close(found, wanted, atol=0.05, rtol=0)
    with pytest.raises(InputError, match="'reduce' of the model is damaged"):
        Trees(301, 3, components=16).load_state_dict(model.state_dict())


def test_a_graph_of_new_nodes() -> None:
    model = Trees(8, 3, label_input=False)
    model.fit(EXAMPLES)
    other = direct_examples()
    index = Operator.from_edge_index(other.graph.edge_index, num_nodes=150)
    assert model(torch.randn(150, 8), index).shape == (150, 3)
    reading = Trees(8, 3)
    reading.fit(EXAMPLES)
    with pytest.raises(InputError, match="Got no labels; this model reads the known labels"):
        reading(EXAMPLES.x, EXAMPLES.graph)
    bound = direct("structure-trees", in_channels=8, out_channels=3)
    bound.fit(EXAMPLES)
    known = {"labels": torch.zeros(150).long(), "mask": torch.arange(150) < 5}
    with pytest.raises(InputError, match="Got 150 nodes; the model has positions of the 120 nodes"):
        bound(torch.randn(150, 8), index, **known)


def test_too_many_training_nodes_are_sampled() -> None:
    some, every = Trees(8, 3, max_nodes=20), Trees(8, 3)
    assert not torch.equal(some.fit(EXAMPLES), every.fit(EXAMPLES))
    assert some.sampled == f"20 of {int(EXAMPLES.train.sum())} training nodes"
    assert every.sampled == ""
    some.fit(replace(EXAMPLES, train=EXAMPLES.train & (EXAMPLES.train.cumsum(0) <= 20)))
    assert some.sampled == ""


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"column_share": 0.0}, "column_share = 0.0"), ({"num_leaves": 1}, "num_leaves = 1")],
)
def test_settings_that_cannot_be(settings: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Trees(8, 3, **settings)


def test_feature_trees_know_nothing_of_the_graph() -> None:
    model = direct("feature-trees", in_channels=8, out_channels=3)
    wanted = model.fit(EXAMPLES)
    bare = Operator.from_edge_index(torch.empty(2, 0, dtype=torch.int64), num_nodes=120)
    assert torch.equal(model(EXAMPLES.x, bare), wanted)
    table = graph_columns(EXAMPLES.x, EXAMPLES.graph, model.chosen)
    assert torch.equal(torch.from_numpy(table), EXAMPLES.x)


def test_structure_trees_know_nothing_of_the_features() -> None:
    model = direct("structure-trees", in_channels=8, out_channels=3)
    wanted = model.fit(EXAMPLES)
    known = {"labels": EXAMPLES.target, "mask": EXAMPLES.train}
    assert torch.equal(model(torch.randn(120, 8), EXAMPLES.graph, **known), wanted)
