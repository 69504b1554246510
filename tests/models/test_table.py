from __future__ import annotations

import json

import pytest
import torch

from allpass.errors import UnknownNameError
from allpass.models import MODELS, describe_model, model_table, setting_rows
from allpass.nn.traits import TRAITS


def row(name: str):
    return next(row for row in model_table() if row["name"] == name)


def test_one_row_a_model_in_their_order():
    assert [row["name"] for row in model_table()] == list(MODELS.names)
    assert row("linkx")["needs"] == ["graph", "features", "number of nodes"]


@pytest.mark.parametrize(
    ("name", "written"), [("mlp-2", "mlp-2"), ("snowball", "snowball[-N]"), ("sgc-2", "sgc-2, sgc-N")]
)
def test_a_name_shows_where_its_number_stands(name, written):
    assert row(name)["written"] == written


@pytest.mark.parametrize(
    ("name", "paper"),
    [
        ("gcn", "Kipf and Welling, ICLR 2017"),
        ("sage", "Hamilton et al., NeurIPS 2017"),
        ("bernnet", "He et al., NeurIPS 2021"),
    ],
)
def test_a_paper_is_its_authors_and_its_place(name, paper):
    assert row(name)["paper"] == paper


@pytest.mark.parametrize("name", MODELS.names)
def test_every_model_is_described_in_plain_data(name):
    card = describe_model(name)
    assert json.loads(json.dumps(card))["name"] == name
    assert set(card["traits"]) == MODELS[name].traits
    assert {row.name for row in setting_rows(card)} == {
        *card["settings"],
        *card["training"],
        *card["space"],
    }
    groups = {key.partition(":")[2] for key in (*card["training"], *card["space"])} - {""}
    assert groups <= set(
        card["parameter_groups"]
    )  # a rate for a group that no parameter belongs to does nothing


def test_every_trait_has_its_words():
    assert {trait for entry in MODELS for trait in entry.traits} <= set(TRAITS)


def test_a_number_in_the_name_shows_in_the_settings():
    assert describe_model("snowball-7")["settings"]["num_layers"] == 7
    assert describe_model("sgc-5")["settings"]["hops"] == 5


def test_a_group_without_a_rate_of_its_own_follows_the_plain_one():
    meaning = "Learning rate of the parameter group filter."
    assert ("lr:filter", "as lr", "0.001, 0.002, 0.01, 0.05", meaning) in setting_rows(
        describe_model("bernnet")
    )


def test_nothing_is_shown_as_what_stands_in_for_it():
    rows = {row.name: row for row in setting_rows(describe_model("gat"))}
    assert rows["attention_dropout"].default == "as dropout"
    assert describe_model("gat")["settings"]["attention_dropout"] is None


@pytest.mark.parametrize("name", MODELS.names)
def test_every_setting_is_explained(name):
    unsaid = [row.name for row in setting_rows(describe_model(name)) if not row.meaning]
    assert not unsaid


def test_looking_leaves_the_random_state_alone():
    before = torch.get_rng_state()
    describe_model("gcnii")
    assert torch.equal(torch.get_rng_state(), before)


def test_a_typo_gets_a_suggestion():
    with pytest.raises(UnknownNameError, match="Did you mean 'acm-gcn'"):
        describe_model("acm-gnc")
