"""What every model promises that is fitted in one call; each contract raises AssertionError when it is broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from allpass.errors import AllpassError
from allpass.graph.operator import Operator
from allpass.models.direct import Direct, Examples
from allpass.models.entry import Model
from allpass.nn.traits import Trait
from allpass.testing.learning import BAR, learnable_graph
from allpass.train.network import unfitted

CLASSES = 3
NEAR = 1e-4


@dataclass(frozen=True)
class DirectSubject:
    """A model under test that is fitted in one call.

    Args:
        name: What failures are reported for.
        build: ``build(in_channels, out_channels, num_nodes)`` gives a new model, ready for ``fit``.
        traits: What it is unlike the others in.
        reads_labels: Whether it is called with the labels of the training nodes.
    """

    name: str
    build: Callable[[int, int, int], Direct]
    traits: frozenset[Trait] = frozenset()
    reads_labels: bool = False

    def __str__(self) -> str:
        return self.name

    def model(self, examples: Examples) -> Direct:
        """A new model for these examples."""
        y = examples.target
        outputs = CLASSES if not y.is_floating_point() else 1 if y.dim() == 1 else y.shape[1]
        return self.build(examples.x.shape[1], outputs, examples.graph.shape[0])

    def fitted(self, examples: Examples) -> tuple[Direct, Tensor]:
        """A model fitted on these examples, and its outputs."""
        model = self.model(examples)
        return model, model.fit(examples)

    def __call__(self, model: Direct, examples: Examples) -> Tensor:
        """The model called on the examples, with the labels of the training nodes if it reads them."""
        known = {"labels": examples.target, "mask": examples.train} if self.reads_labels else {}
        return model(examples.x, examples.graph, **known)


def direct_subject(entry: Model) -> DirectSubject:
    """A direct model of the catalogue as a subject."""
    return DirectSubject(
        entry.name,
        lambda i, o, nodes: unfitted(entry.name, {}, in_channels=i, out_channels=o, num_nodes=nodes),
        entry.traits,
        entry.reads_labels(entry.settings),
    )


def direct_examples(seed: int = 0) -> Examples:
    """A graph with three classes: half of the nodes train, a quarter validates, a quarter has no part."""
    x, A, y, train = learnable_graph()
    val = ~train & (torch.arange(len(y)) % 2 == 0)
    return Examples(x, A, y, train, val, seed=seed)


def repeats_itself(subject: DirectSubject) -> None:
    """The same seed gives the same numbers to the last bit."""
    first, second = (subject.fitted(direct_examples(seed=3))[1] for _ in range(2))
    assert torch.equal(first, second), f"{subject}: same seed, other bits"


def gives_what_it_gave(subject: DirectSubject) -> None:
    """Called again on the examples it gives what ``fit`` gave."""
    examples = direct_examples()
    model, outputs = subject.fitted(examples)
    assert outputs.shape == (len(examples.target), CLASSES), f"{subject}: outputs {list(outputs.shape)}"
    assert torch.equal(subject(model, examples), outputs), f"{subject}: other outputs than those of fit"


def comes_back_from_its_state(subject: DirectSubject) -> None:
    """Another model with the same state gives the same, and one with a part missing is refused."""
    for examples in (direct_examples(), _numbers(direct_examples(), 1), _numbers(direct_examples(), 2)):
        model, outputs = subject.fitted(examples)
        state, other = model.state_dict(), subject.model(examples)
        assert all(isinstance(value, Tensor) for value in state.values()), (
            f"{subject}: state of tensors alone"
        )
        other.load_state_dict(state)
        assert torch.equal(subject(other, examples), outputs), f"{subject}: other outputs from its state"
        for name in state:
            part = {key: value for key, value in state.items() if key != name}
            try:
                subject.model(examples).load_state_dict(part)
            except (AllpassError, LookupError, RuntimeError, ValueError):
                continue
            raise AssertionError(f"{subject}: takes a state without {name!r}")


def is_equivariant(subject: DirectSubject) -> None:
    """Once fitted, another order of the nodes gives the same rows in that order, where no label is known."""
    if "fixed-nodes" in subject.traits:
        return
    examples = direct_examples()
    model, outputs = subject.fitted(examples)
    order = torch.randperm(len(examples.target), generator=torch.Generator().manual_seed(0))
    place = order.argsort()
    moved = replace(
        examples,
        x=examples.x[order],  # type: ignore[index]
        graph=Operator.from_edge_index(place[examples.graph.edge_index], num_nodes=len(order)),
        target=examples.target[order],
        train=examples.train[order],
    )
    found = subject(model, moved)[place]
    away = (found - outputs)[~examples.train].abs().max()
    assert away <= NEAR, f"{subject}: another order of the nodes: off by {away:.1e}"


def reads_training_labels_alone(subject: DirectSubject) -> None:
    """Labels outside the mask change nothing; those of the training nodes do, where it reads them."""
    examples = direct_examples()
    model, outputs = subject.fitted(examples)
    hidden = replace(examples, target=torch.where(examples.train, examples.target, -1))
    assert torch.equal(subject(model, hidden), outputs), f"{subject}: labels outside the mask were read"
    seen = examples.train | examples.val
    other = replace(examples, target=torch.where(seen, examples.target, examples.target.flip(0)))
    assert torch.equal(subject.fitted(other)[1], outputs), f"{subject}: labels of test nodes were read"
    if subject.reads_labels:
        changed = replace(examples, target=(examples.target + 1) % CLASSES)
        assert not torch.equal(subject(model, changed), outputs), f"{subject}: the labels change nothing"


def takes_nodes_without_labels(subject: DirectSubject) -> None:
    """Nodes without a label, no validation nodes, a class that no training node has, and few training nodes."""
    examples = direct_examples()
    seen = examples.train | examples.val
    few = examples.train & (examples.train.cumsum(0) <= 4)
    for name, case in {
        "unlabelled nodes": replace(examples, target=torch.where(seen, examples.target, -1)),
        "no validation nodes": replace(examples, val=torch.zeros_like(examples.val)),
        "a class out of sight": replace(examples, train=examples.train & (examples.target < 2)),
        "four training nodes": replace(examples, train=few),
    }.items():
        outputs = subject.fitted(case)[1]
        assert outputs.isfinite().all(), f"{subject}: {name}: outputs are not finite"
        assert outputs.shape == (len(seen), CLASSES), f"{subject}: {name}: outputs {list(outputs.shape)}"


def takes_numbers(subject: DirectSubject) -> None:
    """Numbers to regress, one or several for each node, with NaN where there is none."""
    for targets in (1, 2):
        examples = _numbers(direct_examples(), targets)
        outputs = subject.fitted(examples)[1]
        assert outputs.shape == (len(examples.train), targets), f"{subject}: outputs {list(outputs.shape)}"
        assert outputs.isfinite().all(), f"{subject}: outputs for numbers are not finite"


def stops_when_it_is_told(subject: DirectSubject) -> None:
    """What ``on_step`` raises comes out of ``fit``; a model without steps never calls it."""

    class StoppedError(Exception):
        pass

    calls = []

    def on_step(number: int) -> None:
        calls.append(number)
        raise StoppedError

    examples = direct_examples()
    try:
        subject.model(examples).fit(examples, on_step)
    except StoppedError:
        return
    assert not calls, f"{subject}: swallows what on_step raises"


def learns(subject: DirectSubject) -> None:
    """It solves a graph that features and structure both give away."""
    examples = direct_examples()
    outputs = subject.fitted(examples)[1]
    right = (outputs.argmax(1) == examples.target)[~examples.train & ~examples.val].float().mean()
    bar = BAR - 0.1 * bool(
        {"ignores-graph", "ignores-features"} & subject.traits
    )  # half of what there is to see
    assert right >= bar, f"{subject}: {right:.2f} of the nodes are right"


DIRECT_CONTRACTS: tuple[Callable[[DirectSubject], None], ...] = (
    repeats_itself,
    gives_what_it_gave,
    comes_back_from_its_state,
    is_equivariant,
    reads_training_labels_alone,
    takes_nodes_without_labels,
    takes_numbers,
    stops_when_it_is_told,
    learns,
)
"""What holds for every model that is fitted in one call."""


def _numbers(examples: Examples, targets: int) -> Examples:
    """The same graph with numbers that follow from the features and the class; NaN at nodes without a part."""
    y = examples.x.to_dense()[:, :targets] + examples.target.unsqueeze(1)
    y = torch.where((examples.train | examples.val).unsqueeze(1), y, torch.nan)
    return replace(examples, target=y.squeeze(1) if targets == 1 else y)
