"""Trainings as plain data: their keys, and that they train what one would train by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch

from allpass.data import load, splits
from allpass.papers.tables.protocol import Protocol, Tie
from allpass.papers.tables.trainings import Trainings, prepared
from allpass.train import fit, stopping
from allpass.train.few_labels import STRATEGIES, few_labels
from allpass.train.runs.run import Run

SHORT = Protocol(
    splits={"name": "random", "count": 3, "train": 0.4},
    stop={"name": "fixed", "max_epochs": 4},
    scaling="none",
)
TWO = ({"lr": 0.01, "dropout": 0.5}, {"lr": 0.1, "dropout": 0.0})
TINY = Trainings("example-high-pass", "gcn", SHORT, TWO)
FEW = Trainings(
    "cora",
    "gcn",
    SHORT.changed({"splits": {"name": "few-label", "count": 2, "percent": 0.5}, "scaling": "rows"}),
    ({"hidden_channels": 2, "lr": 0.05}, {"hidden_channels": 3, "lr": 0.05}),
    strategy="self-training",
)
TIED = replace(
    TINY, settings=(*TWO, {"lr": 0.02, "dropout": 0.5}), tied=Tie({"scaling": "rows"}, {"dropout": 0.5})
)


def made(trainings: Trainings, left: tuple[str, ...] = ()) -> list[Run]:
    return [run for runs in trainings.runs(left, "cpu") for run in runs]


@pytest.mark.parametrize(
    "trainings", [TINY, FEW, TIED, replace(TINY, score="roc_auc"), replace(TINY, seeds=(1, 2))]
)
def test_they_travel_as_text(trainings: Trainings) -> None:
    there = Trainings.from_dict(json.loads(json.dumps(trainings.to_dict())))
    assert there.keys() == trainings.keys()
    assert there == trainings


def test_keys_come_setting_by_setting_and_split_by_split_within() -> None:
    keys = TINY.keys()
    assert [(key.settings["lr"], key.split) for key in keys] == [
        (lr, f"random/{number}") for lr in (0.01, 0.1) for number in range(3)
    ]
    assert len({key.identity for key in keys}) == 6
    assert keys == list(TINY.each_key())
    assert {(key.dataset, key.model) for key in keys} == {("example-high-pass", "gcn")}


def test_several_seeds_stand_within_each_split() -> None:
    keys = replace(TIED, seeds=(1, 2)).each_key()
    assert [(key.settings["lr"], key.split, key.seed) for key in keys] == [
        (lr, f"random/{number}", seed) for lr in (0.01, 0.1, 0.02) for number in range(3) for seed in (1, 2)
    ]
    assert {key.seed for key in TIED.each_key()} == {0}
    by_key = {run.key.identity: run.scores["test_score"] for run in made(replace(TINY, seeds=(0, 7)))}
    assert {run.key.identity: run.scores["test_score"] for run in made(TINY)}.items() <= by_key.items()


@pytest.mark.parametrize(
    "change",
    [
        {"stop": {"max_epochs": 5}},
        {"select": "final"},
        {"optimizer": "adamw"},
        {"scaling": "rows"},
        {"undirected": False},
        {"tf32": True},
        {"splits": {"seed": 1}},
    ],
)
def test_whatever_decides_the_numbers_is_in_the_keys(change: dict[str, object]) -> None:
    assert not set(TINY.keys()) & set(replace(TINY, protocol=SHORT.changed(change)).keys())


def test_the_score_and_the_strategy_are_in_the_keys_too() -> None:
    kinds = [replace(FEW, strategy=name) for name in ("", "self-training", "union", "svat", "dvat")]
    kinds.append(replace(FEW, strategy="", score="macro_f1"))
    identities = [key.identity for trainings in kinds for key in trainings.each_key()]
    assert len(set(identities)) == len(identities)


def test_other_options_of_a_strategy_are_other_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    before = FEW.keys()
    assert before[0].protocol["strategy_options"] == {"added": None}
    entry = STRATEGIES["self-training"]
    monkeypatch.setattr(
        STRATEGIES, "_entries", {**STRATEGIES._entries, entry.name: replace(entry, options={"added": 3})}
    )
    assert not set(before) & set(FEW.keys())


def test_runs_are_those_of_a_training_by_hand() -> None:
    data = load("example-high-pass")
    parts = splits(data, "random", count=3, train=0.4)
    outcomes = fit("gcn", data, parts, list(TWO), stop="fixed", epochs=4, scaling=TINY.protocol.scaling)
    runs = made(TINY)
    assert [run.key for run in runs] == TINY.keys()
    for run, outcome in zip(runs, outcomes, strict=True):
        assert run.scores == outcome.scores
        assert (run.epoch, run.epochs, run.status) == (outcome.epoch, 4, "done")
        assert run.versions["torch"] == torch.__version__


def test_settings_may_have_a_protocol_of_their_own() -> None:
    keys, changed = TIED.keys(), SHORT.changed({"scaling": "rows"})
    by_hand = [
        replace(TINY, settings=(settings,), protocol=SHORT if settings["dropout"] == 0.0 else changed)
        for settings in TIED.settings
    ]
    assert keys == [key for trainings in by_hand for key in trainings.each_key()]
    runs = {run.key: run for run in made(TIED)}
    assert len(runs) == 9
    assert all(run.agrees(runs[run.key]) for trainings in by_hand for run in made(trainings))
    assert {run.key for run in made(TIED, (keys[3].identity, keys[8].identity))} == {keys[3], keys[8]}
    assert {run.key for run in made(TIED, (keys[8].identity,))} == {keys[8]}


def test_only_what_is_left_is_trained() -> None:
    keys, whole = TINY.keys(), made(TINY)
    left = made(TINY, (keys[4].identity, keys[1].identity, "of something else"))
    assert {run.key for run in left} == {keys[1], keys[4]}
    for run in left:
        assert run.agrees(whole[keys.index(run.key)])


def test_a_strategy_trains_what_it_does_by_hand_and_only_what_is_left() -> None:
    data, parts = prepared("cora", FEW.protocol)
    keys = FEW.keys()
    (run,) = made(FEW, (keys[2].identity,))
    (outcome,) = few_labels(
        "self-training",
        "gcn",
        data,
        [parts[0]],
        FEW.settings[1],
        stop=stopping("fixed", max_epochs=4),
        scaling="rows",
        undirected=True,
    )
    assert run.key == keys[2]
    assert run.key.protocol["strategy"] == "self-training"
    assert run.scores == outcome.scores


def test_a_graph_is_read_once() -> None:
    assert prepared("cora", FEW.protocol)[0] is prepared("cora", SHORT)[0]
    assert prepared("cora", FEW.protocol)[1] is prepared("cora", FEW.protocol.changed({"select": "final"}))[1]
