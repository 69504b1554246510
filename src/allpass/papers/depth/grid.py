"""What the study of depth combines, read from its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from allpass.papers.study import Plan
from allpass.papers.tables.protocol import Protocol

MODEL = "gcn"


class Combination(NamedTuple):
    """A network on a graph."""

    dataset: str
    activation: str
    initialisation: str
    layers: int

    def __str__(self) -> str:
        return f"{self.layers} layers on {self.dataset}, {self.initialisation} with {self.activation}"


@dataclass(frozen=True)
class Grid:
    """All combinations, and how each is trained.

    Args:
        activations: Names of ``ACTIVATIONS``, with their names for people; likewise ``datasets``.
        fixed: Settings that all networks share.
        tried: ``lr``: the learning rates that are tried for each combination.
        quick: ``datasets``, ``depths``, ``initialisations``, ``splits`` and ``epochs`` of a quick run.
    """

    depths: Sequence[int]
    initialisations: Sequence[str]
    activations: Mapping[str, str]
    datasets: Mapping[str, str]
    protocol: Protocol
    fixed: Mapping[str, Any]
    tried: Mapping[str, Sequence[float]]
    quick: Mapping[str, Any]

    @property
    def axes(self) -> dict[str, Sequence[str]]:
        """The names that a plan may choose from, by axis."""
        return {
            "datasets": list(self.datasets),
            "activations": list(self.activations),
            "initialisations": self.initialisations,
            "depths": [str(depth) for depth in self.depths],
        }

    def asked(self, plan: Plan) -> list[Combination]:
        """What a plan runs, shallow networks first: they are cheap."""
        few = {
            axis: [str(name) for name in self.quick[axis]]
            for axis in ("datasets", "depths", "initialisations")
        }
        chosen = plan.choose("depth", self.axes, few)
        return [
            Combination(dataset, activation, initialisation, int(depth))
            for depth in chosen["depths"]
            for dataset in chosen["datasets"]
            for activation in chosen["activations"]
            for initialisation in chosen["initialisations"]
        ]

    def how(self, plan: Plan) -> Protocol:
        """How the runs of a plan are made."""
        quick = self.quick
        return self.protocol.shortened(quick["splits"], quick["epochs"]) if plan.quick else self.protocol


def parse_grid(content: Mapping[str, Any]) -> Grid:
    """The grid of the entries of a file.

    Args:
        content: The entries.
    """
    return Grid(**{**content, "protocol": Protocol().changed(content["protocol"])})
