"""allpass: does a graph's structure help or hurt a learner, and the networks that keep every frequency.

Names are resolved when they are first used, so that ``import allpass`` does not wait for torch.
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
        experiments,
        graph,
        metrics,
        models,
        nn,
        report,
        testing,
        train,
    )
    from allpass.data import load
    from allpass.diagnosis.diagnose import diagnose
    from allpass.graph import Operator
    from allpass.train.estimator import NodeClassifier, NodeRegressor

_HOMES = {
    "NodeClassifier": "allpass.train.estimator",
    "NodeRegressor": "allpass.train.estimator",
    "Operator": "allpass.graph",
    "diagnose": "allpass.diagnosis",
    "load": "allpass.data",
}
_ROOMS = (
    "data",
    "diagnosis",
    "errors",
    "experiments",
    "graph",
    "metrics",
    "models",
    "nn",
    "report",
    "testing",
    "train",
)

__all__ = [
    "NodeClassifier",
    "NodeRegressor",
    "Operator",
    "__version__",
    "data",
    "diagnose",
    "diagnosis",
    "errors",
    "experiments",
    "graph",
    "load",
    "metrics",
    "models",
    "nn",
    "report",
    "testing",
    "train",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return import_module(f"allpass.{name}")
    raise AttributeError(f"module 'allpass' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
