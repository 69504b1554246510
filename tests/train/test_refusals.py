"""What cannot be trained is refused with its place and a cure; what can be is let through."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data.splits import Split
from allpass.errors import InputError
from allpass.train.refusals import check_graph, check_masks, check_precision, check_sample_weight, rate

EDGES = torch.tensor([[0, 1, 2], [1, 2, 0]])
FORMS = {"dense": Tensor.clone, "csr": Tensor.to_sparse_csr, "coo": Tensor.to_sparse_coo}


def graph(**changes: object) -> Data:
    given = {"x": torch.eye(4), "edge_index": EDGES, "num_nodes": 4}
    return Data(**(given | changes))


def mask(*nodes: int, size: int = 4) -> Tensor:
    found = torch.zeros(size, dtype=torch.bool)
    found[list(nodes)] = True
    return found


@pytest.mark.parametrize("form", FORMS)
def test_sound_features_pass(form: str) -> None:
    check_graph(graph(x=FORMS[form](torch.eye(4)), edge_weight=torch.rand(3)))
    check_graph(graph(x=torch.ones(4, 2, dtype=torch.int64)))
    check_graph(graph(x=torch.full((4, 2), torch.finfo(torch.float32).max)))  # its sum is infinite


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_feature_that_is_no_finite_number_is_named(form: str, value: float) -> None:
    x = torch.eye(4)
    x[2, 3] = x[3, 1] = value
    with pytest.raises(InputError, match=f"Feature 3 of node 2 is {value}, the first of 2 that") as refusal:
        check_graph(graph(x=FORMS[form](x)))
    assert "Fill them" in refusal.value.cure


@pytest.mark.parametrize(
    ("x", "got"),
    [
        (torch.ones(4), r"of shape \[4\] for 4 nodes"),
        (torch.ones(3, 2), r"of shape \[3, 2\] for 4 nodes"),
        (torch.ones(4, 2, 2), r"of shape \[4, 2, 2\]"),
    ],
)
def test_features_of_another_shape(x: object, got: str) -> None:
    with pytest.raises(InputError, match=f"Got features x {got}"):
        check_graph(graph(x=x))


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ({"x": np.ones((4, 2))}, r"a ndarray as data\.x"),
        ({"x": torch.ones(4, 2, dtype=torch.complex64)}, r"complex numbers as data\.x"),
        ({"edge_index": [[0], [1]]}, r"a list as data\.edge_index"),
        ({"edge_weight": [1.0, 1.0, 1.0]}, r"a list as data\.edge_weight"),
    ],
)
def test_what_is_no_tensor_of_real_numbers(given: dict[str, object], got: str) -> None:
    with pytest.raises(InputError, match=f"Got {got}"):
        check_graph(graph(**given))


@pytest.mark.parametrize(
    ("weight", "got"),
    [
        ([1.0] * 4, "a list as sample_weight"),
        (np.ones(4), "a ndarray as sample_weight"),
        (torch.ones(3), r"a tensor of shape \[3\] as sample_weight"),
        (torch.ones(4, 2), r"a tensor of shape \[4, 2\]"),
        (torch.tensor([1, 1, -1, 1]), "sample_weight of -1 to 1"),
        (torch.tensor([1, 1, math.nan, 1]), "sample_weight of nan"),
    ],
)
def test_weights_of_nodes(weight: object, got: str) -> None:
    with pytest.raises(InputError, match=f"Got {got}"):
        check_sample_weight(weight, 4)


def test_features_and_edges_that_are_not_there() -> None:
    for missing, word in (("x", "features"), ("edge_index", "edges")):
        with pytest.raises(InputError, match=f"has no {word}"):
            check_graph(graph(**{missing: None}))


def test_what_is_no_graph() -> None:
    with pytest.raises(InputError, match="Got 'texas' in place of a graph"):
        check_graph("texas")  # type: ignore[arg-type]


def test_a_weight_that_is_no_finite_number_is_named() -> None:
    with pytest.raises(InputError, match="The weight of edge 1 is inf"):
        check_graph(graph(edge_weight=torch.tensor([1.0, math.inf, math.nan])))


def test_numbers_that_do_not_fit_into_the_precision() -> None:
    large = torch.full((4, 2), 1e300, dtype=torch.float64)
    check_precision(large, torch.float64)
    with pytest.raises(InputError, match=r"too large for torch\.float32.*dtype=torch\.float64"):
        check_precision(large.float(), torch.float32)


def test_masks_have_a_place_for_every_node() -> None:
    good = mask(0)
    check_masks(Split(good, good, good, "mine"), 4, ["a rule"])
    for place, part in enumerate(("train", "val", "test")):
        for wrong, told in ((mask(0, size=5), r"\[5\] and torch\.bool"), (good.long(), r"torch\.int64")):
            masks = [good] * 3
            masks[place] = wrong
            with pytest.raises(
                InputError, match=rf"The {part} mask of the split 'mine' is of shape .*{told}"
            ):
                check_masks(Split(*masks, "mine"), 4, [])


def test_masks_are_tensors() -> None:
    good = mask(0)
    with pytest.raises(InputError, match="The val mask of the split 'mine' is a list"):
        check_masks(Split(good, [True] * 4, good, "mine"), 4, [])


def test_validation_nodes_are_missed_where_a_rule_looks_at_them() -> None:
    split = Split(mask(0), mask(), mask(), "mine")
    check_masks(split, 4, [])
    with pytest.raises(InputError, match="'mine' has no validation nodes, and a rule looks") as refusal:
        check_masks(split, 4, ["a rule"])
    assert 'stop="training-only"' in refusal.value.cure


def test_rates() -> None:
    assert [rate("lr", value) for value in (0, 0.5, np.float32(2), 1e300)] == [0, 0.5, 2, 1e300]
    for wrong in (-1e-9, math.nan, math.inf, "0.1", None, True, torch.ones(1)):
        with pytest.raises(InputError, match=r"Got weight_decay = .* a finite number of 0 or more"):
            rate("weight_decay", wrong)
