"""allpass: find out whether the edges of a graph help to predict its labels, and train the model that uses them best.

It also provides graph neural networks for heterophily and depth. Names are imported on first use, so ``import allpass``
does not load torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from allpass import (
        data,
        diagnosis,
        errors,
        graph,
        kge,
        metrics,
        models,
        nn,
        papers,
        report,
        rl,
        testing,
        train,
    )
    from allpass.data import load
    from allpass.diagnosis.diagnose import diagnose
    from allpass.graph import Operator
    from allpass.metrics.profile import profile
    from allpass.models.catalog import create
    from allpass.train.checkpoint import load as load_checkpoint
    from allpass.train.compare import compare
    from allpass.train.estimator import NodeClassifier, NodeRegressor
    from allpass.train.fit import fit
    from allpass.train.sweep import sweep

_HOMES = {
    "NodeClassifier": ("allpass.train.estimator", "NodeClassifier"),
    "NodeRegressor": ("allpass.train.estimator", "NodeRegressor"),
    "Operator": ("allpass.graph", "Operator"),
    "compare": ("allpass.train", "compare"),
    "create": ("allpass.models", "create"),
    "diagnose": ("allpass.diagnosis", "diagnose"),
    "fit": ("allpass.train", "fit"),
    "load": ("allpass.data", "load"),
    "load_checkpoint": ("allpass.train", "load"),
    "profile": ("allpass.metrics", "profile"),
    "sweep": ("allpass.train", "sweep"),
}
_ROOMS = (
    "data",
    "diagnosis",
    "errors",
    "papers",
    "graph",
    "kge",
    "metrics",
    "models",
    "nn",
    "report",
    "rl",
    "testing",
    "train",
)

__all__ = [
    "NodeClassifier",
    "NodeRegressor",
    "Operator",
    "__version__",
    "compare",
    "create",
    "data",
    "diagnose",
    "diagnosis",
    "errors",
    "fit",
    "graph",
    "kge",
    "load",
    "load_checkpoint",
    "metrics",
    "models",
    "nn",
    "papers",
    "profile",
    "report",
    "rl",
    "sweep",
    "testing",
    "train",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        room, original = _HOMES[name]
        return getattr(import_module(room), original)
    if name in _ROOMS:
        return import_module(f"allpass.{name}")
    raise AttributeError(f"module 'allpass' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
