"""The contracts that every layer and model keeps, for the catalogue's own and for yours.

Example:
    >>> from allpass.nn import GCNConv
    >>> mine = Subject("mine", lambda: GCNConv(FEATURES, CLASSES))
    >>> check(mine)
"""

from allpass.errors import InputError
from allpass.testing.contracts import CONTRACTS, agrees_on_cuda, follows_its_formula
from allpass.testing.direct import DIRECT_CONTRACTS, DirectSubject, direct_examples, direct_subject
from allpass.testing.learning import BAR, accuracy_after_training, learnable_graph
from allpass.testing.subjects import (
    CLASSES,
    FEATURES,
    NODES,
    Example,
    Reference,
    Subject,
    examples,
    layer_subject,
    model_subject,
)

__all__ = [
    "BAR",
    "CLASSES",
    "CONTRACTS",
    "DIRECT_CONTRACTS",
    "FEATURES",
    "NODES",
    "DirectSubject",
    "Example",
    "Reference",
    "Subject",
    "accuracy_after_training",
    "agrees_on_cuda",
    "check",
    "direct_examples",
    "direct_subject",
    "examples",
    "layer_subject",
    "learnable_graph",
    "model_subject",
]


def check(subject: Subject) -> None:
    """Hold a layer or model to every contract; without a reference the formula is left out.

    Raises:
        AssertionError: The first contract that is broken, in words, and how.
    """
    if not isinstance(subject, Subject):
        raise InputError(
            f"Got a {type(subject).__name__} to check.",
            "Expected a Subject: Subject('mine', lambda: Mine(FEATURES, CLASSES)).",
        )
    for contract in CONTRACTS:
        if contract is follows_its_formula and subject.reference is None:
            continue
        try:
            contract(subject)
        except Exception as error:
            said = str(error).removeprefix(f"{subject}: ")
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            promise = contract.__name__.replace("_", " ")
            raise AssertionError(f"{subject}: {promise}: {kind}{said}") from error
