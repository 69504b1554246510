from __future__ import annotations

import hashlib
import json
import math
from dataclasses import fields
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.train.trainings import drawn, graph

from allpass.data import splits
from allpass.errors import InputError, MissingFileError
from allpass.models import MODELS
from allpass.train import checkpoint
from allpass.train.checkpoint import CheckpointError
from allpass.train.fit import fit
from allpass.train.rare import Threshold
from allpass.train.rules.stopping import stopping
from allpass.train.scaling import Scaler
from allpass.train.trained import Trained


@pytest.fixture(scope="module")
def data():
    return graph()


@pytest.fixture
def saved(data, tmp_path) -> Path:
    trained = drawn(
        "gcn",
        data=data,
        settings={"num_layers": 3, "dropout": 0.5, "lr": 0.05},
        class_names=("ä", "b", "c"),
        feature_names=tuple("vwxyz"),
        fills={"v": 0.1},
        scores={"test_score": 0.5, "val_loss": math.nan},
    )
    return checkpoint.save(trained, tmp_path / "kept")


def _change(folder: Path, **words: object) -> None:
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps({**card, **words}))


def _reweigh(folder: Path, tensors: dict[str, torch.Tensor]) -> None:
    """Other weights, with a card that says they are right."""
    save_file(tensors, folder / "weights.safetensors")
    _change(folder, sha256=hashlib.sha256((folder / "weights.safetensors").read_bytes()).hexdigest())


def test_what_is_saved_comes_back(data, tmp_path):
    (split,) = splits(data, "random", count=1)
    (run,) = fit("acm-gcn", data, split, {"lr": 0.05}, stop=stopping("fixed", max_epochs=3), scaling="auto")
    trained = Trained.of(run, data)
    found = checkpoint.load(checkpoint.save(trained, tmp_path / "kept"))
    for part in fields(Trained):
        if part.name not in ("weights", "versions"):
            assert getattr(found, part.name) == getattr(trained, part.name), part.name
    assert dict(found.versions) == dict(trained.versions)
    assert torch.equal(found.outputs(data), trained.outputs(data))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["card.json", "kept", "weights.safetensors"]


def test_names_scores_and_settings_come_back(saved):
    found = checkpoint.load(saved)
    assert found.class_names == ("ä", "b", "c")
    assert found.feature_names == tuple("vwxyz")
    assert found.fills == {"v": 0.1}
    assert found.settings == {"num_layers": 3, "dropout": 0.5, "lr": 0.05}
    assert found.scores["test_score"] == 0.5
    assert math.isnan(found.scores["val_loss"])


@pytest.mark.parametrize("threshold", [Threshold(0, 0.1 + 0.2), Threshold(1), None])
def test_a_threshold_comes_back_and_older_cards_have_none(data, tmp_path, threshold):
    two = drawn(data=data, out_channels=2, threshold=threshold)
    folder = checkpoint.save(two, tmp_path / "two")
    assert checkpoint.load(folder).threshold == threshold
    card = json.loads((folder / "card.json").read_text())
    del card["threshold"]
    (folder / "card.json").write_text(json.dumps(card))
    assert checkpoint.load(folder).threshold is None


@pytest.mark.parametrize(
    ("threshold", "told"),
    [
        ({"positive": 1, "value": 0.5}, "has a threshold, which is for two classes"),
        ({"positive": 2, "value": 0.5}, "Got the class 2 for a threshold"),
        ({"positive": 1, "value": 1.5}, "Got threshold=1.5"),
        ({"positive": 1, "value": "0.5"}, "describes no model"),
        ({"value": 0.5}, "describes no model"),
        (0.5, "describes no model"),
    ],
)
def test_a_threshold_that_cannot_be_used_is_refused(saved, threshold, told):
    _change(saved, threshold=threshold)
    with pytest.raises(CheckpointError, match=told):
        checkpoint.load(saved)


@pytest.mark.parametrize("model", [entry.name for entry in MODELS if entry.is_network])
def test_every_network_comes_back(data, tmp_path, model):
    labels = data.y if model == "label-propagation" else None
    trained = drawn(model, data=data, labels=labels)
    found = checkpoint.load(checkpoint.save(trained, tmp_path / "kept"))
    assert torch.equal(found.outputs(data), trained.outputs(data))


def test_settings_that_are_tuples_and_units_come_back(data, tmp_path):
    trained = drawn(
        "acm-gcn",
        data=data,
        settings={"channels": ("low", "high")},
        task="regression",
        score="mae",
        units=Scaler("columns", (1.0, 2.0, 3.0), (2.0, 2.0, 0.5)),
    )
    found = checkpoint.load(checkpoint.save(trained, tmp_path / "kept"))
    assert found.settings == {"channels": ("low", "high")}
    assert torch.equal(found.outputs(data), trained.outputs(data))


def test_first_weights_that_need_the_graph_do_not_matter_any_more(data, tmp_path):
    trained = drawn("gcn", data=data)
    needy = Trained(**{**vars(trained), "settings": {"init": "effective-degree"}})
    assert torch.equal(
        checkpoint.load(checkpoint.save(needy, tmp_path / "kept")).outputs(data), trained.outputs(data)
    )


def test_settings_that_no_file_can_hold_are_refused(data, tmp_path):
    trained = drawn("gcn", data=data)
    odd = Trained(**{**vars(trained), "settings": {"filter": lambda A: A}})
    with pytest.raises(InputError, match="cannot be kept in a file"):
        checkpoint.save(odd, tmp_path / "kept")
    assert list(tmp_path.iterdir()) == []


def test_an_older_checkpoint_is_replaced(saved, data):
    checkpoint.save(drawn("mlp-2", data=data), saved)
    assert checkpoint.load(saved).model == "mlp-2"
    assert [path.name for path in saved.parent.iterdir()] == ["kept"]


def test_an_empty_folder_is_taken(data, tmp_path):
    (tmp_path / "kept").mkdir()
    assert checkpoint.load(checkpoint.save(drawn(data=data), tmp_path / "kept")).model == "gcn"


def test_what_is_no_checkpoint_stays(data, saved, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "card.json").write_text('{"format": "mine"}')
    (saved / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for folder, words in (
        (tmp_path / "own", "is no checkpoint; it stays as it is"),
        (saved, r"holds 'notes\.txt', which a checkpoint does not"),
        (tmp_path / "file", "is not the name of a folder"),
    ):
        with pytest.raises(InputError, match=words):
            checkpoint.save(drawn(data=data), folder)
    assert (tmp_path / "own" / "card.json").read_text() == '{"format": "mine"}'
    assert checkpoint.load(saved).model == "gcn"
    with pytest.raises(MissingFileError, match="There is no folder"):
        checkpoint.save(drawn(data=data), tmp_path / "absent" / "kept")


@pytest.mark.parametrize("replacing", [True, False])
def test_a_failure_leaves_things_as_they_were(saved, data, tmp_path, monkeypatch, replacing):
    folder = saved if replacing else tmp_path / "new"
    before = sorted(tmp_path.rglob("*"))
    rename = Path.rename

    def fail(self: Path, target: Path) -> Path:
        if self.name.endswith(".part"):
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(CheckpointError, match=r"cannot be written: No space left .* Make room"):
        checkpoint.save(drawn("mlp-2", data=data), folder)
    assert sorted(tmp_path.rglob("*")) == before
    assert checkpoint.load(saved).model == "gcn"


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(MissingFileError, match="does not exist"):
        checkpoint.load(tmp_path / "absent")
    (tmp_path / "file").write_text("")
    with pytest.raises(MissingFileError, match="is a file, not the folder of a checkpoint"):
        checkpoint.load(tmp_path / "file")
    with pytest.raises(CheckpointError, match=r"is no checkpoint: it has no card\.json"):
        checkpoint.load(tmp_path)


def test_a_lost_file_is_told(saved):
    (saved / "weights.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"it has no weights\.safetensors"):
        checkpoint.load(saved)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff\xfe", b'{"format": 3}', b"[" * 100_000])
def test_a_card_that_is_none_is_told(saved, content):
    (saved / "card.json").write_bytes(content)
    with pytest.raises(CheckpointError, match=r"card\.json is not the card of a checkpoint"):
        checkpoint.load(saved)


@pytest.mark.parametrize("version", [2, 0, None, "1"])
def test_another_version_is_told(saved, version):
    _change(saved, version=version)
    with pytest.raises(
        CheckpointError, match=rf"is of version {version!r}; this allpass reads 1\. Use the allpass"
    ):
        checkpoint.load(saved)


@pytest.mark.parametrize(
    ("key", "value"), [("model", 3), ("settings", []), ("in_channels", "5"), ("scaler", None), ("sha256", 1)]
)
def test_an_entry_of_the_wrong_kind_is_told(saved, key, value):
    _change(saved, **{key: value})
    with pytest.raises(CheckpointError, match=f"has no sound entry '{key}'"):
        checkpoint.load(saved)


def test_a_lost_entry_is_told(saved):
    card = json.loads((saved / "card.json").read_text())
    del card["task"]
    (saved / "card.json").write_text(json.dumps(card))
    with pytest.raises(CheckpointError, match="has no sound entry 'task'"):
        checkpoint.load(saved)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"model": "gnc"}, "There is no model 'gnc'"),
        ({"settings": {"num_layers": -1}}, "num_layers"),
        ({"in_channels": 2**60}, "no model that can be built here"),
        ({"scaler": {}}, "no model that can be built here"),
        ({"scores": {"test_score": "high"}}, "no model that can be built here"),
        ({"class_names": ["a"]}, "names 1 of 3 classes"),
        ({"feature_names": ["a"]}, "names 1 of 5 features"),
        ({"fills": {"a": "b"}}, "describes no model"),
        ({"in_channels": 7}, "where its card asks for a tensor of shape"),
        (
            {"settings": {}},
            r"a tensor of shape \[64\] as 'layers\.1\.bias' where its card asks for a tensor of shape \[3\]",
        ),
    ],
)
def test_a_card_that_does_not_fit_is_told(saved, words, told):
    _change(saved, **words)
    with pytest.raises(CheckpointError, match=told) as raised:
        checkpoint.load(saved)
    assert str(saved) in str(raised.value)


@pytest.mark.parametrize("cut", [0, 7, 8, 100, -1])
def test_weights_cut_short_are_told(saved, cut):
    content = (saved / "weights.safetensors").read_bytes()
    (saved / "weights.safetensors").write_bytes(content[:cut])
    with pytest.raises(CheckpointError, match="is damaged, or of another checkpoint"):
        checkpoint.load(saved)
    _change(saved, sha256=hashlib.sha256(content[:cut]).hexdigest())
    with pytest.raises(CheckpointError, match="is no safetensors file"):
        checkpoint.load(saved)


def test_one_bit_is_noticed(saved):
    content = bytearray((saved / "weights.safetensors").read_bytes())
    content[-1] ^= 1
    (saved / "weights.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError, match="is damaged"):
        checkpoint.load(saved)


def test_weights_of_another_checkpoint_are_told(saved, data, tmp_path):
    other = checkpoint.save(drawn("gcn", data=data, settings={"num_layers": 4}), tmp_path / "other")
    (other / "weights.safetensors").replace(saved / "weights.safetensors")
    with pytest.raises(CheckpointError, match=r"or of another checkpoint than card\.json"):
        checkpoint.load(saved)


def test_wrong_lost_and_added_tensors_are_told(saved):
    tensors = load_file(saved / "weights.safetensors")
    first = sorted(tensors)[0]
    for changed, told in (
        ({**tensors, first: torch.zeros(2, 2)}, rf"has a tensor of shape \[2, 2\] as '{first}' where"),
        ({name: value for name, value in tensors.items() if name != first}, f"has nothing as '{first}'"),
        ({**tensors, "extra": torch.zeros(1)}, "'extra' where its card asks for nothing"),
    ):
        _reweigh(saved, changed)
        with pytest.raises(CheckpointError, match=told):
            checkpoint.load(saved)


def test_labels_of_other_nodes_are_told(data, tmp_path):
    folder = checkpoint.save(drawn("label-propagation", data=data, labels=data.y), tmp_path / "kept")
    _reweigh(folder, {"training/labels": torch.zeros(7, dtype=torch.long)})
    with pytest.raises(CheckpointError, match="labels of another number of nodes"):
        checkpoint.load(folder)


def test_nothing_is_unpickled(saved, tmp_path):
    torch.save({"weight": torch.zeros(1)}, tmp_path / "pickle")
    content = (tmp_path / "pickle").read_bytes()
    (saved / "weights.safetensors").write_bytes(content)
    _change(saved, sha256=hashlib.sha256(content).hexdigest())
    with pytest.raises(CheckpointError, match="is no safetensors file"):
        checkpoint.load(saved)
