"""Small batches for the tests of the engine."""

from __future__ import annotations

import torch

from allpass.models import create
from allpass.nn import seed_dropout
from allpass.testing import learnable_graph
from allpass.train.engine.batch import Batch, Recipe
from allpass.train.engine.gradients import Problem
from allpass.train.rules.optimizers import OPTIMIZERS
from allpass.train.rules.selection import SELECTION
from allpass.train.rules.stopping import StoppingRule
from allpass.train.rules.tasks import task
from allpass.train.rules.weights import weighted


def batch_of(
    R: int,
    rule: StoppingRule,
    *,
    model: str = "gcn",
    dropout: float = 0.0,
    together: bool = False,
    select: str = "lowest-val-loss",
    class_weight: str = "none",
) -> Batch:
    """R replicas in float64 with seeds, nodes and rates of their own."""
    x, A, y, _ = learnable_graph()
    models = []
    for seed in range(R):
        torch.manual_seed(seed)
        models.append(
            create(model, in_channels=8, out_channels=3, hidden_channels=8, dropout=dropout).double()
        )
        seed_dropout(models[-1], seed)
    draw = torch.rand(R, len(y), generator=torch.Generator().manual_seed(0))
    masks = torch.stack([draw < 0.4, (draw >= 0.4) & (draw < 0.7), draw >= 0.7])
    rates = {
        "lr": torch.linspace(0.05, 0.3, R, dtype=torch.float64),
        "weight_decay": torch.linspace(0, 1e-2, R, dtype=torch.float64),
    }
    problem = Problem(x.double(), A.to(torch.float64), y, weighted(task("classification").loss, class_weight))
    recipe = Recipe(task("classification"), OPTIMIZERS["adam"], rule, SELECTION[select])
    return Batch(models, problem, masks, rates, recipe, together=together)
