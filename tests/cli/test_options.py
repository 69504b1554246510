from __future__ import annotations

import pytest
import typer

from allpass.cli import options
from allpass.cli.main import app

SHARED = {"splits", "count", "epochs", "score", "scaling", "directed", "device", "as_json"}


@pytest.mark.parametrize("verb", ["train", "sweep", "compare"])
def test_verbs_that_train_have_the_same_options(verb: str) -> None:
    command = typer.main.get_command(app).commands[verb]  # type: ignore[attr-defined]
    helps = {parameter.name: getattr(parameter, "help", None) for parameter in command.params}
    for name in SHARED:
        (declared,) = getattr(options, name.title().replace("_", "")).__metadata__
        assert helps[name] == declared.help
