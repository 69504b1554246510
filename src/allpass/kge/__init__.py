"""Triplet embeddings: vectors of entities and relations from (head, relation, tail).

For knowledge graphs, and for transitions (state, action, next state). Names are imported on first use, so
``import allpass.kge`` does not load torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from allpass.kge.catalog import MODELS, create
    from allpass.kge.checkpoint import load_embedding
    from allpass.kge.config import TripletConfig
    from allpass.kge.embedding import Embedding
    from allpass.kge.fitting import fit
    from allpass.kge.graph import KnowledgeGraph
    from allpass.kge.loading import load
    from allpass.kge.models.base import TripletModel
    from allpass.kge.models.complex import ComplEx
    from allpass.kge.models.dihedral import DihEdral
    from allpass.kge.models.quate import QuatE
    from allpass.kge.models.rotate import RotatE
    from allpass.kge.models.transe import TransE
    from allpass.kge.ranking import Ranking, rank

_HOMES = {
    "MODELS": "catalog",
    "ComplEx": "models.complex",
    "DihEdral": "models.dihedral",
    "Embedding": "embedding",
    "KnowledgeGraph": "graph",
    "QuatE": "models.quate",
    "Ranking": "ranking",
    "RotatE": "models.rotate",
    "TransE": "models.transe",
    "TripletConfig": "config",
    "TripletModel": "models.base",
    "create": "catalog",
    "fit": "fitting",
    "load": "loading",
    "load_embedding": "checkpoint",
    "rank": "ranking",
}

__all__ = [
    "MODELS",
    "ComplEx",
    "DihEdral",
    "Embedding",
    "KnowledgeGraph",
    "QuatE",
    "Ranking",
    "RotatE",
    "TransE",
    "TripletConfig",
    "TripletModel",
    "create",
    "fit",
    "load",
    "load_embedding",
    "rank",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"allpass.kge.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'allpass.kge' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
