"""Which processes or machines train, as words of the command line."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from allpass.cli.compare import compare
from allpass.cli.machines import uses_machines
from allpass.cli.sweep import sweep
from allpass.errors import AllpassError, InputError
from allpass.train.executors import RayCluster


def given(*words: str) -> dict[str, Any]:
    """What a verb gets."""
    got: dict[str, Any] = {}
    app = typer.Typer()

    @app.command()
    @uses_machines
    def verb(machines: dict[str, Any]) -> None:
        got.update(machines)

    done = CliRunner().invoke(app, list(words))
    if isinstance(done.exception, AllpassError):
        raise done.exception
    return got


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), {"workers": None, "executor": None}),
        (("--workers", "3"), {"workers": 3, "executor": None}),
        (("--executor", "ray"), {"workers": None, "executor": RayCluster()}),
        (
            ("--executor", "ray", "--address", "10.0.0.1:6379"),
            {"workers": None, "executor": RayCluster("10.0.0.1:6379")},
        ),
    ],
)
def test_words_become_arguments(words: tuple[str, ...], expected: dict[str, Any]) -> None:
    assert given(*words) == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--executor", "rai"), "no executor 'rai'. Did you mean 'ray'"),
        (("--executor", "ray", "--workers", "2"), "Leave out --workers, or --executor ray"),
        (("--address", "10.0.0.1:6379"), "Add --executor ray, or leave out --address"),
    ],
)
def test_what_does_not_go_together_is_refused(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        given(*words)


@pytest.mark.parametrize("verb", [compare, sweep])
def test_the_verbs_pass_them_on(verb, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    seen: list[dict[str, Any]] = []

    def noted(*_: object, **how: object) -> None:
        seen.append(how)
        raise InputError("enough")

    monkeypatch.chdir(tmp_path)
    for name in ("compare", "sweep"):
        monkeypatch.setattr(importlib.import_module(f"allpass.train.{name}"), name, noted)
    app = typer.Typer()
    app.command()(verb)
    for words in ((), ("--workers", "2"), ("--executor", "ray", "--address", "10.0.0.1:6379")):
        CliRunner().invoke(app, ["example-bipartite", *words])
    assert [how["workers"] for how in seen] == [None, 2, None]
    assert [how["executor"] for how in seen] == [None, None, RayCluster("10.0.0.1:6379")]
    if verb is sweep:
        CliRunner().invoke(app, ["example-bipartite", "--no-early-stop"])
        assert [how["early_stop"] for how in seen] == [True, True, True, False]
