"""Forests: there and back, bit by bit, and damaged ones refused."""

from __future__ import annotations

from dataclasses import replace

import lightgbm
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from allpass.errors import InputError
from allpass.models.boosting import Booster, Forest

SETTINGS = {"num_leaves": 6, "min_data_in_leaf": 5, "learning_rate": 0.2, "seed": 0}


def table(seed: int, rows: int = 120, columns: int = 4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def boosted(seed: int, objective: str, outputs: int, rounds: int = 8) -> tuple[Booster, np.ndarray]:
    X, rng = table(seed), np.random.default_rng(seed)
    y = np.nan_to_num(X[:, 0]) + 0.5 * np.nan_to_num(X[:, 1])
    if objective != "regression":
        y = np.digitize(y, np.quantile(y, np.arange(1, max(outputs, 2)) / max(outputs, 2))).astype(float)
    rows = rng.permutation(len(X))
    booster = Booster.fit(
        X,
        y,
        rows[:80],
        rows[80:],
        objective=objective,
        outputs=outputs,
        weight=None,
        rounds=rounds,
        patience=5,
        settings=SETTINGS,
    )
    return booster, X


def independent(forest: Forest, row: np.ndarray) -> np.ndarray:
    """The sum of the leaves that a row falls into, one tree after the other."""
    total = np.zeros(forest.outputs)
    node = leaf = 0
    for tree, count in enumerate(forest.num_leaves):
        place = 0 if count > 1 else -1
        while place >= 0:
            at = node + place
            value = float(row[forest.split_feature[at]])
            kind = int(forest.decision_type[at])
            missing, default_left = (kind >> 2) & 3, bool(kind & 2)
            if np.isnan(value) and missing != 2:
                value = 0.0
            left = default_left if np.isnan(value) else value <= forest.threshold[at]
            place = int(forest.left_child[at] if left else forest.right_child[at])
        total[tree % forest.outputs] += forest.leaf_value[leaf - 1 - place]
        node, leaf = node + count - 1, leaf + count
    return total


@pytest.mark.parametrize(("objective", "outputs"), [("binary", 1), ("multiclass", 4), ("regression", 1)])
def test_a_row_walks_down_the_trees(objective: str, outputs: int) -> None:
    booster, X = boosted(0, objective, outputs)
    wanted = np.array([independent(booster.forest, row) for row in X])
    np.testing.assert_allclose(booster.predict(X), wanted, rtol=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([("binary", 1), ("multiclass", 3), ("regression", 1)]))
def test_text_and_arrays_there_and_back_to_the_last_bit(seed: int, kind: tuple[str, int]) -> None:
    booster, X = boosted(seed, *kind)
    forest = Forest.of(booster.forest.text(X.shape[1]), kind[1])
    for name, value in booster.forest.to_tensors().items():
        assert torch.equal(forest.to_tensors()[name], value), name
    again = Forest.from_tensors(forest.to_tensors(), kind[1])
    np.testing.assert_array_equal(Booster(again, X.shape[1]).predict(X), booster.predict(X))


def test_what_is_kept_predicts_what_lightgbm_itself_does() -> None:
    X, y = table(1), np.random.default_rng(1).normal(size=120)
    params = {**SETTINGS, "objective": "regression", "verbosity": -1, "num_threads": 1}
    theirs = lightgbm.train(params, lightgbm.Dataset(X, y), 12)
    ours = Booster(Forest.of(theirs.model_to_string(), 1), 4)
    np.testing.assert_array_equal(ours.predict(X)[:, 0], theirs.predict(X))


def test_it_learns_a_table_and_stops_early() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)).astype(np.float32)
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(float)  # no column alone says anything
    given = {"objective": "binary", "outputs": 1, "weight": None, "rounds": 300, "patience": 10}
    booster = Booster.fit(X, y, np.arange(300), np.arange(300, 450), settings=SETTINGS, **given)
    right = (booster.predict(X)[450:, 0] > 0) == y[450:]
    assert right.mean() > 0.9
    noise = rng.integers(0, 2, 600).astype(float)
    assert Booster.fit(X, noise, np.arange(300), np.arange(300, 450), settings=SETTINGS, **given).rounds < 60


def test_weights_count() -> None:
    X, y = np.zeros((100, 1), dtype=np.float32), np.repeat([0.0, 1.0], 50)
    weight = np.where(y == 1, 3.0, 1.0)
    given = {"objective": "regression", "outputs": 1, "rounds": 1, "patience": 1, "settings": SETTINGS}
    rows = np.arange(100)
    for each, mean in ((None, 0.5), (weight, 0.75)):
        booster = Booster.fit(X, y, rows, rows[:0], weight=each, **given)
        assert booster.predict(X)[0, 0] == pytest.approx(mean, rel=1e-6)


def damaged(forest: Forest) -> dict[str, Forest]:
    def put(name: str, place: int, value: float) -> Forest:
        changed = getattr(forest, name).copy()
        changed[place] = value
        return replace(forest, **{name: changed})

    inner = int(forest.num_leaves[0]) - 1
    return {
        "a cycle": put("left_child", 1, 0),
        "itself": put("right_child", 0, 0),
        "a node far away": put("left_child", 0, inner + 5),
        "a leaf far away": put("left_child", 0, -1000),
        "a leaf twice": put("left_child", inner - 1, int(forest.right_child[inner - 1])),
        "a column that is not there": put("split_feature", 0, 4),
        "a negative column": put("split_feature", 0, -1),
        "a categorical split": put("decision_type", 0, 1),
        "a strange decision": put("decision_type", 0, 99),
        "NaN as a threshold": put("threshold", 0, np.nan),
        "NaN as a leaf": put("leaf_value", 0, np.nan),
        "an infinite leaf": put("leaf_value", 0, np.inf),
        "no leaves": put("num_leaves", 0, 0),
        "negative leaves": put("num_leaves", 0, -3),
        "more leaves": put("num_leaves", 0, int(forest.num_leaves[0]) + 1),
        "fewer thresholds": replace(forest, threshold=forest.threshold[:-1]),
        "fewer leaves": replace(forest, leaf_value=forest.leaf_value[:-1]),
        "no trees": replace(forest, num_leaves=forest.num_leaves[:0]),
        "trees that are no whole round": replace(forest, outputs=7),
    }


FOREST = boosted(0, "binary", 1)[0].forest


@pytest.mark.parametrize("what", damaged(FOREST))
def test_damaged_trees_are_refused(what: str) -> None:
    with pytest.raises(InputError, match="trees of the model are damaged"):
        Booster(damaged(FOREST)[what], 4)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_change_is_refused_or_predicts_numbers(data: st.DataObject) -> None:
    """Whatever one entry is changed to: LightGBM never sees trees that are not trees."""
    name = data.draw(
        st.sampled_from(["num_leaves", "split_feature", "left_child", "right_child", "decision_type"])
    )
    values = getattr(FOREST, name).copy()
    values[data.draw(st.integers(0, len(values) - 1))] = data.draw(st.integers(-40, 40))
    try:
        booster = Booster(replace(FOREST, **{name: values}), 4)
    except InputError:
        return
    assert np.isfinite(booster.predict(table(3))).all()


@pytest.mark.parametrize(
    "change",
    [
        lambda tensors: tensors.pop("threshold"),
        lambda tensors: tensors.update(threshold=tensors["threshold"].float()),
        lambda tensors: tensors.update(threshold=tensors["threshold"].unsqueeze(0)),
        lambda tensors: tensors.update(extra=torch.zeros(1)),
        lambda tensors: tensors.update(left_child=tensors["left_child"].long()),
    ],
    ids=["missing", "of another type", "of another shape", "too many", "wider numbers"],
)
def test_tensors_of_another_kind_are_refused(change) -> None:
    tensors = FOREST.to_tensors()
    change(tensors)
    with pytest.raises(InputError, match="damaged"):
        Forest.from_tensors(tensors, 1)
