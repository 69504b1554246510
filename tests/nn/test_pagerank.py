"""APPNP against PyG, its dropout on edges, and the beginnings of GPR as the authors' code has them."""

from __future__ import annotations

import pytest
import torch
import torch_geometric.nn as pyg

from allpass.errors import InputError, UnknownNameError
from allpass.nn import APPNP, GPRFilter, Projected, seed_dropout
from allpass.testing import Subject, examples
from allpass.testing.contracts import batches_under_vmap


@pytest.mark.parametrize(("hops", "alpha"), [(0, 0.1), (1, 0.5), (10, 0.1), (3, 0.0), (3, 1.0)])
@pytest.mark.parametrize("example", examples()[:2], ids=str)
def test_appnp_is_pygs(example, hops: int, alpha: float) -> None:
    given = (example.x, example.edge_index, example.edge_weight)
    torch.testing.assert_close(APPNP(hops, alpha)(*given), pyg.APPNP(hops, alpha)(*given))


def test_dropped_edges_are_others_in_every_step_and_none_at_the_end() -> None:
    example = examples()[0]
    layer, whole = APPNP(2, 0.3, edge_dropout=0.5), APPNP(2, 0.3)
    torch.testing.assert_close(layer.eval()(example.x, example.operator), whole(example.x, example.operator))
    runs = []
    for seed in range(300):
        seed_dropout(layer.train(), seed)
        runs.append(layer(example.x, example.operator))
    mean, spread = torch.stack(runs).mean(0), torch.stack(runs).std(0)
    assert spread.max() > 0.1
    wanted = whole(
        example.x, example.operator
    )  # masks of different steps are independent: so is their product
    assert ((mean - wanted).abs() < 5 * spread / 300**0.5 + 1e-12).all()


def test_dropped_edges_batch() -> None:
    batches_under_vmap(Subject("appnp", lambda: Projected(5, 3, APPNP(3, edge_dropout=0.5))))


def test_edges_of_a_laplacian_cannot_be_dropped() -> None:
    example = examples()[0]
    with pytest.raises(InputError, match="not stored as one matrix"):
        APPNP(2, filter="L_sym", edge_dropout=0.5)(example.x, example.operator)


@pytest.mark.parametrize(
    ("init", "alpha", "wanted"),
    [
        ("ppr", 0.2, [0.2, 0.16, 0.128, 0.512]),
        ("nppr", -0.5, [8 / 15, -4 / 15, 2 / 15, -1 / 15]),
        ("SGC", 0.1, [0.0, 0.0, 0.0, 1.0]),
        ([3.0, -1.0, 0.5, 0.0], 0.1, [3.0, -1.0, 0.5, 0.0]),
    ],
)
def test_gamma_begins_as_asked(init, alpha: float, wanted: list[float]) -> None:
    torch.testing.assert_close(GPRFilter(3, alpha=alpha, init=init).gamma.detach(), torch.tensor(wanted))


def test_random_gamma_has_absolute_sum_one_and_follows_the_seed() -> None:
    torch.manual_seed(0)
    first, other = GPRFilter(10, init="random"), GPRFilter(10, init="random")
    torch.manual_seed(0)
    again = GPRFilter(10, init="random")
    torch.testing.assert_close(first.gamma.abs().sum(), torch.tensor(1.0))
    assert torch.equal(first.gamma, again.gamma)
    assert not torch.equal(first.gamma, other.gamma)


def test_with_its_weights_gpr_is_appnp() -> None:
    example = examples()[1]
    wanted = APPNP(10, 0.1)(example.x, example.operator)
    torch.testing.assert_close(
        GPRFilter(10, alpha=0.1).double()(example.x, example.operator), wanted, rtol=1e-6, atol=1e-6
    )


def test_bad_settings_are_refused() -> None:
    with pytest.raises(InputError, match=r"alpha = 1\.5"):
        APPNP(alpha=1.5)
    with pytest.raises(InputError, match=r"Got 2 weights for 3 hops\. Expected 4"):
        GPRFilter(3, init=[1.0, 2.0])
    with pytest.raises(UnknownNameError, match="Did you mean 'ppr'"):
        GPRFilter(3, init="pprr")
