from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from allpass.cli.main import run
from allpass.models import MODELS


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.setenv("COLUMNS", "80")

    def inside(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            run(["models", *words])
        return int(stop.value.code or 0), *capsys.readouterr()

    return inside


def test_every_model_has_its_line(call):
    status, out, _ = call()
    assert status == 0
    names = {line.split(" ")[0].rstrip(",").removesuffix("[-N]") for line in out.splitlines()}
    assert set(MODELS.names) <= names  # a name cut short cannot be typed
    assert max(map(len, out.splitlines())) <= 80


def test_one_model(call):
    _, out, _ = call("acm-gcn+")
    for part in (
        "Revisiting Heterophily",
        "number of nodes",
        "weights for each node",
        "weight_decay",
        "0.0005",
    ):
        assert part in out
    assert "(also acm)" in call("acm-gcn")[1]


def test_numbers_and_groups(call):
    assert "gcnii[-N], is its num_layers" in call("gcnii-16")[1]
    assert "'conv': convs.*.weight." in call("gcnii-16")[1]


def test_json(call):
    assert [row["name"] for row in json.loads(call("--json")[1])] == list(MODELS.names)
    card = json.loads(call("gcn-16", "--json")[1])
    assert card["settings"]["num_layers"] == 16
    assert card["space"]["lr"] == [0.01, 0.05, 0.1]


def test_a_typo(call):
    status, out, err = call("acm-gnc")
    assert (status, out) == (2, "")
    assert "Did you mean 'acm-gcn'" in err
    assert "Traceback" not in err
