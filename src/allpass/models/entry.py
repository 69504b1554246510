"""What the catalogue knows of a model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from torch import nn

from allpass.models.direct import Direct
from allpass.models.meanings import arguments
from allpass.nn.traits import Trait

GRID: Mapping[str, tuple[object, ...]] = {
    "lr": (0.01, 0.05, 0.1),
    "weight_decay": (0.0, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2),
    "dropout": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
}
"""The grid of the ACM paper: 270 settings at 64 hidden channels."""

LABEL_INPUT = "label_input"
"""The setting by which a model reads the labels of training nodes: trees have it, and training adds it to networks."""

_GIVEN = ("in_channels", "out_channels", "num_nodes", "graph")


@dataclass(frozen=True)
class Model:
    """A model of the catalogue.

    Args:
        name: Its name.
        build: ``build(in_channels, out_channels, **settings)``, with ``num_nodes=`` too where ``"fixed-nodes"`` is a
            trait; returns a module that is called as ``model(x, edge_index)``, or a
            :class:`~allpass.models.direct.Direct`.
        summary: What it does, in a few words.
        citation: Its paper.
        preset: Settings in which it differs from the defaults of ``build``.
        space: What is worth trying: settings of ``build``, and ``lr`` and ``weight_decay`` of the training.
        training: ``lr`` and ``weight_decay`` to begin with; ``lr:GROUP`` and ``weight_decay:GROUP`` for a group of
            parameters that the model names in ``parameter_groups()`` (group to names of parameters), which otherwise
            follows the plain ones. The same keys may stand in ``space``.
        traits: What the contracts and the training have to know.
        added: Settings that came after runs of the model were stored, with the value that these runs had. At this
            value they are left out of a run's key, so stored runs keep theirs.
        numbered: The setting that a number at the end of a name sets: ``snowball-5`` has 5 layers.
        aliases: Other names.
    """

    name: str
    build: Callable[..., nn.Module | Direct]
    summary: str
    citation: str
    preset: Mapping[str, object] = field(default_factory=dict)
    space: Mapping[str, tuple[object, ...]] = field(default_factory=lambda: GRID)
    training: Mapping[str, float] = field(default_factory=lambda: {"lr": 0.01, "weight_decay": 5e-4})
    traits: frozenset[Trait] = frozenset()
    added: Mapping[str, object] = field(default_factory=dict)
    numbered: str | None = None
    aliases: tuple[str, ...] = ()

    @cached_property
    def settings(self) -> Mapping[str, object]:
        """Every setting with its default; those of ``build`` that are open-ended are not listed."""
        found = {
            name: parameter.default
            for name, parameter in inspect.signature(self.build).parameters.items()
            if parameter.default is not inspect.Parameter.empty and name not in _GIVEN
        }
        return MappingProxyType({**found, **self.preset})

    @property
    def meanings(self) -> dict[str, str]:
        """What each setting is, in the words of the builder's docstring; those it does not explain are left out."""
        explained = arguments(self.build)
        return {name: explained[name] for name in self.settings if name in explained}

    @property
    def given(self) -> tuple[str, ...]:
        """What ``build`` takes of one graph beside its settings: ``num_nodes``, ``graph``."""
        taken = inspect.signature(self.build).parameters
        return tuple(name for name in ("num_nodes", "graph") if name in taken)

    @property
    def is_network(self) -> bool:
        """Whether it is a torch module; the others are fitted in one call."""
        return "fitted-directly" not in self.traits

    def reads_labels(self, settings: Mapping[str, object]) -> bool:
        """Whether it is called with the labels of the training nodes, under these settings."""
        if LABEL_INPUT in self.settings:
            return bool(settings.get(LABEL_INPUT, self.settings[LABEL_INPUT]))
        return "uses-labels" in self.traits or bool(settings.get(LABEL_INPUT))

    @property
    def needs(self) -> tuple[str, ...]:
        """What it has to be given beside features: the graph, the number of nodes, labels."""
        wanted = {
            "graph": "ignores-graph" not in self.traits,
            "features": "ignores-features" not in self.traits,
            "number of nodes": "fixed-nodes" in self.traits,
            "labels": "uses-labels" in self.traits,
        }
        return tuple(name for name, needed in wanted.items() if needed)
