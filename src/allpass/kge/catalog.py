"""The models of triplets by name, each with the options it is trained with by default."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from allpass.errors import InputError, did_you_mean
from allpass.kge.models.base import TripletModel
from allpass.kge.models.complex import ComplEx
from allpass.kge.models.dihedral import DihEdral
from allpass.kge.models.quate import QuatE
from allpass.kge.models.rotate import RotatE
from allpass.kge.models.transe import TransE
from allpass.registry import Registry


@dataclass(frozen=True)
class Entry:
    """A model by name.

    Args:
        name: Its name.
        cls: Its class.
        formula: Its score.
        citation: Where it was published.
        options: Options of :class:`~allpass.kge.TripletConfig` that differ from the general defaults.
        aliases: Other names.
    """

    name: str
    cls: type[TripletModel]
    formula: str
    citation: str
    options: Mapping[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()

    @property
    def settings(self) -> tuple[str, ...]:
        """Names of the settings of its own, beyond sizes, dim, inverse and seed."""
        shared = set(inspect.signature(TripletModel).parameters)
        return tuple(name for name in inspect.signature(self.cls).parameters if name not in shared)


MODELS: Registry[Entry] = Registry("model of triplets")

MODELS.add(
    Entry(
        "transe",
        TransE,
        "-||h + r - t||",
        "Bordes et al.: Translating Embeddings for Modeling Multi-relational Data, NeurIPS 2013",
        {"margin": 6.0},
    )
)
MODELS.add(
    Entry(
        "rotate",
        RotatE,
        "-||h o e^{i theta} - t||",
        "Sun et al.: RotatE: Knowledge Graph Embedding by Relational Rotation in Complex Space, ICLR 2019",
        {"margin": 8.0},
    )
)
MODELS.add(
    Entry(
        "quate",
        QuatE,
        "<h (x) r/|r|, t>",
        "Zhang et al.: Quaternion Knowledge Graph Embeddings, NeurIPS 2019",
        {"loss": "softplus", "l2": 0.01},
    )
)
MODELS.add(
    Entry(
        "dihedral",
        DihEdral,
        "h^T R t, R of 2 x 2 blocks in D_K",
        "Xu, Li: Relation Embedding with Dihedral Group in Knowledge Graph, ACL 2019",
        {"loss": "softplus"},
    )
)
MODELS.add(
    Entry(
        "complex",
        ComplEx,
        "Re <h o r, conj(t)>",
        "Trouillon et al.: Complex Embeddings for Simple Link Prediction, ICML 2016",
        {"loss": "softplus", "l2": 0.002},
    )
)


def create(
    name: str,
    num_entities: int,
    num_relations: int,
    *,
    dim: int = 64,
    inverse: bool = False,
    seed: int = 0,
    **settings: Any,
) -> TripletModel:
    """A model by name.

    Args:
        name: One of ``MODELS``.
        num_entities: Number of entities.
        num_relations: Number of relations.
        dim: Numbers in a vector.
        inverse: Give every relation an inverse of its own.
        seed: Of the initial vectors.
        **settings: Of the model, such as ``norm=1`` or ``K=6``.

    Example:
        >>> create("dihedral", 5, 2, dim=8, K=6)
        DihEdral(5, 2, dim=8)
    """
    entry = MODELS[name]
    for setting in settings:
        if setting not in entry.settings:
            known = ", ".join(entry.settings) or "none"
            raise InputError(
                f"The model {entry.name!r} has no setting {setting!r}.",
                did_you_mean(setting, entry.settings) if entry.settings else f"Its settings: {known}.",
            )
    return entry.cls(num_entities, num_relations, dim, inverse=inverse, seed=seed, **settings)
