r"""``python -m benchmarks.kge``: triplet embeddings against PyKEEN on Nations, UMLS and Kinships.

Both get the same budget, triplets and metric: vectors of 64 numbers for TransE, of 64 complex numbers for RotatE and
ComplEx (and DihEdral's 64 blocks), of 32 quaternions for QuatE; 32 corrupted triplets for each true one, Adam with a
learning rate of 0.01, batches of 256, 100 epochs, one thread; filtered realistic ranks of both sides. TransE and RotatE
have the same self-adversarial loss in both libraries; other losses and initial vectors are each library's defaults.
Seconds are those of the processor, so other programs hardly disturb them.

PyKEEN is the extra ``kge-oracle``. Rows are kept in ``results/kge.csv`` as they end, and a run leaves out what is
there; the study ``rl-triplets`` shows them, and trains on WordNet.
"""

from __future__ import annotations

import argparse
import csv
import io
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from allpass.files import locked, write_whole
from allpass.kge import KnowledgeGraph, TripletConfig, load, rank
from allpass.kge.catalog import MODELS
from allpass.papers.rl_triplets import SIZES as DIMS
from allpass.papers.triplets import peers
from allpass.papers.triplets.measure import trained
from benchmarks.timing import RESULTS

DATASETS = ("nations", "umls", "kinships")
PEERS = {"transe": "TransE", "rotate": "RotatE", "quate": "QuatE", "complex": "ComplEx"}
COLUMNS = (
    "dataset",
    "model",
    "source",
    "seed",
    "epochs",
    "mrr",
    "hits@1",
    "hits@3",
    "hits@10",
    "epoch_seconds",
)
FIXTURE = Path(peers.__file__).with_name("pykeen.csv")
"""PyKEEN's rows once more, for the study ``rl-triplets``."""

Row = dict[str, Any]


def ours(graph: KnowledgeGraph, model: str, seed: int, epochs: int) -> Row:
    """One training with allpass."""
    return dict(trained(graph, model, seed, epochs, DIMS[model]))


def theirs(graph: KnowledgeGraph, model: str, seed: int, epochs: int) -> Row:
    """One training with PyKEEN. Its own evaluator ranks; :func:`allpass.kge.rank` must find the same."""
    from pykeen.evaluation import RankBasedEvaluator
    from pykeen.models import model_resolver
    from pykeen.training import SLCWATrainingLoop
    from pykeen.triples import CoreTriplesFactory
    from pykeen.utils import set_random_seed

    set_random_seed(seed)
    train, valid, test = (torch.from_numpy(part) for part in (graph.train, graph.valid, graph.test))
    factory = CoreTriplesFactory(train, graph.num_entities, graph.num_relations)
    dim = DIMS[model] // MODELS[model].cls.parts
    config = TripletConfig(**MODELS[model].options)
    loss = {"margin": config.margin, "adversarial_temperature": config.temperature}
    same = {"loss": "nssa", "loss_kwargs": loss} if config.loss == "nssa" else {}
    network = model_resolver.make(
        PEERS[model], triples_factory=factory, embedding_dim=dim, random_seed=seed, **same
    )
    loop = SLCWATrainingLoop(
        model=network,
        triples_factory=factory,
        optimizer=torch.optim.Adam(network.get_grad_params(), lr=0.01),
        negative_sampler="basic",
        negative_sampler_kwargs={"num_negs_per_pos": 32},
    )
    start = time.process_time()
    loop.train(factory, num_epochs=epochs, batch_size=256, use_tqdm=False)
    seconds = (time.process_time() - start) / epochs
    found = RankBasedEvaluator(filtered=True).evaluate(
        network, test, additional_filter_triples=[train, valid], batch_size=64, use_tqdm=False
    )
    names = {"mrr": "inverse_harmonic_mean_rank", **{f"hits@{k}": f"hits_at_{k}" for k in (1, 3, 10)}}
    scores = {name: float(found.get_metric(f"both.realistic.{metric}")) for name, metric in names.items()}
    again = rank(network, test, (train, valid, test)).to_dict()
    if max(abs(scores[name] - again[name]) for name in names) > 1e-3:
        raise AssertionError(f"PyKEEN ranks {scores} where allpass ranks {again}.")
    return scores | {"epoch_seconds": seconds}


def kept(path: Path = RESULTS / "kge.csv") -> list[Row]:
    """The rows of earlier runs."""
    if not path.is_file():
        return []
    rows: list[Row] = []
    for row in csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))):
        whole = {name: int(row[name]) for name in ("seed", "epochs")}
        rows.append({**row, **whole, **{name: float(row[name]) for name in COLUMNS[5:]}})
    return rows


def write(rows: Sequence[Row], path: Path = RESULTS / "kge.csv") -> None:
    """Keep rows, sorted."""
    text = io.StringIO()
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    for row in sorted(rows, key=lambda row: tuple(row[name] for name in COLUMNS[:4])):
        table.writerow(row | {name: f"{row[name]:.6g}" for name in COLUMNS[5:]})
    write_whole(path, text.getvalue().encode())


def summary(rows: Sequence[Row]) -> str:
    """Mean MRR and seconds of an epoch, ours and theirs on the same seeds, as Markdown."""
    lines = [
        "| dataset | model | seeds | MRR | Hits@10 | PyKEEN's MRR | Hits@10 | CPU s an epoch | PyKEEN's |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for dataset in DATASETS:
        for model in DIMS:
            one, other = (_of(rows, dataset, model, source) for source in ("allpass", "pykeen"))
            if not one:
                continue
            shared = [seed for seed in one if seed in other] or list(one)
            cells = [_cells([one[seed] for seed in shared])]
            cells.append(_cells([other[seed] for seed in shared]) if other else ("", "", ""))
            (mrr, hits, seconds), (peer, peer_hits, peer_seconds) = cells
            lines.append(
                f"| {dataset} | {model} | {len(shared)} | {mrr} | {hits} | {peer} | {peer_hits} | {seconds} "
                f"| {peer_seconds} |"
            )
    return "\n".join(lines)


def _of(rows: Sequence[Row], dataset: str, model: str, source: str) -> dict[int, Row]:
    wanted = (dataset, model, source)
    return {row["seed"]: row for row in rows if (row["dataset"], row["model"], row["source"]) == wanted}


def _cells(rows: Sequence[Row]) -> tuple[str, str, str]:
    mrr = [row["mrr"] for row in rows]
    spread = f" ± {statistics.stdev(mrr):.3f}" if len(mrr) > 1 else ""
    hits = statistics.mean(row["hits@10"] for row in rows)
    return (
        f"{statistics.mean(mrr):.3f}{spread}",
        f"{hits:.3f}",
        f"{statistics.median(row['epoch_seconds'] for row in rows):.3f}",
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is not there yet, seed by seed, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--models", default=",".join(DIMS))
    parser.add_argument("--sources", default="allpass,pykeen")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=100)
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    for seed in range(given.seeds):
        for dataset in given.datasets.split(","):
            for model in given.models.split(","):
                for source in given.sources.split(","):
                    _run(dataset, model, source, seed, given.epochs)
    print(summary(kept()))


def _run(dataset: str, model: str, source: str, seed: int, epochs: int) -> None:
    if (source == "pykeen" and model not in PEERS) or seed in _of(kept(), dataset, model, source):
        return
    train = ours if source == "allpass" else theirs
    found = train(load(dataset), model, seed, epochs)
    row = {"dataset": dataset, "model": model, "source": source, "seed": seed, "epochs": epochs, **found}
    print(
        *(f"{row[name]:.4g}" if isinstance(row[name], float) else row[name] for name in COLUMNS), flush=True
    )
    with locked(RESULTS):
        write([*kept(), row])
        write([one for one in kept() if one["source"] == "pykeen"], FIXTURE)


if __name__ == "__main__":
    main()
