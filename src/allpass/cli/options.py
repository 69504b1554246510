"""Options that several verbs have, with the same words of help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

Model: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="A model by name (see `allpass models`); by default acm-gcn, and sage for numbers.",
        show_default=False,
    ),
]
Splits: TypeAlias = Annotated[
    str,
    typer.Option(
        help="How nodes are divided: stratified (60/20/20 of every class), random, geom-gcn, stored, ..."
    ),
]
Count: TypeAlias = Annotated[int, typer.Option(help="How many splits.")]
Seed: TypeAlias = Annotated[int, typer.Option(help="Decides the splits, the weights and the dropout.")]
Score: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="What is measured: accuracy, balanced_accuracy, macro_f1; of two classes roc_auc, average_precision, "
        "precision_at_k; of numbers r2, mae, mse. By default accuracy, roc_auc or balanced_accuracy where more than "
        "80% of the labels are of one class, and r2 for numbers.",
        show_default=False,
    ),
]
Device: TypeAlias = Annotated[
    str, typer.Option(help="Where to compute: auto (CUDA where there is one), cpu, cuda.")
]
DataDir: TypeAlias = Annotated[
    Path | None, typer.Option(help="Folder with dataset files; also $ALLPASS_DATA.", show_default=False)
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def settings_of(words: list[str]) -> dict[str, Any]:
    """``["K=6", "loss=margin"]`` to ``{"K": 6, "loss": "margin"}``."""
    from allpass.errors import InputError

    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"Got the setting {word!r}.", "Write NAME=VALUE, such as K=6.")
        try:
            found[name] = json.loads(value)
        except json.JSONDecodeError:
            found[name] = value
    return found
