from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from allpass.errors import InputError, MissingFileError
from allpass.sealed import CARD, CheckpointError, Seal, digest, read_part

ONE, OTHER = Seal("one kind", 1, "allpass one"), Seal("other kind", 1, "allpass other")
PARTS = {"weights": {"a": torch.arange(3.0)}}


def test_a_folder_comes_back(tmp_path: Path) -> None:
    folder = ONE.save(tmp_path / "kept", {"words": [1, "two"]}, PARTS)
    card, tensors = ONE.load(folder)
    assert (card["words"], card["format"]) == ([1, "two"], "one kind")
    assert torch.equal(tensors["a"], PARTS["weights"]["a"])
    assert torch.equal(read_part(folder, card["files"]["weights"])["a"], tensors["a"])


def test_a_folder_is_replaced_and_nothing_is_left(tmp_path: Path) -> None:
    folder = ONE.save(tmp_path / "kept", {}, PARTS)
    ONE.save(folder, {}, {"weights": {"a": torch.zeros(2)}})
    assert len(list(folder.iterdir())) == 2
    assert torch.equal(ONE.load(folder)[1]["a"], torch.zeros(2))


def test_kinds_do_not_mix(tmp_path: Path) -> None:
    folder = ONE.save(tmp_path / "kept", {}, PARTS)
    with pytest.raises(CheckpointError, match="not the card of a checkpoint of `allpass other`"):
        OTHER.load(folder)
    with pytest.raises(InputError, match="stays as it is"):
        OTHER.save(folder, {}, PARTS)
    assert ONE.load(folder)[0]["format"] == "one kind"


def test_a_changed_card_is_refused_and_a_newer_one_too(tmp_path: Path) -> None:
    folder = ONE.save(tmp_path / "kept", {"words": 1}, PARTS)
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps({**card, "words": 2}))
    with pytest.raises(CheckpointError, match="changed after it was written"):
        ONE.load(folder)
    newer = {**card, "version": 2}
    (folder / CARD).write_text(json.dumps({**newer, "digest": digest(newer)}))
    with pytest.raises(CheckpointError, match="is of version '2'; this allpass reads 1"):
        ONE.load(folder)


def test_an_older_card_is_upgraded_where_its_kind_knows_how(tmp_path: Path) -> None:
    folder = ONE.save(tmp_path / "kept", {"words": 1}, PARTS)
    newer = Seal("one kind", 2, "allpass one", lambda _folder, card: {**card, "words": 7})
    assert newer.load(folder)[0]["words"] == 7


def test_what_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="`allpass one` wrote"):
        ONE.load(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match="it has no card"):
        ONE.load(tmp_path / "empty")
