"""Verbs that train have the same options, and those that are not given keep the defaults of TrainingConfig."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields

import pytest
import torch
import typer
from torch_geometric.data import Data

from allpass.cli.main import app
from allpass.cli.training import _declared, _options, say_score
from allpass.errors import InputError
from allpass.train.config import TrainingConfig

NONE = {name: part.default for name, part in inspect.signature(_declared).parameters.items()}
ELSEWHERE = {"task", "tf32"}  # --task says how the label is read; TF32 pays for layers thousands wide


@pytest.mark.parametrize("verb", ["train", "sweep", "compare"])
def test_verbs_that_train_have_every_option_of_a_training(verb: str) -> None:
    command = typer.main.get_command(app).commands[verb]  # type: ignore[attr-defined]
    found = {parameter.name for parameter in command.params}
    wanted = {field.name for field in fields(TrainingConfig)} - ELSEWHERE - {"undirected"} | {"directed"}
    assert wanted <= found


def test_without_options_a_training_is_the_default() -> None:
    assert TrainingConfig.of(**_options(dict(NONE))) == TrainingConfig()


def test_options_reach_the_training() -> None:
    given = {"directed": True, "dtype": "float64", "patience": 7, "label_input": True, "device": "cpu"}
    assert TrainingConfig.of(**_options({**NONE, **given})) == TrainingConfig(
        undirected=False, dtype=torch.float64, patience=7, label_input=True, device="cpu"
    )
    with pytest.raises(InputError, match=r"Got --dtype half\. Expected float32 or float64"):
        _options({**NONE, "dtype": "half"})


def test_help_tells_the_defaults_of_the_configuration() -> None:
    annotations = {
        name: part.annotation for name, part in inspect.signature(_declared, eval_str=True).parameters.items()
    }
    helps = {name: kind.__metadata__[0].help for name, kind in annotations.items()}
    told = {name: re.search(r"(\w[\w.-]*) \(default\)", text) for name, text in helps.items()}
    config = TrainingConfig()
    for name, found in told.items():
        if found:
            assert str(getattr(config, name)).removeprefix("torch.") == found[1]
    assert {name for name, found in told.items() if found} == {
        "stop",
        "optimizer",
        "select",
        "scaling",
        "dtype",
        "class_weight",
    }
    assert f"by default {config.rule.max_epochs}" in helps["epochs"]
    assert f"{config.rule.window} for the rule {config.stop}, else " in helps["patience"]
    assert helps["patience"].endswith(f"else {TrainingConfig(stop='patience-loss').rule.patience}.")


def labels(*sizes: int) -> Data:
    return Data(y=torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes)))


@pytest.mark.parametrize(
    ("sizes", "score"),
    [((60, 40), "accuracy"), ((96, 4), "roc_auc"), ((90, 5, 5), "balanced_accuracy")],
)
def test_rare_classes_are_not_measured_by_accuracy(capsys, sizes, score):
    data = labels(*sizes)
    assert TrainingConfig().scorer(data).name == score
    say_score(data, {})
    said = capsys.readouterr().err
    assert (score == "accuracy") == (said == "")
    if said:
        assert f"{sizes[0]}% of the labels are of class 0" in said
        assert f"the score is {score}. --score accuracy" in said


def test_the_score_is_explained_only_where_the_user_named_none(capsys):
    say_score(labels(96, 4), {"score": "accuracy"})
    say_score(Data(y=torch.rand(9)), {})
    say_score(Data(), {})
    assert capsys.readouterr().err == ""


def test_a_class_goes_by_its_name(capsys):
    data = labels(96, 4)
    data.class_names = ["legit", "fraud"]
    say_score(data, {})
    assert "of class legit" in capsys.readouterr().err
