"""Models of transitions by name: what each predicts for pairs of state and action that were never tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from allpass.errors import InputError, UnknownNameError, did_you_mean
from allpass.kge.catalog import MODELS
from allpass.kge.config import TripletConfig
from allpass.rl.dynamics.backoff import back_off, neighbours, uniform
from allpass.rl.dynamics.bilinear import ActionSkipGram
from allpass.rl.dynamics.contexts import no_contexts, role_contexts, walk_contexts
from allpass.rl.dynamics.counts import TransitionCounts
from allpass.rl.dynamics.embedded import Contexts, Progress, probabilities, train_embedding
from allpass.rl.dynamics.inverse_rule import inverse_rule
from allpass.rl.dynamics.pooling import left_out, pool_weights, pooled
from allpass.rl.dynamics.prediction import Prediction

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rule:
    """A prediction that nothing is trained for.

    Args:
        predict: From counts to P, ``[S*A, S]``.
        formula: What it says.
    """

    predict: Callable[[TransitionCounts], Array]
    formula: str

    def fit(
        self,
        counts: TransitionCounts,
        *,
        seed: int,  # noqa: ARG002
        on_progress: Progress | None = None,  # noqa: ARG002
        **options: Any,
    ) -> Prediction:
        """The prediction; it takes no options."""
        check_options(options, ())
        return Prediction(self.predict(counts))


@dataclass(frozen=True)
class Embedded:
    """Vectors of states and actions, trained on recorded steps by the softmax over all next states.

    Args:
        make: Makes the model.
        formula: Its score.
        contexts: Further triplets of the states that it learns.
        settings: Settings of the model.
        options: Options that differ from ``DEFAULTS``.
        own: Names of the settings of the model that can be given.
    """

    make: Callable[..., Any]
    formula: str
    contexts: Callable[..., Any] = no_contexts
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    own: tuple[str, ...] = ()
    context_options: tuple[str, ...] = ()

    def fit(
        self, counts: TransitionCounts, *, seed: int, on_progress: Progress | None = None, **options: Any
    ) -> Prediction:
        """Train it. Options are ``dim``, fields of :class:`~allpass.kge.TripletConfig` and those of its own."""
        check_options(options, ("dim", *OPTIONS, *self.own, *self.context_options))
        given = {**DEFAULTS, **self.options, **options}
        dim = given.pop("dim")
        settings = {**self.settings, **{name: given.pop(name) for name in self.own if name in given}}
        around = {name: given.pop(name) for name in self.context_options if name in given}
        contexts: Contexts = partial(self.contexts, **around)
        network, losses = train_embedding(
            counts,
            self.make,
            TripletConfig(**given, seed=seed),
            dim=dim,
            contexts=contexts,
            on_progress=on_progress,
            **settings,
        )
        vectors = network.entities.detach().double().numpy()
        return Prediction(probabilities(network, counts.num_actions), vectors, tuple(losses))


@dataclass(frozen=True)
class Hybrid:
    """A product of powers of an embedding, the neighbours left to explain, and the mined inverse rule.

    The exponents make pairs likely that were left out of a first training; then all is trained on everything.

    Args:
        formula: What it says.
    """

    formula: str = "embedding^a x neighbours^b x inverse rule^c"

    def fit(
        self,
        counts: TransitionCounts,
        *,
        seed: int,
        base: str = "rotate",
        on_progress: Progress | None = None,
        **options: Any,
    ) -> Prediction:
        """Train it; ``base`` is the name of the embedding, which gets the other options."""
        embedding = DYNAMICS[base]
        if not isinstance(embedding, Embedded):
            raise InputError(f"Got base={base!r}.", "Expected the name of an embedding, such as 'rotate'.")
        out = left_out(counts, 0.2, seed)
        rest = counts.without(out)
        first = self._parts(rest, embedding.fit(rest, seed=seed, **options))
        weights = pool_weights([part[out] for part in first], counts.shares.toarray()[out])
        last = embedding.fit(counts, seed=seed, on_progress=on_progress, **options)
        return Prediction(
            pooled(self._parts(counts, last), weights), last.vectors, last.losses, tuple(weights.tolist())
        )

    def _parts(self, counts: TransitionCounts, embedding: Prediction) -> list[Array]:
        return [embedding.P, neighbours(counts), inverse_rule(counts)]


DEFAULTS: Mapping[str, Any] = {
    "dim": 32,
    "loss": "softmax",
    "sides": "both",
    "epochs": 150,
    "lr": 0.02,
    "batch_size": 256,
    "l2": 0.0,
}
"""How embeddings of transitions are trained."""

_SKIPGRAM: Mapping[str, Any] = {"dim": 16, "l2": 0.1}

OPTIONS = tuple(option.name for option in fields(TripletConfig) if option.name != "seed")


def _triplets(name: str, **options: Any) -> Embedded:
    entry = MODELS[name]
    return Embedded(entry.cls, entry.formula, options=options, own=entry.settings)


class _Models(dict[str, "Rule | Embedded | Hybrid"]):
    """Models by name; an unknown one is answered with near matches."""

    def __missing__(self, name: str) -> Any:
        raise UnknownNameError(f"There is no model of transitions {name!r}.", did_you_mean(name, self))


DYNAMICS: Mapping[str, Rule | Embedded | Hybrid] = _Models(
    {
        "smoothing": Rule(uniform, "1 / S"),
        "back-off": Rule(back_off, "P(s'|s)"),
        "neighbours": Rule(neighbours, "neighbours of s that no other action explains"),
        "inverse-rule": Rule(
            inverse_rule, "where b led from s' to s, the action that undoes b leads from s to s'"
        ),
        "deepwalk": Embedded(
            ActionSkipGram,
            "v M_a u, with walks",
            walk_contexts,
            options=_SKIPGRAM,
            context_options=("walks", "length", "window"),
        ),
        "node2vec": Embedded(
            ActionSkipGram,
            "v M_a u, with biased walks",
            partial(walk_contexts, p=4.0, q=0.5),
            options=_SKIPGRAM,
            context_options=("p", "q", "walks", "length", "window"),
        ),
        "line-1": Embedded(ActionSkipGram, "v M_a v", settings={"order": 1}, options=_SKIPGRAM),
        "line-2": Embedded(ActionSkipGram, "v M_a u", options=_SKIPGRAM),
        "struc2vec": Embedded(
            ActionSkipGram,
            "v M_a u, with roles",
            role_contexts,
            options=_SKIPGRAM,
            context_options=("depth",),
        ),
        "transe": _triplets("transe"),
        "rotate": _triplets("rotate", dim=64, l2=0.03),
        "quate": _triplets("quate", l2=0.1),
        "dihedral": _triplets("dihedral"),
        "complex": _triplets("complex", l2=0.1),
        "hybrid": Hybrid(),
    }
)
"""Models of transitions by name."""


def check_options(given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuse an option that a model does not have."""
    for name in given:
        if name not in known:
            cure = did_you_mean(name, known) if known else "It takes no options."
            raise InputError(f"There is no option {name!r}.", cure)
