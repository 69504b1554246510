from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from allpass.cli.main import run as allpass

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> Call:
    monkeypatch.setenv("COLUMNS", "100")

    def inside(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            allpass([*map(str, words)])
        return int(stop.value.code or 0), *capsys.readouterr()

    return inside


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "ring.tsv"
    rows = [(f"n{k}", "next", f"n{(k + 1) % 12}") for k in range(12)]
    rows += [(tail, "before", head) for head, _, tail in rows]
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    return path


def test_from_a_table_to_answers(call: Call, table: Path, tmp_path: Path) -> None:
    words = ("embed", table, "--model", "rotate", "--dim", "16", "--epochs", "150", "--batch-size", "12")
    status, out, _ = call(*words, "-o", tmp_path / "kept", "--vectors", tmp_path / "v.csv", "--near", "n3")
    assert status == 0
    assert "rotate on ring" in out
    assert "n3: " in out
    assert pd.read_csv(tmp_path / "v.csv", index_col="entity").shape == (12, 16)
    asked = ("complete", tmp_path / "kept", "--relation", "next", "--json")
    assert json.loads(call(*asked, "--head", "n3")[1])["answers"][0]["tail"] == "n4"
    assert json.loads(call(*asked, "--tail", "n3", "-k", "1")[1])["answers"][0]["head"] == "n2"
    assert "n4" in call("complete", tmp_path / "kept", "--relation", "next", "--head", "n3", "-k", "1")[1]


def test_json_has_metrics_and_options(call: Call, table: Path) -> None:
    status, out, _ = call(
        "embed", table, "--epochs", "3", "--dim", "8", "--test", "0.2", "--valid", "0.1", "--json"
    )
    found = json.loads(out)
    assert status == 0
    assert found["triplets"] == {"train": 17, "valid": 2, "test": 5}
    assert set(found["scores"]) == {"valid", "test"}
    assert 0 < found["scores"]["test"]["mrr"] <= 1
    assert len(found["neighbours"]) == 5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "dihedral", "--set", "K=4.5"), "Got K=4.5"),
        (("--model", "quate", "--dim", "30"), "multiple of 4, such as 32"),
        (("--set", "norm"), "Write NAME=VALUE"),
        (("--near", "n99", "--epochs", "1"), "no entity 'n99'"),
        (("--loss", "hinge"), "There is no loss 'hinge'"),
        (("--test", "1.5"), "test=1.5"),
    ],
)
def test_bad_input_is_one_sentence(call: Call, table: Path, words: tuple[str, ...], said: str) -> None:
    status, _, err = call("embed", table, *words)
    assert (status, said in err) == (2, True), err
    assert len(err) <= 320


def test_bad_files(call: Call, table: Path, tmp_path: Path) -> None:
    two = tmp_path / "two.tsv"
    two.write_text("a\tb\n")
    assert "Got 2 columns" in call("embed", two)[2]
    two.write_text("")
    assert "is empty" in call("embed", two)[2]
    call("embed", table, "--epochs", "1", "-o", tmp_path / "kept")
    status, _, err = call("complete", tmp_path / "kept", "--head", "n1", "--relation", "nxt")
    assert status == 2
    assert "no relation 'nxt' in the training. Did you mean 'next'" in err
    assert "--head" in call("complete", tmp_path / "kept", "--relation", "next")[2]
