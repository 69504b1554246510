"""Splits by name: recorded, reproducible, and refused with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.splits import SPLITS, Split, check_split, several, shares, splits
from allpass.errors import InputError, UnknownNameError

TEXAS = (33, 1, 18, 101, 30)
DRAWN = ("random", "acm-search", "stratified", "few-label")
FITTING = {"random": {}, "acm-search": {}, "stratified": {}, "few-label": {"val": 30, "test": 60}}


def labels(counts=TEXAS, missing: int = 0) -> Tensor:
    y = torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts))
    return torch.cat([y, y.new_full((missing,), -1)])


def mask(nodes: list[int], N: int = 6) -> Tensor:
    return torch.zeros(N, dtype=torch.bool).index_fill(0, torch.tensor(nodes, dtype=torch.long), True)


def same(one: Split, other: Split) -> bool:
    return all(torch.equal(getattr(one, part), getattr(other, part)) for part in ("train", "val", "test"))


@pytest.mark.parametrize("name", DRAWN)
def test_every_split_is_recorded_disjoint_and_of_labelled_nodes(name):
    y = labels(missing=7)
    found = splits(Data(y=y), name, count=3, seed=5, **FITTING[name])
    assert [split.name for split in found] == [f"{name}/{k}" for k in range(3)]
    for split in found:
        assert split.seed == 5
        member = split.train.int() + split.val.int() + split.test.int()
        assert split.train.dtype == torch.bool
        assert member.max() == 1
        assert not member[y < 0].any()


@pytest.mark.parametrize("name", DRAWN)
def test_split_k_depends_on_seed_and_k_alone(name):
    data, options = Data(y=labels()), FITTING[name]
    ten = splits(data, name, count=10, seed=3, **options)
    assert all(same(a, b) for a, b in zip(splits(data, name, count=4, seed=3, **options), ten, strict=False))
    assert not same(ten[0], ten[1])
    assert not same(ten[0], splits(data, name, count=1, seed=4, **options)[0])


@pytest.mark.parametrize("linear", [0, 4])
def test_the_stream_of_a_search_is_that_of_a_seeded_program(linear):
    """A program that seeds once and then, for each split, makes its model on the host and shuffles."""
    y = labels()
    data = Data(x=torch.rand(len(y), 7), y=y)
    found = splits(data, "acm-search", count=3, seed=42, skip=2, linear=linear)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(42)
        for number in range(5):
            if linear:
                torch.nn.Linear(7, linear).reset_parameters()
            classes = [(y == c).nonzero().flatten() for c in range(5)]
            classes = [nodes[torch.randperm(len(nodes))] for nodes in classes]
            rest = torch.cat([nodes[22:] for nodes in classes])
            rest = rest[torch.randperm(len(rest))]
            if number < 2:
                continue
            split = found[number - 2]
            assert same(
                split,
                Split(
                    mask(torch.cat([nodes[:22] for nodes in classes]).tolist(), len(y)),
                    mask(rest[:37].tolist(), len(y)),
                    mask(rest[37:].tolist(), len(y)),
                    split.name,
                ),
            )


def test_the_splits_of_a_published_number_are_found_again():
    """GCN on Texas (rate 0.05, decay 0.01, dropout 0.9) is printed as 83.11 ± 3.20: the share of the largest class."""
    y = labels(TEXAS)
    found = splits(Data(y=y), "acm-search", count=10, seed=42, skip=10 * ((1 * 9 + 8) * 10 + 9))
    shares = torch.stack([100 * (y[split.test] == 3).double().mean() for split in found])
    assert (round(float(shares.mean()), 2), round(float(shares.std(correction=0)), 2)) == (83.11, 3.20)


def test_a_known_split_never_changes():
    split = splits(Data(y=torch.arange(10) % 2), "random", count=1)[0]
    parts = [part.nonzero().flatten().tolist() for part in (split.train, split.val, split.test)]
    assert parts == [[2, 3, 4, 5, 6, 7], [0, 9], [1, 8]]
    split = splits(Data(y=torch.arange(10) % 2), "stratified", count=1, salt="none")[0]
    parts = [part.nonzero().flatten().tolist() for part in (split.train, split.val, split.test)]
    assert parts == [[2, 3, 4, 5, 6, 7], [0, 9], [1, 8]]
    split = splits(Data(y=torch.arange(10) % 2), "acm-search", count=1, seed=42)[0]
    parts = [part.nonzero().flatten().tolist() for part in (split.train, split.val, split.test)]
    assert parts == [[3, 4, 6, 7, 8, 9], [1, 5], [0, 2]]


def salted(**given) -> Split:
    return splits(Data(y=labels(), **given), "stratified", count=1)[0]


def test_stratified_splits_differ_between_graphs_with_the_same_labels():
    assert same(salted(fingerprint="a"), salted(fingerprint="a"))
    assert not same(salted(fingerprint="a"), salted(fingerprint="b"))


def test_without_a_fingerprint_the_labels_decide_a_stratified_split():
    y = labels((20, 20))
    one, other = (splits(Data(y=one), "stratified", count=1)[0] for one in (y, y.flip(0)))
    assert same(one, splits(Data(y=y.clone()), "stratified", count=1)[0])
    assert not torch.equal(one.train, other.train.flip(0))
    assert not same(one, splits(Data(y=y), "stratified", count=1, salt="none")[0])


def test_published_rules_do_not_look_at_the_graph():
    for name in ("random", "acm-search", "few-label"):
        one, other = (
            splits(Data(y=labels(), fingerprint=word), name, count=1, **FITTING[name])[0] for word in "ab"
        )
        assert same(one, other)


def test_an_unknown_salt_is_refused():
    with pytest.raises(InputError, match=r"Got salt='grap'\. Did you mean 'graph'"):
        splits(Data(y=labels()), "stratified", salt="grap")


def test_a_class_of_one_or_two_only_trains():
    y = labels((50, 2, 1, 30))
    (found,) = splits(Data(y=y), "stratified", count=1)
    for c in (1, 2):
        assert found.train[y == c].all()
    assert set(y[found.val].tolist()) == set(y[found.test].tolist()) == {0, 3}


def test_shares_are_those_of_the_masks():
    data = Data(y=labels((96, 4)))
    assert shares(splits(data, "stratified")) == "60/20/20"
    assert shares(splits(data, "random")) == "34/20/46"
    assert shares(splits(data, "stratified", train=0.5, val=0.25)) == "50/25/25"
    assert shares([Split(mask([]), mask([]), mask([]), "none")]) == "0/0/0"


def test_aliases_and_labels_of_other_types():
    data = Data(y=labels())
    assert same(splits(data, "60/20/20", count=1)[0], splits(data, "random", count=1)[0])
    assert splits(data, "Percent", count=1, val=30, test=60)[0].name == "few-label/0"
    assert splits(Data(y=torch.arange(20) % 2 == 0), "stratified", count=1)[0].train.sum() == 12


@pytest.mark.parametrize("name", ["public", "geom-gcn", "platonov", "deezer", "stored"])
def test_stored_splits_are_handed_out_as_they_are(name):
    own = [Split(mask([k]), mask([k + 1]), mask([k + 2]), f"{name}/{k}") for k in range(3)]
    data = Data(y=torch.zeros(6, dtype=torch.long), stored_splits={name: own})
    assert splits(data, name) == own
    assert splits(data, name, count=2, seed=9) == own[:2]


def test_absent_stored_splits_name_those_there_are():
    own = [Split(mask([0]), mask([1]), mask([2]), "platonov/0")]
    data = Data(y=torch.zeros(6, dtype=torch.long), name="tolokers", stored_splits={"platonov": own})
    with pytest.raises(InputError, match=r"'tolokers' has no stored splits 'public'\. It has 'platonov'"):
        splits(data, "public")
    with pytest.raises(InputError, match="It came with none"):
        splits(Data(y=labels()), "geom-gcn")


@pytest.mark.parametrize("name", ["public", "geom-gcn"])
def test_the_embedded_cora_says_where_its_splits_are(name):
    data = Data(y=labels(), name="cora", source="embedded", stored_splits={})
    with pytest.raises(InputError, match=r"own row order.*Planetoid files: load 'cora-planetoid'"):
        splits(data, name)


def test_names_and_options_are_spelled_right():
    with pytest.raises(UnknownNameError, match="Did you mean 'stratified'"):
        splits(Data(y=labels()), "stratifed")
    with pytest.raises(InputError, match=r"has no option 'percnt'\. Did you mean 'percent'"):
        splits(Data(y=labels()), "few-label", percnt=3)
    with pytest.raises(InputError, match=r"has no option 'train'\. It takes none"):
        splits(Data(y=labels()), "public", train=0.5)


@pytest.mark.parametrize(
    "settings", [{"count": 0}, {"count": -1}, {"count": 2.0}, {"seed": -1}, {"seed": 0.5}]
)
def test_count_and_seed_are_checked(settings):
    with pytest.raises(InputError, match=f"Got {next(iter(settings))}="):
        splits(Data(y=labels()), "random", **settings)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "no labels y"),
        (torch.rand(9), "type torch.float32"),
        (torch.zeros(9, 2, dtype=torch.long), r"shape \[9, 2\]"),
        (torch.zeros(1, dtype=torch.long), "Got 1 labelled nodes of 1"),
        (torch.full((9,), -1), "Got 0 labelled nodes of 9"),
    ],
)
@pytest.mark.parametrize("name", DRAWN)
def test_labels_that_cannot_be_divided_are_refused(name, y, message):
    with pytest.raises(InputError, match=message):
        splits(Data(y=y, num_nodes=9), name)


def test_an_empty_set_is_refused():
    with pytest.raises(
        InputError, match="gives 12/171/0 training, validation and test nodes: the test set is empty"
    ):
        splits(Data(y=labels()), "few-label", percent=5)
    with pytest.raises(InputError, match="the training set is empty"):
        splits(Data(y=labels((50, 50))), "random", train=0.001)
    assert not splits(Data(y=labels()), "stratified", val=0.0)[0].val.any()


def test_findings_name_each_oddity():
    y = torch.tensor([0, 0, 0, 1, 1, -1])
    good = Split(mask([0, 3]), mask([1]), mask([2, 4]), "good/0")
    assert check_split(good, y) == ["The validation set has no node of class 1: nothing is measured there."]
    assert check_split(replace(good, train=mask([0])), y)[0].startswith(
        "The training set has no node of class 1"
    )
    assert "1 of 5 labelled nodes are in no set." in check_split(replace(good, train=mask([0])), y)
    assert "1 nodes are in both the training and the test set." in check_split(
        replace(good, train=mask([0, 2])), y
    )
    assert "1 test nodes have no label." in check_split(replace(good, test=mask([2, 4, 5])), y)
    assert "The test set is empty." in check_split(replace(good, test=mask([])), y)
    assert check_split(good, torch.rand(6)) == []


def test_a_stratified_split_has_no_findings():
    y = labels((30, 20, 10))
    assert check_split(splits(Data(y=y), "stratified", count=1)[0], y) == []


def test_every_rule_is_documented():
    assert all(rule.summary for rule in SPLITS)
    assert {rule.name for rule in SPLITS if rule.drawn} == set(DRAWN)


def test_one_split_or_several_and_no_name_of_a_rule():
    one = Split(mask([0]), mask([1]), mask([2]), "mine")
    assert several(one) == [one]
    assert several(iter([one, one])) == [one, one]
    for wrong, shown in (("random", "'random'"), (None, "None"), ([one, 3], "3")):
        with pytest.raises(InputError, match=f"Got {shown} in place of a split.*splits\\(data"):
            several(wrong)


@pytest.mark.parametrize("name", DRAWN)
def test_a_class_without_a_node_changes_no_split(name):
    """Labels {0, 2} of three classes are divided as {0, 1} of two."""
    y = torch.arange(60) % 2
    options = {"val": 10, "test": 10, "percent": 10} if name == "few-label" else {}
    given = [splits(Data(y=labels, num_nodes=60), name, count=1, **options)[0] for labels in (y, 2 * y)]
    for part in ("train", "val", "test"):
        first, second = (y[getattr(split, part)].bincount() for split in given)
        assert torch.equal(first, second)


@pytest.mark.parametrize("given", [{"train": None}, {"train": "a"}, {"val": "0.2"}, {"val": float("nan")}])
def test_shares_are_numbers(given):
    with pytest.raises(InputError, match="expected shares that leave something to test on"):
        splits(Data(y=torch.arange(60) % 2, num_nodes=60), "stratified", **given)


def test_what_is_no_graph_is_told():
    with pytest.raises(InputError, match="Got None in place of a graph"):
        splits(None, "stratified")
    with pytest.raises(InputError, match=r"Got tensor.* in place of a split") as told:
        several([torch.ones(1000)])
    assert len(str(told.value)) < 300
