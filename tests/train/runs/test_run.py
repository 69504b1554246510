from __future__ import annotations

import json
import math
import pickle
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
import torch
from tests.train.writers import key, run

from allpass.errors import InputError
from allpass.train.runs.run import CURVE_LIMIT, Key


def test_the_identity_is_the_same_on_every_machine():
    assert key(1).identity == "a4e96fd5d07e0babf5de02e0e2af96b6"


def test_every_part_but_the_name_of_the_dataset_decides():
    changes = {
        "fingerprint": "other",
        "model": "acm-gcn",
        "settings": {"lr": 0.02},
        "split": "random/9",
        "split_hash": "b2",
        "seed": 1,
        "protocol": {"stopping": "fixed"},
    }
    identities = {key(1, **{name: value}).identity for name, value in changes.items()}
    assert len(identities | {key(1).identity}) == len(changes) + 1
    assert key(1, dataset="texas again") == key(1)


def test_keys_in_sets_and_in_other_processes():
    one, other = key(1, settings={"p": 0, "w": (1, 2)}), key(1, settings={"w": [1, 2], "p": 0.0})
    assert one == other
    assert {one, other, key(2)} == {one, key(2)}
    assert one != one.identity
    assert pickle.loads(pickle.dumps(one)) == one
    assert Key(**json.loads(json.dumps(one.to_dict()))) == one


def test_a_key_keeps_its_own_copy():
    settings = {"widths": [1, 2]}
    kept = key(1, settings=settings)
    settings["widths"].append(3)
    assert kept.settings == {"widths": [1, 2]}


@pytest.mark.parametrize(
    "changes",
    [
        {"model": None},
        {"dataset": 3},
        {"settings": [1]},
        {"settings": {"lr": math.nan}},
        {"protocol": {"dtype": torch.float32}},
        {"seed": 0.5},
        {"seed": True},
        {"seed": None},
        {"seed": 2**63},
        {"split": "\ud800"},
    ],
)
def test_a_bad_key(changes):
    with pytest.raises(InputError, match=next(iter(changes))):
        key(1, **changes)


def test_numbers_of_numpy_and_torch_become_plain():
    made = run(1, epoch=np.int64(3), scores={"a": np.float32(0.5), "b": torch.tensor(0.25)}, seconds=1)
    assert (made.epoch, made.scores, made.seconds) == (3, {"a": 0.5, "b": 0.25}, 1.0)
    assert type(made.scores["b"]) is float


def test_curves_are_float32_copies():
    values = np.array([1.0, 1e300, math.nan])
    made = run(1, curves={"loss": values, "wide": torch.ones(2, 3), "list": [1, 2]})
    values[0] = 9
    assert made.curves["loss"].dtype == np.float32
    np.testing.assert_array_equal(made.curves["loss"], np.array([1, np.inf, np.nan], np.float32))
    assert made.curves["wide"].shape == (2, 3)


def test_times_are_kept_in_one_zone():
    east = datetime(2024, 5, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    made = run(1, started=east, ended=east)
    assert made.started == east
    assert made.started.isoformat() == "2024-05-01T12:00:00+00:00"
    assert (datetime.now(UTC) - run(1).ended).total_seconds() < 60


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": "doen"}, "'done'"),
        ({"epoch": -1}, "epoch is -1"),
        ({"epoch": 1.5}, "epoch is 1.5"),
        ({"epochs": None}, "epochs is None"),
        ({"epochs": True}, "epochs is True"),
        ({"scores": {"loss": None}}, "'loss'"),
        ({"scores": {"loss": torch.ones(2)}}, "'loss'"),
        ({"scores": {1: 0.5}}, "a name"),
        ({"seconds": -1}, "seconds"),
        ({"seconds": math.nan}, "seconds"),
        ({"seconds": math.inf}, "seconds"),
        ({"curves": {"loss": ["a"]}}, "'loss'"),
        ({"curves": {"loss": [1j]}}, "complex"),
        ({"curves": {"loss": [[1], [1, 2]]}}, "'loss'"),
        ({"curves": {"loss": np.broadcast_to(0.0, CURVE_LIMIT + 1)}}, "checkpoint"),
        ({"ended": datetime(2024, 5, 1)}, "zone"),
        ({"started": "2024"}, "started"),
    ],
)
def test_a_bad_run(changes, said):
    with pytest.raises(InputError, match=said):
        run(1, **changes)


def test_agreement_is_about_numbers():
    assert run(1).agrees(run(1, seconds=5.0, curves={}, versions={"torch": "1"}))
    assert run(1, scores={"loss": math.nan}).agrees(run(1, scores={"loss": math.nan}))
    assert not run(1, scores={"loss": 0.1}).agrees(run(1, scores={"loss": 0.1 + 2**-56}))
    assert not run(1, scores={}).agrees(run(1))
    assert not run(1, epoch=0).agrees(run(1))
    assert not run(1, status="diverged").agrees(run(1))


def test_what_a_run_is_as_data():
    data = run(1, scores={"loss": math.inf, "score": 0.5}).to_dict()
    assert data["identity"] == key(1).identity
    assert data["model"] == "gcn"
    assert json.loads(json.dumps(data, allow_nan=False))["scores"] == {"loss": None, "score": 0.5}
