"""Comparisons: the same splits for all, statistics against SciPy, and what is refused."""

from __future__ import annotations

import copy
import json
import math

import numpy as np
import pytest
import scipy.stats
import torch
from tests.train.contenders import comparison
from torch_geometric.data import Data

from allpass.data import load, splits
from allpass.errors import InputError, UnknownNameError
from allpass.models import resolve
from allpass.train.compare import compare
from allpass.train.fit import fit
from allpass.train.rules.stopping import stopping
from allpass.train.runs.store import Store
from allpass.train.statistics import holm, overlap_of

SHORT = stopping("fixed", max_epochs=8)
SCORES = {"mlp-2": (0.70, 0.72, 0.69, 0.74), "gcn": (0.80, 0.79, 0.83, 0.82), "sgc": (0.81, 0.78, 0.80, 0.84)}


@pytest.fixture(scope="module")
def data() -> Data:
    found = load("karate")
    found.x = torch.eye(found.num_nodes)
    return found


@pytest.fixture(scope="module")
def folds(data):
    return splits(data, "random", count=3)


def test_every_model_gets_what_fit_gives_on_the_same_splits(data, folds):
    found = compare(["mlp-2", "gcn"], data, folds, {"gcn": {"lr": 0.1}}, stop=SHORT)
    assert found.score == "accuracy"
    assert found.splits == ("random/0", "random/1", "random/2")
    assert found.overlap == overlap_of(folds)
    for model, settings in (("mlp-2", {}), ("gcn", {"lr": 0.1})):
        runs = fit(model, data, folds, settings, stop=SHORT)
        one = found[model]
        assert one.scores == tuple(run.scores["test_score"] for run in runs)
        assert one.validation == tuple(run.scores["val_score"] for run in runs)
        assert one.settings == runs[0].settings
        assert one.epochs == 8
    assert found["mlp-2"].settings["lr"] == resolve("mlp-2")[0].training["lr"]


def test_seeds_are_averaged_on_each_split(data, folds):
    found = compare(["gcn"], data, folds, seeds=[0, 1], stop=SHORT)["gcn"]
    runs = fit("gcn", data, folds, seeds=[0, 1], stop=SHORT)
    scores = np.array([run.scores["test_score"] for run in runs]).reshape(3, 2)
    assert found.scores == pytest.approx(scores.mean(1))
    assert found.estimate.count == 3


def test_a_store_is_filled_once_and_gives_the_same(data, folds, tmp_path):
    plain = compare(["mlp-2", "gcn"], data, folds, stop=SHORT)
    seen = []
    with Store(tmp_path / "runs.db") as store:
        for _ in range(2):
            kept = compare(["mlp-2", "gcn"], data, folds, store=store, stop=SHORT, on_progress=seen.append)
            assert len(store) == 6
            assert [one.scores for one in kept.contenders] == [one.scores for one in plain.contenders]
    assert {reached.runs for reached in seen} == {6}
    ended = [reached.ended for reached in seen]
    assert ended == sorted(ended)
    assert ended[-1] < 6


def test_differences_are_paired_corrected_and_raised():
    found = comparison(SCORES, overlap=0.25)
    ahead = found.against("mlp-2")
    raw = []
    for model in ("gcn", "sgc"):
        gaps = np.subtract(SCORES[model], SCORES["mlp-2"])
        error = gaps.std(ddof=1) * math.sqrt(1 / 4 + 0.25)
        low, high = scipy.stats.t.interval(0.95, 3, gaps.mean(), error)
        assert (ahead[model].mean, ahead[model].low, ahead[model].high) == pytest.approx(
            (gaps.mean(), low, high)
        )
        raw.append(2 * scipy.stats.t.sf(abs(gaps.mean()) / error, 3))
    assert [one.p_value for one in ahead.values()] == pytest.approx(holm(raw))


def test_validation_chooses_the_best_and_not_the_test_nodes():
    validation = {**SCORES, "mlp-2": (0.9, 0.9, 0.9, 0.9)}
    assert comparison(SCORES, validation).best == "mlp-2"
    assert comparison(SCORES, {**validation, "mlp-2": (math.nan,) * 4}).best == "gcn"
    assert comparison({"a": [1.0, 2.0], "b": [2.0, 3.0]}, score="mae").best == "a"


def test_less_is_ahead_where_less_is_better():
    found = comparison({"a": [1.0, 2.0], "b": [2.0, 3.5]}, score="mae")
    assert found.difference("a", "b").mean == pytest.approx(1.25)
    assert not found.in_percent
    assert comparison(SCORES).in_percent


def test_one_model_alone_is_ahead_of_nobody():
    assert comparison({"gcn": [0.5, 0.6]}).against("gcn") == {}


def test_json(data, folds):
    content = compare(["mlp-2", "acm-gcn"], data, folds[:1], stop=SHORT).to_dict()
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    first, second = content["models"]
    assert second["settings"]["channels"] == ["low", "high", "identity"]
    assert first["mean"]["low"] is None  # one split has no interval
    assert {first["ahead"] is None, second["ahead"] is None} == {True, False}


def test_regression_does_not_mind_the_unit(data, folds):
    numbers = copy.copy(data)
    numbers.y = torch.randn(data.num_nodes, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    plain = compare(["gcn"], numbers, folds, stop=SHORT)
    assert plain.score == "r2"
    numbers.y = 1000 * numbers.y + 5000
    assert compare(["gcn"], numbers, folds, stop=SHORT)["gcn"].scores == pytest.approx(
        plain["gcn"].scores, abs=1e-4
    )


@pytest.mark.parametrize(
    ("models", "settings", "words"),
    [
        ([], None, "list of names"),
        ("gcn", None, "list of names"),
        (["gcn", "gcn"], None, "'gcn' is named twice"),
        (["mlp", "mlp-2"], None, "'mlp-2' is named twice"),
        (["gcm"], None, "Did you mean .*'gcn'"),
        (["gcn"], {"gcm": {}}, "Did you mean 'gcn'"),
        (["gcn"], {"gcn": {"dropuot": 0.1}}, "Did you mean 'dropout'"),
    ],
)
def test_what_is_refused(data, folds, models, settings, words):
    with pytest.raises((InputError, UnknownNameError), match=words):
        compare(models, data, folds, settings, stop=SHORT)


def test_no_splits_no_seeds_and_no_such_baseline(data, folds):
    with pytest.raises(InputError, match="no splits"):
        compare(["gcn"], data, [])
    with pytest.raises(InputError, match="no seeds"):
        compare(["gcn"], data, folds, seeds=[])
    with pytest.raises(UnknownNameError, match=r"Did you mean .*'gcn'"):
        comparison(SCORES).against("gcm")
