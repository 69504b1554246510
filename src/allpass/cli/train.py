"""`allpass train`: a model for a graph, with an honest score, kept as a checkpoint."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allpass.cli.options import AsJson, Count, Model, Seed, Splits
from allpass.cli.target import Target, default_model, reads_graph
from allpass.cli.training import Training, say_score, trains
from allpass.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table
    from torch_geometric.data import Data

    from allpass.data.splits import Split
    from allpass.train.trained import Trained

_WIDEST = 12  # classes of a confusion table on a terminal


@reads_graph
@trains
def train(
    graph: Target,
    training: Training,
    model: Model = None,
    chosen: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting, of `allpass models MODEL`; may be repeated."
        ),
    ] = None,
    splits: Splits = "stratified",
    count: Count = 10,
    seed: Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Folder of the checkpoint; by default DATASET-MODEL.", show_default=False
        ),
    ] = None,
    graph_too: Annotated[
        bool | None,
        typer.Option(
            "--graph/--no-graph",
            help="Keep the training graph in the checkpoint, so that new nodes can link to it; by default up to 1 GB.",
            show_default=False,
        ),
    ] = None,
    refit: Annotated[
        bool,
        typer.Option(
            "--refit",
            help="Keep a model that is trained on all labels, once the splits have given the test score.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train a model on several splits, report its test score, and keep the one that validation chooses."""
    from allpass.cli.progress import training as progress
    from allpass.files import slug
    from allpass.train import checkpoint
    from allpass.train.folds import best, train_folds
    from allpass.train.given import divide
    from allpass.train.kept_graph import LARGEST, size_of
    from allpass.train.refit import estimated
    from allpass.train.refit import refit as train_on_all

    data = graph.load()
    model = model or default_model(data)
    settings = _settings(chosen or [], model)
    folder = checkpoint.check_free(
        output or slug(f"{data.name}-{model}")
    )  # before minutes of work, not after
    say_score(data, training)
    folds = divide(data, splits, count=count, seed=seed)
    with progress() as on_progress:
        models = train_folds(model, data, folds, settings, seed=seed, on_progress=on_progress, **training)
        number = best(models)
        kept = replace(models[number], estimate=estimated(models, data, folds))
        if refit:
            kept = train_on_all(models, data, folds, seed=seed, on_progress=on_progress, **training)
    keeps = size_of(data) <= LARGEST if graph_too is None else graph_too
    checkpoint.save(kept.with_graph(data if keeps else None), folder)
    found = _found(models, number, data, folds, folder)
    learnt = 0 if kept.sets is None else int(kept.sets.count_nonzero())
    found["refit"] = {"nodes": learnt, "epochs": (kept.epoch or 0) + 1} if refit else None
    found["graph"] = keeps
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    _show(found)


def _settings(words: list[str], model: str) -> dict[str, object]:
    from allpass.train.space import read_space

    for word in words:
        if not all(part.strip() for part in word.partition("=")):
            raise InputError(f"Got the setting {word!r}.", "Write NAME=VALUE, such as lr=0.01.")
    settings = {}
    for name, values in read_space(words, model).items():
        if len(values) != 1:
            raise InputError(
                f"Got {len(values)} values of {name!r}.", "Pass one; `allpass sweep` tries several."
            )
        settings[name] = values[0]
    return settings


def _found(
    models: list[Trained], number: int, data: Data, folds: list[Split], folder: Path
) -> dict[str, Any]:
    """What is told, as plain data; a number that JSON lacks is None."""
    from allpass.data.splits import shares
    from allpass.train.statistics import estimate

    kept, fold = models[number], folds[number]
    scores = [kept.score] if kept.task != "regression" else list(dict.fromkeys([kept.score, "r2", "mae"]))
    ended = [pair for pair in zip(models, folds, strict=True) if pair[0].epoch is not None]
    return {
        "dataset": data.name,
        "model": kept.model,
        "task": kept.task,
        "score": kept.score,
        "settings": kept.settings,
        "scaling": kept.scaler.kind,
        "splits": [split.name for split in folds],
        "shares": shares(folds),
        "unsound": [one.split for one in models if one.epoch is None],
        "test": {
            score: estimate([one.measure(data, split.test, score) for one, split in ended]).to_dict()
            for score in scores
        },
        "kept": {
            "split": fold.name,
            "epoch": kept.epoch,
            **{key: value if math.isfinite(value) else None for key, value in kept.scores.items()},
        },
        "threshold": None if kept.threshold is None else kept.threshold.to_dict(),
        "confusion": None if kept.task == "regression" else _confusion(kept, data, fold),
        "mixing": kept.mixing(data),
        "learned_graph": _learned(kept, data),
        "checkpoint": str(folder),
    }


def _learned(kept: Trained, data: Data) -> dict[str, Any] | None:
    """What an adjacency learner made of the graph; nothing for other models."""
    from allpass.models.adjacency import AdjacencyNetwork
    from allpass.train.learned_graph import learned_graph

    if not isinstance(kept.network, AdjacencyNetwork):
        return None
    return learned_graph(kept, data).summary()


def _confusion(kept: Trained, data: Data, fold: Split) -> dict[str, Any]:
    counts = kept.confusion(data, fold.test).tolist()
    names = kept.class_names or tuple(str(number) for number in range(len(counts)))
    return {"classes": names[: len(counts)], "counts": counts}


def _show(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.text import Text

    from allpass.data.draft import many

    out, kept = Console(), found["kept"]
    told = f" on {found['dataset']}, {many(len(found['splits']), 'split')} of {found['shares']}%"
    out.print(Text.assemble((found["model"], "bold"), told))
    for score, test in found["test"].items():
        out.print(Text(f"test {score.replace('_', ' ')} {_interval(score, test)}"))
    if found["unsound"]:
        out.print(Text(f"Left out, as their loss was no number: {', '.join(found['unsound'])}"))
    out.print()
    val, test = (_number(found["score"], kept[f"{part}_score"]) for part in ("val", "test"))
    best = f"the model of the split {kept['split']}, which is the best on validation nodes ({val})"
    if found["refit"]:
        nodes, epochs = (
            many(found["refit"]["nodes"], "labelled node"),
            many(found["refit"]["epochs"], "epoch"),
        )
        out.print(
            Text(
                f"Kept: a model trained on all {nodes} for {epochs}, the median of the splits. No node is left to test "
                f"it by; the test score above is of the models of the splits. Below is {best}."
            )
        )
    else:
        out.print(Text(f"Kept: {best}; on its test nodes {test}, epoch {kept['epoch']}."))
    if found["confusion"] is not None:
        _show_threshold(out, found)
        _show_confusion(out, **found["confusion"])
    if found["mixing"]:
        out.print()
        out.print(Text("Learned weights of the channels, mean over the nodes"))
        rows = [
            [f"layer {n}", *(f"{w:.3f}" for w in layer.values())]
            for n, layer in enumerate(found["mixing"], 1)
        ]
        out.print(_table(["", *found["mixing"][0]], rows))
    if found["learned_graph"]:
        from allpass.train.learned_graph import changed

        out.print()
        for sentence in changed(found["learned_graph"]):
            out.print(Text(sentence))
    out.print()
    graph = "" if found["graph"] else ", without the graph of the training"
    out.print(Text(f"Checkpoint: {found['checkpoint']}{graph}"))


def _show_threshold(out: Console, found: dict[str, Any]) -> None:
    from rich.text import Text

    threshold = found["threshold"]
    if threshold is not None and threshold["value"] is not None:
        name = found["confusion"]["classes"][threshold["positive"]]
        out.print(
            Text(
                f"Class {name} is rare: it is predicted where its probability is at least {threshold['value']:.3g}, "
                "the threshold of the highest F1 on validation nodes."
            )
        )


def _show_confusion(out: Console, classes: Sequence[str], counts: list[list[int]]) -> None:
    from rich.text import Text

    out.print()
    if len(classes) > _WIDEST:
        out.print(Text(f"The confusion table of {len(classes)} classes is too wide for here; --json has it."))
        return
    out.print(
        Text("Its test nodes: a row for the class they are of, a column for the class they are taken for")
    )
    rows = [[name, *map(str, row)] for name, row in zip(classes, counts, strict=True)]
    out.print(_table(["", *classes], rows))


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich.text import Text

    from allpass.cli.plain import plain_table

    table = plain_table()
    for place, heading in enumerate(headings):
        table.add_column(Text(heading), justify="right" if place else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _interval(score: str, test: dict[str, float | None]) -> str:
    """The mean, and its interval where splits are enough for one; it ends where the score does."""
    from allpass.train.rules.scores import SCORES
    from allpass.train.statistics import TELLING

    mean, low, high = (test[name] for name in ("mean", "low", "high"))
    if low is None or high is None or (test["count"] or 0) < TELLING:
        return _number(score, mean)
    low, high = max(low, SCORES[score].low), min(high, SCORES[score].high)
    ends = f"{_number(score, low)} to {_number(score, high)}"
    return f"{_number(score, mean)}, 95% interval over splits of this graph {ends}"


def _number(score: str, value: float | None) -> str:
    from allpass.train.rules.scores import SCORES

    return SCORES[score].written(math.nan if value is None else value)
