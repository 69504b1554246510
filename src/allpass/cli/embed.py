"""`allpass embed`: vectors of entities and relations from triplets; `allpass complete`: what they predict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from allpass.cli.options import AsJson, DataDir, settings_of

if TYPE_CHECKING:
    from allpass.kge import Embedding, KnowledgeGraph

_NAMED = 5  # entities whose neighbours are shown where none is asked for


def embed(
    triplets: Annotated[
        str,
        typer.Argument(
            metavar="TRIPLETS",
            help="A table of head, relation, tail (CSV, TSV, Parquet), or a name: wn18rr, fb15k-237, nations, umls, "
            "kinships.",
            show_default=False,
        ),
    ],
    model: Annotated[str, typer.Option(help="transe, rotate, quate, dihedral or complex.")] = "transe",
    dim: Annotated[int, typer.Option(help="Numbers in the vector of an entity.")] = 64,
    chosen: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting such as K=6 or margin=12; may be repeated."
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            help="margin, nssa (self-adversarial), softplus, or softmax over all entities.",
            show_default=False,
        ),
    ] = None,
    epochs: Annotated[int, typer.Option(help="The most passes over the triplets.")] = 100,
    negatives: Annotated[int, typer.Option(help="Corrupted triplets for each true one.")] = 32,
    batch_size: Annotated[int, typer.Option(help="Triplets in a step.")] = 256,
    lr: Annotated[float, typer.Option(help="Learning rate.")] = 0.01,
    inverse: Annotated[bool, typer.Option("--inverse", help="Learn an inverse of every relation.")] = False,
    valid: Annotated[
        str | None,
        typer.Option(
            help="Triplets that choose the epoch: a file, or a share such as 0.1.", show_default=False
        ),
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(help="Triplets to measure with: a file, or a share such as 0.1.", show_default=False),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(
            help="Stop after so many validations without a better score; there is one every 10 epochs.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides vectors, order and corrupted triplets.")] = 0,
    near: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ENTITY",
            help="Show the nearest neighbours of an entity; may be repeated.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder of the checkpoint.", show_default=False),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(help="Write the vectors of the entities as CSV.", show_default=False),
    ] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Learn vectors of entities and relations from triplets, and rank held-out triplets."""
    from allpass.cli.progress import counting
    from allpass.files import check_writable, write_whole
    from allpass.kge import fit, load
    from allpass.kge.checkpoint import check_free

    if output is not None:
        check_free(output)
    if vectors is not None:
        check_writable(vectors)
    options = {
        "epochs": epochs,
        "negatives": negatives,
        "batch_size": batch_size,
        "lr": lr,
        "inverse": inverse,
        "patience": patience,
        "seed": seed,
        **({} if loss is None else {"loss": loss}),
        **settings_of(chosen or []),
    }
    with counting("reading"):
        graph = load(triplets, valid=_part(valid), test=_part(test), seed=seed, data_dir=data_dir)
    with counting("training", total=epochs) as on_progress:
        kept = fit(graph, model, dim=dim, on_progress=on_progress, **options)
    shown = {name: kept.neighbours(name, 5) for name in near or _frequent(graph)}
    if output is not None:
        kept.save(output)
    if vectors is not None:
        write_whole(vectors, kept.to_frame().to_csv().encode())
    if as_json:
        typer.echo(json.dumps(_found(kept, graph, shown, output), indent=2, ensure_ascii=False))
        return
    _show(kept, graph, shown)
    for word, path in (("Checkpoint", output), ("Vectors", vectors)):
        if path is not None:
            typer.echo(f"{word}: {path}")


def complete(
    checkpoint: Annotated[
        Path,
        typer.Argument(metavar="CHECKPOINT", help="A folder that `allpass embed` wrote.", show_default=False),
    ],
    head: Annotated[str | None, typer.Option(help="The head; tails are ranked.", show_default=False)] = None,
    relation: Annotated[str | None, typer.Option(help="The relation.", show_default=False)] = None,
    tail: Annotated[str | None, typer.Option(help="The tail; heads are ranked.", show_default=False)] = None,
    k: Annotated[int, typer.Option("-k", help="How many answers.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Complete a triplet: rank the tails of a head, or the heads of a tail, by a relation."""
    from rich.console import Console

    from allpass.cli.plain import plain_table
    from allpass.errors import InputError
    from allpass.kge import load_embedding

    if relation is None or (head is None) == (tail is None):
        raise InputError(
            "A triplet with one gap has a relation and either a head or a tail.",
            "Give --relation, and --head or --tail.",
        )
    kept = load_embedding(checkpoint)
    found = kept.tails(head, relation, k) if head is not None else kept.heads(relation, tail or "", k)
    asked = "tail" if head is not None else "head"
    if as_json:
        answers = [{asked: name, "score": score} for name, score in found]
        typer.echo(json.dumps({"head": head, "relation": relation, "tail": tail, "answers": answers}))
        return
    table = plain_table()
    table.add_column(asked)
    table.add_column("score", justify="right")
    for name, score in found:
        table.add_row(name, f"{score:.3f}")
    Console().print(table)


def _part(word: str | None) -> str | float | None:
    """A file, or a share."""
    try:
        return float(word) if word is not None else None
    except ValueError:
        return word


def _frequent(graph: KnowledgeGraph) -> list[str]:
    """The entities with most triplets."""
    import numpy as np

    counts = np.bincount(graph.train[:, [0, 2]].ravel(), minlength=graph.num_entities)
    return [graph.entities[place] for place in np.argsort(-counts, kind="stable")[:_NAMED]]


def _found(
    kept: Embedding, graph: KnowledgeGraph, shown: dict[str, list[tuple[str, float]]], output: Path | None
) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "dataset": kept.dataset,
        "model": kept.model,
        "dim": kept.network.dim,
        "settings": kept.network.settings,
        "options": asdict(kept.config),
        "entities": graph.num_entities,
        "relations": graph.num_relations,
        "triplets": {part: len(getattr(graph, part)) for part in ("train", "valid", "test")},
        "notes": graph.account.to_list(),
        "epoch": kept.epoch,
        "losses": kept.losses,
        "validations": [{"epoch": epoch, "mrr": mrr} for epoch, mrr in kept.curve],
        "scores": kept.scores,
        "neighbours": {
            name: [{"entity": other, "cosine": cosine} for other, cosine in near]
            for name, near in shown.items()
        },
        "checkpoint": None if output is None else str(output),
    }


def _show(kept: Embedding, graph: KnowledgeGraph, shown: dict[str, list[tuple[str, float]]]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from allpass.cli.plain import plain_table
    from allpass.cli.words import told

    out = Console()
    out.print(Text.assemble((kept.model, "bold"), f" on {kept.dataset}"))
    out.print(
        f"{graph.num_entities:,} entities, {graph.num_relations:,} relations, {len(graph.train):,} triplets for "
        f"training, {len(graph.valid):,} for validation, {len(graph.test):,} for test"
    )
    for note in graph.account:
        out.print(Padding(Text(told(note), style="dim"), (0, 0, 0, 2)))
    out.print(f"{kept.network.dim} numbers a vector; kept epoch {kept.epoch} of {len(kept.losses)}")
    if kept.scores:
        table = plain_table()
        names = ("mrr", "hits@1", "hits@3", "hits@10", "mean_rank")
        for heading in ("", "MRR", "Hits@1", "Hits@3", "Hits@10", "mean rank"):
            table.add_column(heading, justify="right" if heading else "left")
        for part, found in kept.scores.items():
            table.add_row(part, *(f"{found[name]:.{1 if name == 'mean_rank' else 3}f}" for name in names))
        out.print(table)
        out.print(Text("Ranks are filtered, of heads and tails; ties get their mean.", style="dim"))
    else:
        out.print(Text("No triplets to measure with; --test 0.1 holds a tenth out.", style="dim"))
    out.print("Nearest neighbours by cosine:")
    for name, near in shown.items():
        words = ", ".join(f"{other} {cosine:.2f}" for other, cosine in near)
        out.print(Padding(Text(f"{name}: {words}"), (0, 0, 0, 2)))
