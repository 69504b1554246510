"""Options that several verbs have, with the same words of help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

Model: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="A model by name (see `allpass models`); by default acm-gcn, and sage for numbers.",
        show_default=False,
    ),
]
Splits: TypeAlias = Annotated[str, typer.Option(help="How nodes are divided: random, geom-gcn, stored, ...")]
Count: TypeAlias = Annotated[int, typer.Option(help="How many splits.")]
Seed: TypeAlias = Annotated[int, typer.Option(help="Decides the splits, the weights and the dropout.")]
Epochs: TypeAlias = Annotated[int, typer.Option(help="The most epochs of a run.")]
Score: TypeAlias = Annotated[
    str | None,
    typer.Option(help="What is measured: accuracy, roc_auc, macro_f1; r2, mae, mse.", show_default=False),
]
Scaling: TypeAlias = Annotated[str, typer.Option(help="How features are scaled: auto, rows, columns, none.")]
Directed: TypeAlias = Annotated[
    bool, typer.Option("--directed", help="Keep the direction of edges; by default they go both ways.")
]
LabelInput: TypeAlias = Annotated[
    bool,
    typer.Option("--label-input", help="Let networks read the labels of the training nodes as features."),
]
Device: TypeAlias = Annotated[str, typer.Option(help="Where to train: cpu, cuda.")]
DataDir: TypeAlias = Annotated[
    Path | None, typer.Option(help="Folder with dataset files; also $ALLPASS_DATA.", show_default=False)
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
