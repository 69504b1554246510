"""Every registered model that is fitted in one call keeps every contract, and broken ones are caught."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
import torch
from torch import Tensor

from allpass.models import MODELS
from allpass.models.direct import Direct, Examples
from allpass.testing import DIRECT_CONTRACTS, DirectSubject, direct_subject

REGISTERED = [entry for entry in MODELS if not entry.is_network]


@pytest.mark.parametrize("contract", DIRECT_CONTRACTS, ids=lambda contract: contract.__name__)
@pytest.mark.parametrize("entry", REGISTERED, ids=lambda entry: entry.name)
def test_it_keeps_the_contract(entry, contract: Callable[[DirectSubject], None]) -> None:
    contract(direct_subject(entry))


def test_what_is_no_network_is_fitted_in_one_call() -> None:
    for entry in REGISTERED:
        assert isinstance(direct_subject(entry).build(5, 3, 13), Direct)


class Means(Direct):
    """Predicts the share of each class among the nodes that a mask names; sound unless it is broken on purpose."""

    def __init__(self, outputs: int, broken: str) -> None:
        self.outputs, self.broken = outputs, broken
        self.shares = torch.zeros(outputs)

    def fit(self, examples: Examples, on_step: Callable[[int], None] | None = None) -> Tensor:
        if on_step is not None:
            try:
                on_step(0)
            except Exception:
                if self.broken != "swallows":
                    raise
        seen = ~examples.val if self.broken == "peeks" else examples.train
        y = examples.target[seen]
        if y.is_floating_point():
            self.shares = y.reshape(len(y), -1).nanmean(0)
        else:
            self.shares = torch.bincount(y.clamp(min=0), minlength=self.outputs) / len(y)
        if self.broken == "random":
            self.shares = self.shares + torch.rand(self.outputs)
        return self(examples.x, examples.graph)

    def __call__(self, x, edge_index, *, labels=None, mask=None) -> Tensor:
        scale = torch.arange(edge_index.shape[0]).unsqueeze(1) / 100 if self.broken == "order" else 0
        return self.shares.expand(edge_index.shape[0], -1) + scale

    def state_dict(self) -> dict[str, Tensor]:
        return {} if self.broken == "forgets" else {"shares": self.shares}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        if self.broken != "forgets":
            self.shares = state.get("shares", self.shares) if self.broken == "lax" else state["shares"]


@pytest.mark.parametrize(
    ("broken", "contract"),
    [
        ("random", "repeats_itself"),
        ("forgets", "comes_back_from_its_state"),
        ("lax", "comes_back_from_its_state"),
        ("order", "is_equivariant"),
        ("peeks", "reads_training_labels_alone"),
        ("swallows", "stops_when_it_is_told"),
        ("", "learns"),
    ],
)
def test_a_broken_model_is_caught(broken: str, contract: str) -> None:
    subject = DirectSubject("means", lambda i, o, nodes: Means(o, broken))
    promised = next(one for one in DIRECT_CONTRACTS if one.__name__ == contract)
    with pytest.raises(AssertionError, match="means: "):
        promised(subject)


@pytest.mark.parametrize("contract", [one for one in DIRECT_CONTRACTS if one.__name__ != "learns"])
def test_a_sound_model_passes(contract: Callable[[DirectSubject], None]) -> None:
    contract(DirectSubject("means", lambda i, o, nodes: Means(o, "")))
