"""What is combined in the study of depth, read from its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from allpass.errors import InputError
from allpass.nn.activations import ACTIVATIONS
from allpass.nn.initialisation import SCHEMES
from allpass.papers.checks import at, check_keys, check_name, check_settings_of
from allpass.papers.content import named, parse_content, read_text
from allpass.papers.study import Plan
from allpass.papers.tables.protocol import Protocol

MODEL = "gcn"
_ENTRIES = (
    "baseline",
    "tolerance",
    "depths",
    "initialisations",
    "profiles",
    "activations",
    "datasets",
    "protocol",
    "fixed",
    "tried",
    "quick",
)
_QUICK = ("datasets", "depths", "initialisations")
"""The axes of which a quick plan takes a few."""


class Combination(NamedTuple):
    """A network on a graph.

    Args:
        dataset: A name of ``allpass.data.DATASETS``.
        activation: A name of ``ACTIVATIONS``.
        initialisation: A name of ``SCHEMES``.
        layers: The number of layers.
    """

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
        id: The name of the study.
        title: What it shows.
        source: Where the question comes from.
        notes: What was decided, and why.
        baseline: The initialisation that the others are compared with.
        tolerance: How many points below its shallowest network a deep one may be and count as trained.
        depths: Numbers of layers, in order.
        initialisations: Names of ``SCHEMES``.
        profiles: The ``depths`` and ``initialisations`` whose layers are drawn.
        activations: Names of ``ACTIVATIONS``, with their names for people.
        datasets: Names of ``DATASETS``, with their names for people.
        protocol: How runs are made.
        fixed: Settings that all networks share.
        tried: ``lr``: the learning rates that are tried for each combination.
        quick: ``datasets``, ``depths``, ``initialisations``, ``splits`` and ``epochs`` that prove the path.
    """

    id: str
    title: str
    source: str
    notes: tuple[str, ...]
    baseline: str
    tolerance: float
    depths: Sequence[int]
    initialisations: Sequence[str]
    profiles: Mapping[str, Sequence[Any]]
    activations: Mapping[str, str]
    datasets: Mapping[str, str]
    protocol: Protocol
    fixed: Mapping[str, Any]
    tried: Mapping[str, Sequence[float]]
    quick: Mapping[str, Any]

    @property
    def axes(self) -> dict[str, list[str]]:
        """The names that a plan may choose from, by axis."""
        return {
            "datasets": list(self.datasets),
            "activations": list(self.activations),
            "initialisations": list(self.initialisations),
            "depths": [str(depth) for depth in self.depths],
        }

    def asked(self, plan: Plan) -> list[Combination]:
        """What a plan asks for, shallow networks first: what is cheap is known early."""
        few = {axis: [str(name) for name in self.quick[axis]] for axis in _QUICK}
        chosen = named(plan, self.id, self.axes, few)
        return [
            Combination(dataset, activation, initialisation, int(depth))
            for depth in chosen["depths"]
            for dataset in chosen["datasets"]
            for activation in chosen["activations"]
            for initialisation in chosen["initialisations"]
        ]

    def how(self, plan: Plan) -> Protocol:
        """How the runs of a plan are made."""
        if not plan.quick:
            return self.protocol
        few = {"splits": {"count": self.quick["splits"]}, "stop": {"max_epochs": self.quick["epochs"]}}
        return self.protocol.changed(few)


def read_grid() -> Grid:
    """The grid of the study's own file."""
    return parse_grid(read_text("depth"))


def parse_grid(text: str) -> Grid:
    """The grid of a TOML text, checked: every name in it exists.

    Args:
        text: The file.
    """
    content = parse_content(text, "depth", _ENTRIES)
    axes = {name: content[name] for name in ("depths", "initialisations", "activations", "datasets")}
    with at("depth, protocol"):
        content["protocol"] = Protocol().changed(content["protocol"])
    with at("depth, depths"):
        _check_depths(axes["depths"])
    with at("depth, datasets"):
        for name in axes["datasets"]:
            content["protocol"].check_dataset(name)
    for axis, kind, known in (
        ("activations", "activation", ACTIVATIONS),
        ("initialisations", "initialisation", SCHEMES),
    ):
        with at(f"depth, {axis}"):
            for name in axes[axis]:
                check_name(kind, name, known.names)
    with at("depth, baseline"):
        check_name("initialisation", content["baseline"], axes["initialisations"])
    with at("depth, fixed"):
        check_settings_of(MODEL, content["fixed"])
    with at("depth, tried"):
        check_keys(content["tried"], (), needed=("lr",))
    _check_part("depth, profiles", content["profiles"], ("depths", "initialisations"), axes)
    _check_part("depth, quick", content["quick"], _QUICK, axes, ("splits", "epochs"))
    return Grid(**content)


def _check_part(
    place: str, part: Any, names: Sequence[str], axes: Mapping[str, Any], numbers: Sequence[str] = ()
) -> None:
    """Complain about a part of the grid that names what is not in it."""
    with at(place):
        check_keys(part, (), needed=(*names, *numbers))
        for axis in names:
            for name in part[axis]:
                check_name(f"entry of {axis}", str(name), [str(one) for one in axes[axis]])


def _check_depths(depths: Any) -> None:
    if not depths or any(type(depth) is not int or depth < 1 for depth in depths) or sorted(depths) != depths:
        raise InputError(f"Got {depths!r}.", "Expected numbers of layers, the smallest first.")
