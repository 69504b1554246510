"""Networks of polynomial filters: names, groups of parameters, and the step of SGC that the report derives."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import Graph, graphs

from allpass.errors import InputError
from allpass.graph import matrix
from allpass.models import MODELS, create


@given(graph=graphs(min_nodes=1, missing=False), lr=st.floats(0.01, 2.0))
def test_a_step_of_sgc_moves_the_logits_by_similarity_times_error(graph: Graph, lr: float) -> None:
    """Report 3.2: the step is -lr S(Â, X) (Y - Z) with S(Â, X) = Â X (Â X)^T, which is never built."""
    A, N = graph.operator(), graph.num_nodes
    X = torch.randn(N, 4, generator=torch.Generator().manual_seed(N), dtype=torch.float64)
    Z = torch.nn.functional.one_hot(graph.y, 3).double()
    torch.manual_seed(0)
    model = create("sgc-1", in_channels=4, out_channels=3).double()
    before = model(X, A)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    (-(Z * before.log_softmax(dim=1)).sum()).backward()  # -trace(Z^T log softmax(Y'))
    optimizer.step()
    M = matrix(A, "A_hat_rw") @ X
    moved = -lr * M @ (M.T @ (before.softmax(dim=1) - Z))
    torch.testing.assert_close(model(X, A) - before, moved, rtol=1e-10, atol=1e-10)


def test_sgc_of_any_number_of_hops_has_a_name() -> None:
    assert create("sgc-7", in_channels=4, out_channels=3).layers[0].hops == 7
    assert create("sgc", in_channels=4, out_channels=3).layers[0].hops == 2
    assert sum(p.numel() for p in create("sgc-1", in_channels=4, out_channels=3).parameters()) == 12


@pytest.mark.parametrize(
    ("name", "group"), [("appnp", []), ("gprgnn", ["filter.gamma"]), ("bernnet", ["filter.theta"])]
)
def test_the_filter_is_a_group_of_its_own(name: str, group: list[str]) -> None:
    model = create(name, in_channels=4, out_channels=3)
    assert model.parameter_groups() == {"filter": group}
    if group:
        assert MODELS[name].training["weight_decay:filter"] == 0


def test_the_dropout_between_perceptron_and_filter_is_separate() -> None:
    model = create("gprgnn", in_channels=4, out_channels=3, dropout=0.2, filter_dropout=0.7)
    assert str(model.dropout) == "Dropout(p=0.7)"
    assert {str(part) for part in model.encoder.dropouts} == {"Dropout(p=0.2)"}


def test_bad_settings_are_refused() -> None:
    with pytest.raises(InputError, match="alpha = 2"):
        create("appnp", in_channels=4, out_channels=3, alpha=2)
