from __future__ import annotations

import json
import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tests.train.cards import change, read_card, reweigh, to_version_1, weights_file, write_card
from tests.train.trainings import drawn, graph

from allpass.data import splits
from allpass.errors import InputError, MissingFileError
from allpass.models import MODELS
from allpass.sealed import CARD, CheckpointError
from allpass.train import checkpoint
from allpass.train.card import to_card
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


def _columns(**parts: list[object]) -> dict[str, object]:
    return {"scaler": {"kind": "columns", "mean": [0.0] * 5, "deviation": [1.0] * 5, **parts}}


def test_what_is_saved_comes_back(data, tmp_path):
    (split,) = splits(data, "random", count=1)
    (run,) = fit("acm-gcn", data, split, {"lr": 0.05}, stop=stopping("fixed", max_epochs=3), scaling="auto")
    trained = Trained.of(run, data)
    found = checkpoint.load(checkpoint.save(trained, tmp_path / "kept"))
    for part in fields(Trained):
        if part.name not in ("weights", "versions", "sets"):
            assert getattr(found, part.name) == getattr(trained, part.name), part.name
    assert torch.equal(found.sets, trained.sets)
    assert dict(found.versions) == dict(trained.versions)
    assert torch.equal(found.outputs(data), trained.outputs(data))
    files = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert files == ["card.json", weights_file(tmp_path / "kept").name]


def test_names_scores_and_settings_come_back(saved):
    found = checkpoint.load(saved)
    assert found.class_names == ("ä", "b", "c")
    assert found.feature_names == tuple("vwxyz")
    assert found.fills == {"v": 0.1}
    assert found.settings == {"num_layers": 3, "dropout": 0.5, "lr": 0.05}
    assert found.scores["test_score"] == 0.5
    assert math.isnan(found.scores["val_loss"])


@pytest.mark.parametrize("threshold", [Threshold(0, 0.1 + 0.2), Threshold(1), None])
def test_a_threshold_comes_back(data, tmp_path, threshold):
    two = drawn(data=data, out_channels=2, threshold=threshold)
    folder = checkpoint.save(two, tmp_path / "two")
    assert checkpoint.load(folder).threshold == threshold


def test_checkpoints_of_the_first_format_are_read(data, tmp_path):
    two = drawn(data=data, out_channels=2, nodes="0f")
    folder = checkpoint.save(two, tmp_path / "two")
    now = checkpoint.load(folder)
    to_version_1(folder)
    assert to_card(checkpoint.load(folder)) == to_card(now)
    bare = {
        key: value
        for key, value in read_card(folder).items()
        if key not in ("encodings", "threshold", "nodes")
    }
    (folder / "card.json").write_text(json.dumps(bare))
    assert torch.equal(checkpoint.load(folder).outputs(data), two.outputs(data))
    (folder / "weights.safetensors").write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"weights\.safetensors is damaged"):
        checkpoint.load(folder)
    checkpoint.save(two, folder)
    assert not (folder / "weights.safetensors").exists()
    assert to_card(checkpoint.load(folder)) == to_card(now)


@pytest.mark.parametrize(
    ("threshold", "told"),
    [
        ({"positive": 1, "value": 0.5}, "has a threshold, which is for two classes"),
        ({"positive": 2, "value": 0.5}, "Got the class 2 for a threshold"),
        ({"positive": 1, "value": 1.5}, "Got threshold=1.5"),
        ({"positive": 1, "value": "0.5"}, "describes no model"),
        ({"value": 0.5}, "describes no model"),
        (0.5, "has no sound entry 'threshold'"),
    ],
)
def test_a_threshold_that_cannot_be_used_is_refused(saved, threshold, told):
    change(saved, threshold=threshold)
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
        (tmp_path / "file", "is no folder"),
    ):
        with pytest.raises(InputError, match=words):
            checkpoint.save(drawn(data=data), folder)
    assert (tmp_path / "own" / "card.json").read_text() == '{"format": "mine"}'
    assert checkpoint.load(saved).model == "gcn"
    with pytest.raises(MissingFileError, match="There is no folder"):
        checkpoint.save(drawn(data=data), tmp_path / "absent" / "kept")


@pytest.mark.parametrize("replacing", [True, False])
@pytest.mark.parametrize("last", [CARD, "safetensors"])
def test_a_failure_leaves_things_as_they_were(saved, data, tmp_path, monkeypatch, replacing, last):
    folder = saved if replacing else tmp_path / "new"
    before = sorted(tmp_path.rglob("*"))
    replace = Path.replace

    def fail(self: Path, target: Path) -> Path:
        if str(target).endswith(last):
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(CheckpointError, match=r"cannot be written: No space left .* Make room"):
        checkpoint.save(drawn("mlp-2", data=data), folder)
    assert sorted(tmp_path.rglob("*")) == before
    assert checkpoint.load(saved).model == "gcn"


@pytest.mark.parametrize(
    ("moment", "model"), [(0, "gcn"), (1, "gcn"), (2, "gcn"), (3, "mlp-2"), (4, "mlp-2")]
)
def test_killed_while_replacing_there_is_one_of_the_two(saved, data, moment, model):
    child = os.fork()
    if not child:
        _die_at(moment)
        checkpoint.save(drawn("mlp-2", data=data), saved)
        os._exit(1)  # unreached
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert checkpoint.load(saved).model == model
    checkpoint.save(drawn("mlp-1", data=data), saved)
    assert checkpoint.load(saved).model == "mlp-1"
    assert {path.name for path in saved.iterdir()} == {CARD, weights_file(saved).name}


def _die_at(moment: int) -> None:
    """End this process before or after one of its two replacements of a file, or before the old file is removed."""
    replace, unlink, calls = Path.replace, Path.unlink, iter((1, 3))

    def replacing(self: Path, target: Path) -> Path:
        number = next(calls)
        if moment == number - 1:
            os._exit(9)
        found = replace(self, target)
        if moment == number:
            os._exit(9)
        return found

    def removing(self: Path, missing_ok: bool = False) -> None:
        if moment == 4 and self.suffix == ".safetensors":
            os._exit(9)
        unlink(self, missing_ok=missing_ok)

    Path.replace, Path.unlink = replacing, removing


def test_what_a_killed_first_save_left_is_replaced(data, tmp_path):
    child = os.fork()
    if not child:
        _die_at(2)
        checkpoint.save(drawn("mlp-2", data=data), tmp_path / "kept")
    os.waitpid(child, 0)
    with pytest.raises(CheckpointError, match=r"is no checkpoint: it has no card\.json"):
        checkpoint.load(tmp_path / "kept")
    assert checkpoint.load(checkpoint.save(drawn("gcn", data=data), tmp_path / "kept")).model == "gcn"
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_a_reader_always_finds_a_whole_checkpoint(saved, data):
    models = [drawn(model, data=data) for model in ("gcn", "mlp-1")]
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(lambda: [checkpoint.save(models[n % 2], saved) for n in range(60)])
        while not writing.done():
            assert checkpoint.load(saved).model in ("gcn", "mlp-1")
        writing.result()


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(MissingFileError, match="does not exist"):
        checkpoint.load(tmp_path / "absent")
    (tmp_path / "file").write_text("")
    with pytest.raises(MissingFileError, match="is a file, not the folder of a checkpoint"):
        checkpoint.load(tmp_path / "file")
    with pytest.raises(CheckpointError, match=r"is no checkpoint: it has no card\.json"):
        checkpoint.load(tmp_path)


@pytest.mark.parametrize("folder", [None, 3])
def test_what_is_no_path_is_told(folder):
    with pytest.raises(InputError, match=f"Got {folder} in place of a folder"):
        checkpoint.load(folder)


def test_a_lost_file_is_told(saved):
    weights_file(saved).unlink()
    with pytest.raises(CheckpointError, match=r"it has no weights-.*\.safetensors"):
        checkpoint.load(saved)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff\xfe", b'{"format": 3}', b"[" * 100_000])
def test_a_card_that_is_none_is_told(saved, content):
    (saved / "card.json").write_bytes(content)
    with pytest.raises(CheckpointError, match=r"card\.json is not the card of a checkpoint"):
        checkpoint.load(saved)


@pytest.mark.parametrize("version", [3, 0, None, "1"])
def test_another_version_is_told(saved, version):
    change(saved, version=version)
    with pytest.raises(
        CheckpointError, match=rf"is of version '{version}'; this allpass reads 2\. Use the allpass"
    ):
        checkpoint.load(saved)


@pytest.mark.parametrize(
    ("key", "value"),
    [("model", 3), ("settings", []), ("in_channels", "5"), ("in_channels", True), ("scaler", None)],
)
def test_an_entry_of_the_wrong_kind_is_told(saved, key, value):
    change(saved, **{key: value})
    with pytest.raises(CheckpointError, match=f"has no sound entry '{key}'"):
        checkpoint.load(saved)


def test_a_lost_entry_is_told(saved):
    write_card(saved, {key: value for key, value in read_card(saved).items() if key != "task"})
    with pytest.raises(CheckpointError, match="has no sound entry 'task'"):
        checkpoint.load(saved)


@pytest.mark.parametrize("key", sorted(to_card(drawn())))
def test_a_card_that_was_changed_is_told(saved, key):
    card = read_card(saved)
    value = {**card[key], "other": 1} if isinstance(card[key], dict) else [card[key]]
    (saved / CARD).write_text(json.dumps({**card, key: value}))
    with pytest.raises(CheckpointError, match=r"card\.json was changed after it was written, or is damaged"):
        checkpoint.load(saved)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"model": "gnc"}, "There is no model 'gnc'"),
        ({"settings": {"num_layers": -1}}, "num_layers"),
        ({"settings": {"num_layers": 10**7}}, "num_layers is 10000000, which does not fit"),
        ({"settings": {"hidden_channels": 10**9}}, "hidden_channels is 1000000000, which does not fit"),
        ({"in_channels": 2**60}, "in_channels is 1152921504606846976"),
        (
            {"in_channels": 2**30, "scaler": {"kind": "none"}, "feature_names": None},
            "in_channels is 1073741824, which does not fit",
        ),
        ({"num_nodes": 0}, "num_nodes is 0"),
        ({"task": "foo"}, "no task 'foo'"),
        ({"score": "foo"}, "with the score 'foo'"),
        ({"score": "r2"}, "the score 'r2' is not for classification"),
        ({"task": "binary"}, "1 output, not 3"),
        ({"scaler": {}}, "no model that can be built here"),
        ({"scaler": {"kind": "foo"}}, "no scaling 'foo'"),
        ({"scaler": {"kind": "auto"}}, "no scaling 'auto'"),
        ({"scaler": {"kind": "none", "mean": [0.0], "deviation": [1.0]}}, "1 means and 1 deviations for 0"),
        (_columns(mean=[0.0] * 4), "4 means and 5 deviations for 5"),
        (_columns(deviation=[1.0] * 4 + [0.0]), "a deviation that cannot be used"),
        (_columns(deviation=[1.0] * 4 + [-1.0]), "a deviation that cannot be used"),
        (_columns(mean=[0.0] * 4 + [math.nan]), "a mean or a deviation that cannot be used"),
        (_columns(mean=[0.0] * 4 + ["0"]), "a mean or a deviation that cannot be used"),
        ({"units": {"kind": "columns", "mean": [0] * 3, "deviation": [1] * 3}}, "classes have no units"),
        ({"scores": {"test_score": "high"}}, "no model that can be built here"),
        ({"scores": {"test_score": math.inf}}, "the score of 'test_score' is inf"),
        ({"class_names": ["a"]}, "names 1 of 3 classes"),
        ({"class_names": ["a", "b", "a"]}, "two classes have the same name"),
        ({"class_names": ["a", "b", 3]}, "a name is no text"),
        ({"feature_names": ["a"]}, "names 1 of 5 features"),
        ({"fills": {"a": "b"}}, "describes no model"),
        ({"fills": {"a": math.nan}}, "the fill of 'a' is nan"),
        ({"encodings": [{"column": "a", "kind": "number"}] * 2}, "a column was read in two ways"),
        ({"encodings": [{"column": "a", "kind": "foo"}]}, "describes no model"),
        ({"seed": -1}, "the seed is -1"),
        ({"epoch": -1}, "the epoch -1"),
        ({"versions": {"torch": 2}}, "a version is no text"),
        ({"in_channels": 7, "feature_names": None}, "deviations for 7"),
        ({"files": {}}, "names no files"),
        ({"files": {"weights": {"name": "../kept/card.json", "sha256": ""}}}, "names no files"),
        (
            {"settings": {}},
            r"a tensor of shape \[64\] as 'layers\.1\.bias' where the card asks for a tensor of shape \[3\]",
        ),
    ],
)
def test_a_card_that_does_not_fit_is_told(saved, words, told):
    change(saved, **words)
    with pytest.raises(CheckpointError, match=told) as raised:
        checkpoint.load(saved)
    assert str(saved) in str(raised.value)


@pytest.mark.parametrize("cut", [0, 7, 8, 100, -1])
def test_weights_cut_short_are_told(saved, cut):
    content = weights_file(saved).read_bytes()
    weights_file(saved).write_bytes(content[:cut])
    with pytest.raises(CheckpointError, match="is damaged, or of another checkpoint"):
        checkpoint.load(saved)
    reweigh(saved, content[:cut])
    with pytest.raises(CheckpointError, match="is no safetensors file"):
        checkpoint.load(saved)


def test_one_bit_is_noticed(saved):
    content = bytearray(weights_file(saved).read_bytes())
    content[-1] ^= 1
    weights_file(saved).write_bytes(content)
    with pytest.raises(CheckpointError, match="is damaged"):
        checkpoint.load(saved)


def test_weights_of_another_checkpoint_are_told(saved, data, tmp_path):
    other = checkpoint.save(drawn("gcn", data=data, settings={"num_layers": 4}), tmp_path / "other")
    weights_file(other).replace(weights_file(saved))
    with pytest.raises(CheckpointError, match=r"or of another checkpoint than card\.json"):
        checkpoint.load(saved)


def test_wrong_lost_and_added_tensors_are_told(saved):
    tensors = load_file(weights_file(saved))
    first = sorted(tensors)[0]
    for changed, told in (
        ({**tensors, first: torch.zeros(2, 2)}, rf"have a tensor of shape \[2, 2\] as '{first}' where"),
        ({name: value for name, value in tensors.items() if name != first}, f"have nothing as '{first}'"),
        ({**tensors, first: torch.full_like(tensors[first], torch.nan)}, f"'{first}' hold NaN or infinity"),
        ({**tensors, first: tensors[first].long()}, f"'{first}' are torch.int64"),
        ({**tensors, first: tensors[first].to(torch.float8_e5m2)}, f"'{first}' are torch.float8_e5m2"),
        ({**tensors, "extra": torch.zeros(1)}, "'extra' where the card asks for nothing"),
    ):
        reweigh(saved, changed)
        with pytest.raises(CheckpointError, match=told):
            checkpoint.load(saved)


def test_labels_of_other_nodes_are_told(data, tmp_path):
    folder = checkpoint.save(drawn("label-propagation", data=data, labels=data.y), tmp_path / "kept")
    for labels, told in (
        (torch.zeros(7, dtype=torch.long), "labels of another number of nodes"),
        (torch.full_like(data.y, 3), "its labels are no classes of the model"),
        (data.y.float(), "its labels are no classes of the model"),
    ):
        reweigh(folder, {"training/labels": labels})
        with pytest.raises(CheckpointError, match=told):
            checkpoint.load(folder)


def test_nothing_is_unpickled(saved, tmp_path):
    torch.save({"weight": torch.zeros(1)}, tmp_path / "pickle")
    reweigh(saved, (tmp_path / "pickle").read_bytes())
    with pytest.raises(CheckpointError, match="is no safetensors file"):
        checkpoint.load(saved)
