from __future__ import annotations

import pytest
import torch

from allpass.errors import InputError, UnknownNameError
from allpass.models import MODELS, create, resolve
from allpass.models.catalog import direct
from allpass.models.trees import Trees
from allpass.nn import Dropout
from allpass.testing import examples

EXAMPLE = examples()[0]
NETWORKS = [entry for entry in MODELS if entry.is_network]


def make(name: str, **settings: object):
    return create(name, in_channels=5, out_channels=3, num_nodes=13, **settings)


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.name)
def test_what_is_worth_trying_can_be_set(entry):
    """A key of the space is a setting, or a training setting, which may name a group of parameters after a colon."""
    for key, values in entry.space.items():
        assert key in entry.settings or key.partition(":")[0] in ("lr", "weight_decay")
        assert len(values) > 0
    assert {key.partition(":")[0] for key in entry.training} <= {"lr", "weight_decay"}
    assert set(entry.preset) <= set(entry.settings)
    assert entry.summary
    assert "." not in entry.summary[-1:]
    assert entry.citation


@pytest.mark.parametrize("entry", NETWORKS, ids=lambda entry: entry.name)
def test_every_network_takes_what_every_caller_may_give(entry):
    """``num_nodes`` and ``graph`` are for those that need them, and no trouble for the others."""
    model = make(entry.name, graph=EXAMPLE.operator)
    if "dropout" in entry.settings:
        rates = [
            part.threshold.item()
            for part in make(entry.name, dropout=0.0).modules()
            if isinstance(part, Dropout)
        ]
        assert not rates or -(2**63) in rates  # some have a second one of their own
    if "parameter-free" not in entry.traits:
        assert any(True for _ in model.parameters())


@pytest.mark.parametrize("entry", [e for e in MODELS if e.numbered], ids=lambda entry: entry.name)
def test_numbers_at_the_end_of_a_name(entry):
    found, settings = resolve(f"{entry.name}-5")
    assert found is entry
    assert settings == {entry.numbered: 5}
    assert entry.numbered in entry.settings
    make(f"{entry.name}-3")


def test_a_name_that_is_an_entry_is_not_split():
    assert resolve("mlp-2") == (MODELS["mlp-2"], {})
    assert resolve("MLP_2")[0].name == "mlp-2"


def test_the_same_seed_gives_the_same_model():
    made = []
    for _ in range(2):
        torch.manual_seed(1)
        made.append(make("acm-gcn"))
    for a, b in zip(*(model.state_dict().values() for model in made), strict=True):
        assert torch.equal(a, b)


def test_settings_win_over_presets():
    assert len(make("mlp-2", num_layers=4).layers) == 4
    assert make("acmii-gcn").layers[0].order == "activation-first"
    assert make("acmii-gcn", order="filter-first").layers[0].order == "filter-first"


@pytest.mark.parametrize(
    ("name", "settings", "error", "message"),
    [
        ("acm-gnc", {}, UnknownNameError, r"no model 'acm-gnc'\. Did you mean 'acm-gcn'"),
        ("mlp-7", {}, UnknownNameError, r"no model 'mlp-7'\. Did you mean"),
        ("nonesuch-3", {}, UnknownNameError, "no model 'nonesuch-3'"),
        ("gcn", {"droput": 0.1}, UnknownNameError, r"no setting 'droput' of the model 'gcn'.*'dropout'"),
        ("gcn", {"dropout": 1.5}, InputError, r"dropout = 1\.5.*from 0 to 1"),
        ("gcn-0", {}, InputError, "num_layers = 0"),
        ("gcn", {"activation": "rellu"}, UnknownNameError, "no activation 'rellu'"),
        ("gcn", {"filter": "A_hat_wr"}, UnknownNameError, "no matrix 'A_hat_wr'. Did you mean 'A_hat_rw'"),
        ("gcn", {"activation": 3}, InputError, "Got 3 as activation. Expected a module"),
        (None, {}, InputError, "name of type NoneType for the model"),
        ("gat", {"heads": 0}, InputError, "heads = 0"),
        ("gcn", {"init": "combined"}, InputError, "no graph for the initialisation 'combined'"),
    ],
)
def test_what_cannot_be_made(name, settings, error, message):
    with pytest.raises(error, match=message):
        make(name, **settings)


def test_what_is_given_to_all_is_not_called_a_setting():
    with pytest.raises(UnknownNameError) as caught:
        make("acm-sage", zzz=1)
    assert "Known names: activation" in str(caught.value)
    assert "graph" not in str(caught.value)
    with pytest.raises(UnknownNameError, match="Did you mean 'graph'"):
        make("gcn", grahp=1)


@pytest.mark.parametrize(
    "widths", [{"in_channels": 0, "out_channels": 2}, {"in_channels": 2, "out_channels": -1}]
)
def test_widths_below_one(widths):
    with pytest.raises(InputError, match=r"_channels = (0|-1)"):
        create("gcn", **widths)


def test_a_model_with_weights_for_each_node_asks_for_their_number():
    fixed = [entry.name for entry in NETWORKS if "fixed-nodes" in entry.traits]
    for name in fixed:
        with pytest.raises(InputError, match="Pass num_nodes="):
            create(name, in_channels=5, out_channels=3)


def test_what_is_fitted_in_one_call_is_no_module():
    with pytest.raises(InputError, match=r"'trees' is no torch module.*allpass\.train\.fit\('trees'"):
        create("trees", in_channels=5, out_channels=3)
    assert isinstance(direct("lightgbm", in_channels=5, out_channels=3), Trees)


@pytest.mark.parametrize("entry", [e for e in MODELS if not e.is_network], ids=lambda entry: entry.name)
def test_direct_models_check_their_settings(entry):
    model = direct(entry.name, in_channels=5, out_channels=3)
    assert model.steps == 0
    with pytest.raises(UnknownNameError, match=f"no setting 'nonesuch' of the model '{entry.name}'"):
        direct(entry.name, in_channels=5, out_channels=3, nonesuch=1)
