from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
import torch
from tests.train.pretended import pretend

from allpass.data import load, splits
from allpass.train.early import EARLY, LONG, kept_early, warn_if_early
from allpass.train.fit import fit
from allpass.train.sweep import sweep


def ended(epoch: int | None, epochs: int = LONG) -> SimpleNamespace:
    return SimpleNamespace(epoch=epoch, epochs=epochs)


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.WARNING, logger="allpass")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize(
    ("run", "early"),
    [
        (ended(0), True),
        (ended(EARLY - 1), True),
        (ended(EARLY), False),
        (ended(0, LONG - 1), False),
        (ended(None), False),
    ],
)
def test_one_of_the_first_epochs_of_a_long_run_is_early(run, early) -> None:
    assert kept_early(run) is early


def test_more_than_half_of_the_runs_have_to_be_early(said) -> None:
    warn_if_early("gcn", [ended(0), ended(40)])
    assert said() == []
    warn_if_early("gcn", [ended(0), ended(1), ended(40)])
    assert said() == [
        "gcn: 2 of 3 runs kept one of the first 5 epochs, so training made the model worse. Lower lr, or raise "
        "dropout or weight_decay."
    ]


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        ("trees", "Lower learning_rate, or raise min_leaf."),
        ("linear", "training made the model worse."),
    ],
)
def test_the_advice_names_settings_that_the_model_has(model, advice, said) -> None:
    warn_if_early(model, [ended(0)])
    (message,) = said()
    assert message.endswith(advice)


def test_labels_at_random_and_a_wild_rate_are_noticed(said) -> None:
    data = load("karate")
    generator = torch.Generator().manual_seed(0)
    data.x = torch.randn(34, 40, generator=generator)
    data.y = torch.randint(2, (34,), generator=generator)
    runs = fit("mlp-2", data, splits(data, "random", count=3), {"lr": 0.3}, stop="fixed", epochs=LONG)
    assert sum(map(kept_early, runs)) >= 2
    assert len(said()) == 1


def test_a_sweep_warns_of_the_setting_that_it_chose_alone(said, monkeypatch) -> None:
    data = load("karate")
    data.x = torch.eye(34)
    early = {0.01}
    pretend(
        monkeypatch,
        lambda chosen, split, seed: (chosen["lr"], 1.0, 0.5),
        kept=lambda chosen: (0, LONG) if chosen["lr"] in early else (40, LONG),
    )
    space = {"lr": (0.01, 0.05)}
    sweep(None, "gcn", data, splits(data, "random", count=2), space)
    assert said() == []
    early.add(0.05)
    sweep(None, "gcn", data, splits(data, "random", count=2), space)
    assert len(said()) == 1
