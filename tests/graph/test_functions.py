"""Products under autocast and inside a compiled function: the same numbers, no crash."""

from __future__ import annotations

import pytest
import torch

from allpass.graph import Operator, matrix
from allpass.graph.functions import autocasts, is_plain
from allpass.models import create

EDGES = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])


@pytest.mark.parametrize("name", ["A", "A_hat_rw", "L_hat_sym"])
def test_autocast_ends_at_a_sparse_product(name: str) -> None:
    op = matrix(Operator.from_edge_index(EDGES), name)
    x = torch.randn(4, 3)
    with torch.autocast("cpu", torch.bfloat16):
        assert autocasts("cpu")
        found = op @ x.bfloat16()
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, op @ x.bfloat16().float())
    assert not autocasts("meta")


@pytest.mark.parametrize("name", ["gcn", "acm-gcn", "gat", "krylov", "sgc-2", "h2gcn"])
def test_models_run_under_autocast_and_learn_there(name: str) -> None:
    torch.manual_seed(0)
    model, x = create(name, in_channels=3, out_channels=2).eval(), torch.randn(4, 3)
    with torch.autocast("cpu", torch.bfloat16):
        out = model(x, EDGES)
    torch.testing.assert_close(out.float(), model(x, EDGES), rtol=0.1, atol=0.1)
    out.float().sum().backward()
    assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["gcn", "acm-gcn", "gat"])
def test_a_compiler_leaves_products_as_they_are(name: str) -> None:
    torch.manual_seed(0)
    model, x = create(name, in_channels=3, out_channels=2).eval(), torch.randn(4, 3)
    A = Operator.from_edge_index(EDGES)
    compiled = torch.compile(model, backend="eager")
    torch.testing.assert_close(compiled(x, A), model(x, A))


def test_plain_is_what_nobody_differentiates_batches_or_traces() -> None:
    x = torch.ones(2)
    assert is_plain(x)
    assert not is_plain(x, torch.ones(2, requires_grad=True))
    with torch.no_grad():
        assert is_plain(torch.ones(2, requires_grad=True))
    torch.func.vmap(lambda row: torch.ones(()) if is_plain(row) else row.sum())(torch.ones(2, 2))
