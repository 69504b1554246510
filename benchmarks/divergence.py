"""``python -m benchmarks.divergence cora``: why deep networks diverge, by initialisation, precision and learning rate.

The network is that of the study ``depth`` with 64 layers and AdaReLU. Printed are its first step (the variance of the
last hidden layer, the largest entry of a gradient, and the square of it that Adam keeps) and what training makes of it.
A run of 64 layers takes seconds on a GPU and minutes on a CPU; ``--epochs 0`` prints the first step alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import torch
from torch.nn import functional as F
from torch_geometric.data import Data

import allpass
from allpass.data import splits
from allpass.graph import Operator
from allpass.models import create
from allpass.nn import measure_propagation
from allpass.train import fit
from allpass.train.scaling import Scaler

SETTINGS: Mapping[str, object] = {
    "num_layers": 64,
    "hidden_channels": 64,
    "filter": "A_hat_rw",
    "activation": "adarelu",
    "dropout": 0.0,
    "weight_decay": 0.0,
}
SCHEMES = ("glorot", "he", "energy", "combined")
RATES = (0.01, 0.001, 0.0001)


def first_step(data: Data, scheme: str, dtype: torch.dtype) -> tuple[float, float, float]:
    """Variance behind the last hidden layer, the largest entry of a gradient, and its square, all in ``dtype``."""
    A = Operator.from_edge_index(data.edge_index, num_nodes=data.num_nodes, dtype=dtype)
    x = Scaler.of(data.x, "rows")(data.x).to(dtype)
    torch.manual_seed(0)
    settings = {name: value for name, value in SETTINGS.items() if name != "weight_decay"}
    sizes = {"in_channels": x.shape[1], "out_channels": int(data.y.max()) + 1}
    net = create("gcn", init=scheme, graph=A, **sizes, **settings).to(dtype)  # type: ignore[arg-type]
    variance = measure_propagation(net, x, A, data.y)[62].variance
    train = splits(data, "stratified", count=1)[0].train
    F.cross_entropy(net(x, A)[train], data.y[train]).backward()
    slopes = torch.stack([weight.grad.abs().max() for weight in net.parameters() if weight.grad is not None])
    return variance, float(slopes.max()), float(slopes.max().square())


def trained(data: Data, scheme: str, dtype: torch.dtype, lr: float, device: str, epochs: int) -> str:
    """How a run ends."""
    (run,) = fit(
        "gcn",
        data,
        splits(data, "stratified", count=1),
        {**SETTINGS, "init": scheme, "lr": lr},
        stop="patience-loss",
        epochs=epochs,
        select="lowest-val-loss",
        scaling="rows",
        dtype=dtype,
        device=device,
        weights=False,
    )
    if run.diverged:
        return f"diverged in epoch {run.epochs}"
    return f"{run.epochs:4} epochs, test accuracy {run.scores['test_score']:.3f}"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("dataset")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--epochs", type=int, default=500)
    given = parser.parse_args()
    data = allpass.load(given.dataset)
    for scheme in SCHEMES:
        for dtype in (torch.float32, torch.float64):
            name = f"{given.dataset:9} {scheme:9} {str(dtype).removeprefix('torch.')}"
            variance, slope, square = first_step(data, scheme, dtype)
            print(
                f"{name}  first step: variance {variance:.1e}, gradient {slope:.1e}, its square {square:.1e}"
            )
            for lr in RATES if given.epochs else ():
                ended = trained(data, scheme, dtype, lr, given.device, given.epochs)
                print(f"{name}  lr {lr:<6g} {ended}", flush=True)


if __name__ == "__main__":
    main()
