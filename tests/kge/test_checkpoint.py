from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from tests.train.cards import change, read_card, reweigh, weights_file

from allpass.errors import InputError, MissingFileError
from allpass.kge import MODELS, Embedding, fit, load_embedding
from allpass.sealed import CheckpointError

ROWS = [[0, 0, 1], [1, 1, 2], [2, 0, 3], [3, 1, 0]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return fit(ROWS, "dihedral", dim=4, K=6, epochs=2, valid=ROWS[:1], inverse=True).save(tmp_path / "kept")


@pytest.mark.parametrize("model", MODELS.names)
def test_what_is_saved_comes_back(model: str, tmp_path: Path) -> None:
    kept = fit(ROWS, model, dim=8, epochs=2, test=ROWS[:2])
    found = load_embedding(kept.save(tmp_path / "kept"))
    assert torch.equal(found.network.entities, kept.network.entities)
    assert found.tails(0, 1) == kept.tails(0, 1)
    assert found.heads(1, 0) == kept.heads(1, 0)
    for name in ("model", "entities", "relations", "config", "epoch", "losses", "curve", "scores", "dataset"):
        assert getattr(found, name) == getattr(kept, name), name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"model": "conve"}, "no model of triplets 'conve'"),
        ({"dim": "4"}, "no sound entry 'dim'"),
        ({"dim": 8}, "vectors have the shape"),
        ({"settings": {"K": 5}}, "Got K=5"),
        ({"settings": {"K": 4}}, "no model that can be built"),
        ({"entities": ["a"] * 4}, "names of its entities"),
        ({"relations": ["a", "b", "c"]}, "no model that can be built"),
        ({"config": {"epochs": 0}}, "epochs=0"),
        ({"config": {"depth": 1}}, "no model that can be built"),
        ({"losses": [None]}, "no model that can be built"),
    ],
)
def test_a_card_that_does_not_fit(folder: Path, words: dict[str, Any], said: str) -> None:
    change(folder, **words)
    with pytest.raises(CheckpointError, match=said):
        load_embedding(folder)


def test_weights_that_do_not_fit(folder: Path) -> None:
    tables = {"entities": torch.full((4, 4), torch.nan), "relations": torch.zeros(4, 24)}
    reweigh(folder, tables)
    with pytest.raises(CheckpointError, match="no finite numbers"):
        load_embedding(folder)
    reweigh(folder, {"entities": torch.zeros(4, 4)})
    with pytest.raises(CheckpointError, match="it has the tables entities"):
        load_embedding(folder)


def test_damage_is_found(folder: Path) -> None:
    path = weights_file(folder)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="damaged"):
        load_embedding(folder)


def test_other_folders(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="allpass embed"):
        load_embedding(tmp_path / "nothing")
    change(folder, format="allpass checkpoint")
    with pytest.raises(CheckpointError, match="not the card of a checkpoint of `allpass embed`"):
        load_embedding(folder)
    kept: Embedding = fit(ROWS, dim=4, epochs=1)
    with pytest.raises(InputError, match="is no checkpoint; it stays as it is"):
        kept.save(folder)
    assert read_card(folder)["format"] == "allpass checkpoint"
