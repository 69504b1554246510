"""The options that say how a model is trained, the same for every verb that trains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import typer

from allpass.cli.groups import grouped
from allpass.cli.options import Device, Score
from allpass.errors import InputError

if TYPE_CHECKING:
    from torch_geometric.data import Data

    from allpass.train.config import TrainingOptions

    Training: TypeAlias = TrainingOptions
else:  # a verb is read before torch is imported
    Training = dict

_PANEL = "Training"
_DTYPES = ("float32", "float64")


def _declared(
    score: Score = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            help="The most epochs of a run, by default 1000.", rich_help_panel=_PANEL, show_default=False
        ),
    ] = None,
    stop: Annotated[
        str | None,
        typer.Option(
            help="The rule that ends a run: gprgnn (default), patience-loss, fixed, ...",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(
            help="How many epochs a run waits for something better: 200 for the rule gprgnn, else 100.",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None,
    optimizer: Annotated[
        str | None, typer.Option(help="adam (default), ...", rich_help_panel=_PANEL, show_default=False)
    ] = None,
    select: Annotated[
        str | None,
        typer.Option(
            help="The epoch that is kept: lowest-val-loss (default), best-val-score, final, ...",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None,
    scaling: Annotated[
        str | None,
        typer.Option(
            help="How features are scaled: auto (default), rows, columns, mixed, none.",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None,
    class_weight: Annotated[
        str | None,
        typer.Option(
            help="balanced: every class has the same weight in the loss, however rare; none (default): every "
            "training node has.",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None,
    directed: Annotated[
        bool,
        typer.Option(
            "--directed",
            help="Keep the direction of edges; by default they go both ways.",
            rich_help_panel=_PANEL,
        ),
    ] = False,
    label_input: Annotated[
        bool,
        typer.Option(
            "--label-input",
            help="Let networks read the labels of the training nodes as features.",
            rich_help_panel=_PANEL,
        ),
    ] = False,
    dtype: Annotated[
        str | None,
        typer.Option(
            help="Precision: float32 (default) or float64.", rich_help_panel=_PANEL, show_default=False
        ),
    ] = None,
    device: Device = "auto",
) -> None:
    """The options of a training; never called."""


def _options(given: dict[str, Any]) -> Training:
    """The options that were given; the others keep the defaults of ``TrainingConfig``."""
    found = {name: value for name, value in given.items() if value is not None}
    found["undirected"] = not found.pop("directed")
    if not found["label_input"]:
        del found["label_input"]
    if "dtype" in found:
        if found["dtype"] not in _DTYPES:
            raise InputError(f"Got --dtype {found['dtype']}.", f"Expected {' or '.join(_DTYPES)}.")
        import torch

        found["dtype"] = getattr(torch, found["dtype"])
    return cast("Training", found)


def say_score(data: Data, training: Training) -> None:
    """Say on the error stream which score is reported, where that is not the usual one.

    Args:
        data: The graph.
        training: The options of the training; a score named there is not explained.
    """
    from allpass.train.rare import default_score, shares_of

    if training.get("score") is not None or data.y is None:
        return
    score = default_score(data.y)
    if score in ("accuracy", "r2"):
        return
    shares = shares_of(data.y)
    number = int(shares.argmax())
    names = data.get("class_names")
    typer.echo(
        f"{float(shares[number]):.0%} of the labels are of class {names[number] if names else number}, so always "
        f"predicting it has a high accuracy; the score is {score}. --score accuracy reports accuracy.",
        err=True,
    )


trains = grouped("training", _declared, _options)
"""Gives a verb all options of a training; it gets them as its parameter ``training``."""
