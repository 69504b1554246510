"""Trainings of triplet embeddings under one budget: a fixed number of epochs, or early stopping on WordNet."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from allpass.kge import KnowledgeGraph, TripletConfig, create, fit, load, rank
from allpass.kge.catalog import MODELS
from allpass.kge.training import Trainer
from allpass.papers.measuring import Measured

SCORES = ("mrr", "hits@1", "hits@3", "hits@10")


def measured(settings: Mapping[str, Any], seed: int) -> Measured:
    """The scores of an arm on test triplets, filtered, of both sides."""
    torch.set_num_threads(1)
    graph, given = load(settings["graph"]), dict(settings)
    for name in ("graph", "model"):
        del given[name]
    if "patience" in given:
        return stopped(graph, settings["model"], seed, given)
    return Measured(trained(graph, settings["model"], seed, given.pop("epochs"), given.pop("dim")))


def trained(graph: KnowledgeGraph, model: str, seed: int, epochs: int, dim: int) -> dict[str, float]:
    """One training at the defaults of a model, with the processor's time of an epoch."""
    config = TripletConfig(**{**MODELS[model].options, "seed": seed, "epochs": epochs})
    network = create(model, graph.num_entities, graph.num_relations, dim=dim, seed=seed)
    trainer = Trainer(network, torch.from_numpy(graph.train), config)
    start = time.process_time()
    for _ in range(epochs):
        trainer.epoch()
    seconds = (time.process_time() - start) / epochs
    found = rank(network.eval(), torch.from_numpy(graph.test), (torch.from_numpy(graph.triplets),))
    scores = found.to_dict()
    return {name: scores[name] for name in SCORES} | {"epoch_seconds": seconds}


def stopped(graph: KnowledgeGraph, model: str, seed: int, options: Mapping[str, Any]) -> Measured:
    """One training whose epoch validation chooses, with the curve of validations."""
    start = time.process_time()
    kept = fit(graph, model, seed=seed, **options)
    minutes = (time.process_time() - start) / 60
    scores = {name: float(kept.scores["test"][name]) for name in SCORES}
    epoch, mrr = np.array(kept.curve).T
    done = len(kept.losses)
    scores |= {"epoch_seconds": 60 * minutes / done, "minutes": minutes, "epoch": float(kept.epoch)}
    return Measured(scores, {"epoch": epoch, "mrr": mrr})
