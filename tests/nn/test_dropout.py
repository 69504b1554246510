"""Masks that look random, follow from key, step and element alone, and are the same wherever they are made."""

from __future__ import annotations

import copy
import math

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from allpass.errors import InputError
from allpass.models import create
from allpass.nn import Dropout, seed_dropout, set_dropout
from allpass.nn.dropout import hashed, rate_buffers, spread_indices

SIZE = (400, 250)
N = SIZE[0] * SIZE[1]


def layer(p: float, seed: int = 0) -> Dropout:
    drop = Dropout(p)
    seed_dropout(drop, seed)
    return drop


def mask(drop: Dropout, shape: tuple[int, ...] = SIZE) -> Tensor:
    """1 where an element is kept."""
    return (drop(torch.ones(shape)) != 0).double()


def correlation(a: Tensor, b: Tensor) -> float:
    """Times the root of the number of pairs: a standard normal number when the two are independent."""
    a, b = a.flatten() - a.mean(), b.flatten() - b.mean()
    return float((a * b).mean() / (a.std() * b.std()) * a.numel() ** 0.5)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("p", [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_the_share_of_zeros_is_binomial(p, seed):
    drop = layer(p, seed)
    dropped = N - float(mask(drop).sum())
    assert abs(dropped - p * N) < 4.5 * (N * p * (1 - p)) ** 0.5


def test_shares_of_rows_and_columns_are_binomial_too():
    kept = mask(layer(0.5))
    for sums, n in ((kept.sum(0), SIZE[0]), (kept.sum(1), SIZE[1])):
        z = (sums - n / 2) / (n / 4) ** 0.5
        assert float(z.abs().max()) < 4.5
        assert 0.8 < float(z.std()) < 1.2


@pytest.mark.parametrize("p", [0.2, 0.5, 0.8])
def test_what_is_kept_is_scaled_so_that_the_mean_stays(p):
    out = layer(p)(torch.ones(SIZE, dtype=torch.float64))
    assert out.unique().tolist() == pytest.approx([0.0, 1 / (1 - p)], rel=1e-9)
    assert float(out.mean()) == pytest.approx(1, abs=4.5 * (p / (1 - p) / N) ** 0.5)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_nothing_is_correlated(p):
    drop, other = layer(p, 0), layer(p, 1)
    first, second, third = mask(drop), mask(drop), mask(drop)
    pairs = {
        "steps": (first, second),
        "steps further apart": (first, third),
        "seeds": (first, mask(other)),
        "neighbours in a row": (first[:, 1:], first[:, :-1]),
        "neighbours in a column": (first[1:], first[:-1]),
        "diagonal neighbours": (first[1:, 1:], first[:-1, :-1]),
        "the two ends": (first, first.flip(0, 1)),
        "a step and its neighbour": (first[:, 1:], second[:, :-1]),
    }
    for name, (a, b) in pairs.items():
        assert abs(correlation(a, b)) < 4.5, name


def test_layers_of_a_model_and_neighbouring_seeds_have_masks_of_their_own():
    masks = []
    for seed in range(4):
        model = nn.ModuleList(Dropout(0.5) for _ in range(4))
        seed_dropout(model, seed)
        masks += [mask(drop) for drop in model]
    for i, a in enumerate(masks):
        for b in masks[:i]:
            assert abs(correlation(a, b)) < 4.5


def hashes(drop: Dropout, shape: tuple[int, ...]) -> Tensor:
    """The upper 32 bits, which decide, of the hashes of the next step."""
    drop(torch.ones(shape))
    index = torch.arange(math.prod(shape)) * -7046029254386353131
    return (hashed(index, drop.key) >> 32) % 2**32


@pytest.mark.parametrize("over", ["elements", "steps", "seeds"])
def test_every_byte_of_the_hash_is_uniform(over):
    """Chi-square of 256 counts: mean 255, standard deviation sqrt(510)."""
    if over == "elements":
        words = hashes(layer(0.5), (512, 256))
    elif over == "steps":
        drop = layer(0.5)
        words = torch.cat([hashes(drop, (8, 8)) for _ in range(2048)])
    else:
        words = torch.cat([hashes(layer(0.5, seed), (8, 8)) for seed in range(2048)])
    for byte in range(4):
        counts = torch.bincount((words >> (8 * byte)) & 255, minlength=256).double()
        expected = words.numel() / 256
        statistic = float(((counts - expected) ** 2 / expected).sum())
        assert abs(statistic - 255) < 4.5 * 510**0.5, f"byte {byte}: {statistic}"


@pytest.mark.parametrize("p", [0.03, 0.5, 0.97])
def test_runs_of_kept_elements_have_the_lengths_of_independent_ones(p):
    """The counts of the 256 patterns of eight neighbours, against what independence gives, over many steps."""
    drop = layer(p, 5)
    kept = torch.stack([mask(drop, (4096,)) for _ in range(64)]).reshape(-1, 8)
    pattern = (kept * 2.0 ** torch.arange(8)).sum(1).long()
    ones = torch.tensor([number.bit_count() for number in range(256)])
    expected = (1 - p) ** ones * p ** (8 - ones) * pattern.numel()
    counts = torch.bincount(pattern, minlength=256).double()
    often = expected > 5
    statistic = float(((counts - expected) ** 2 / expected)[often].sum())
    freedom = int(often.sum()) - 1
    assert abs(statistic - freedom) < 4.5 * (2 * freedom) ** 0.5 + 10


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_the_ends_are_exact(dtype):
    x = torch.randn(SIZE).to(dtype)
    assert torch.equal(layer(0)(x), x)
    assert torch.equal(layer(1)(x), torch.zeros_like(x))
    gone = layer(1)(torch.full((2, 2), 1.0, dtype=dtype, requires_grad=True))
    gone.sum().backward()
    assert gone.isfinite().all()


def test_the_gradient_has_the_same_mask():
    x = torch.randn(50, 30, dtype=torch.float64, requires_grad=True)
    out = layer(0.4)(x)
    (gradient,) = torch.autograd.grad(out.sum(), x)
    torch.testing.assert_close(gradient * x, out)
    assert gradient.unique().tolist() == pytest.approx([0.0, 1 / 0.6], rel=1e-9)


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
def test_sparse_features_have_the_masks_of_dense_ones(layout):
    x = torch.randn(40, 30).relu()
    drop, same = layer(0.5), layer(0.5)
    for _ in range(3):
        assert torch.equal(drop(x.to_sparse(layout=layout)).to_dense(), same(x))


def by_hand(drop: Dropout, index: int) -> bool:
    """Whether an element is kept at the layer's step, in whole numbers of Python."""

    def signed(word: int) -> int:
        word %= 2**64
        return word - 2**64 * (word >= 2**63)

    word = signed(index * 0x9E3779B97F4A7C15 + drop.key.item())
    word = signed((word ^ word >> 32) * 0xBF58476D1CE4E5B9)
    return word >= drop.threshold.item()


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_masks_by_hand(p):
    drop = layer(p, 7)
    for _ in range(2):
        kept = mask(drop, (9, 11)).flatten().tolist()
        assert kept == [float(by_hand(drop, index)) for index in range(99)]


def test_a_matrix_of_more_elements_than_32_bits_count():
    width = 2**31 - 1
    places = torch.randint(0, 1000, (2, 50), generator=torch.Generator().manual_seed(0))
    places[1] += width - 1000
    x = torch.sparse_coo_tensor(places, torch.ones(50), (1000, width)).coalesce()
    drop = layer(0.5)
    kept = (drop(x).values != 0).tolist()
    assert kept == [by_hand(drop, row * width + column) for row, column in x.indices().T.tolist()]


def test_the_shape_does_not_matter_only_the_index():
    x = torch.ones(24)
    flat = layer(0.5)(x)
    for shape in ((4, 6), (2, 3, 4), (24, 1), (1, 24)):
        assert torch.equal(layer(0.5)(x.reshape(shape)).flatten(), flat)
    assert layer(0.5)(torch.tensor(1.0)).shape == ()
    assert layer(0.5)(torch.ones(3, 0)).shape == (3, 0)
    assert layer(0.5)(torch.ones(0, 3)).shape == (0, 3)


def stacked(rates: list[float], *, seeds: list[int] | None = None) -> tuple[list[Dropout], dict[str, Tensor]]:
    layers = [layer(p, seed) for p, seed in zip(rates, seeds or range(len(rates)), strict=True)]
    _, buffers = stack_module_state(layers)
    return layers, buffers


@pytest.mark.parametrize("replicas", [1, 2, 5])
def test_masks_are_the_same_for_any_number_of_replicas_and_any_rates(replicas):
    rates = [0.0, 0.3, 0.5, 0.9, 1.0][:replicas]
    layers, buffers = stacked(rates)
    frame, x = copy.deepcopy(layers[0]).to("meta"), torch.randn(20, 10)
    run = vmap(lambda state: functional_call(frame, state, (x,)))
    for _ in range(3):  # the keys advance in the stacked buffers
        together = run(buffers)
        for number, alone in enumerate(layers):
            assert torch.equal(together[number], alone(x))
    assert buffers["key"].tolist() == [drop.key.item() for drop in layers]


def test_replicas_have_signals_of_their_own_and_sparse_ones_too():
    layers, buffers = stacked([0.2, 0.6])
    x = torch.randn(2, 20, 10)
    together = vmap(lambda state, part: functional_call(layers[0], state, (part,)))(buffers, x)
    again, _ = stacked([0.2, 0.6])
    assert torch.equal(together, torch.stack([drop(part) for drop, part in zip(again, x, strict=True)]))
    sparse = x[0].relu().to_sparse_csr()
    _, buffers = stacked([0.2, 0.6])
    together = vmap(lambda state: functional_call(layers[0], state, (sparse,)).values)(buffers)
    again, _ = stacked([0.2, 0.6])
    assert torch.equal(together, torch.stack([drop(sparse).values for drop in again]))


def test_replicas_are_not_correlated():
    _, buffers = stacked([0.5] * 4)
    frame = Dropout(0.5)
    kept = vmap(lambda state: functional_call(frame, state, (torch.ones(SIZE),)))(buffers) != 0
    for i in range(4):
        for j in range(i):
            assert abs(correlation(kept[i].double(), kept[j].double())) < 4.5


@pytest.mark.parametrize("convert", ["half", "bfloat16", "float", "double"])
def test_no_change_of_precision_touches_rate_or_masks(convert):
    x = torch.randn(30, 20)
    wanted = mask(layer(0.3), (30, 20))
    drop = getattr(layer(0.3), convert)()
    assert drop.threshold.dtype == drop.key.dtype == torch.int64
    dtype = {"half": torch.float16, "bfloat16": torch.bfloat16, "double": torch.float64}.get(convert, x.dtype)
    out = drop(x.to(dtype))
    assert out.dtype == dtype
    assert torch.equal((out != 0).double(), wanted * (x.to(dtype) != 0))
    torch.testing.assert_close(out.float(), x.to(dtype).float() * wanted.float() / 0.7, rtol=1e-2, atol=1e-3)
    assert drop.threshold.item() == rate_buffers(0.3)[0].item()


def test_seeds():
    model = nn.Sequential(Dropout(0.5), nn.Linear(5, 5), Dropout(0.5))
    seed_dropout(model, 3)
    first = [drop(torch.ones(9, 9)) for drop in (model[0], model[2])]
    assert not torch.equal(*first)
    model[0](torch.ones(2, 2))
    seed_dropout(model, 3)
    assert torch.equal(model[0](torch.ones(9, 9)), first[0])
    torch.manual_seed(0)  # other random numbers do not matter
    torch.rand(10)
    assert torch.equal(model[2](torch.ones(9, 9)), first[1])
    seed_dropout(model, 4)
    assert not torch.equal(model[0](torch.ones(9, 9)), first[0])
    seed_dropout(model, -1)
    seed_dropout(model, 2**40)


def test_a_new_layer_follows_torchs_seed():
    drawn = []
    for _ in range(2):
        torch.manual_seed(5)
        drawn.append(Dropout(0.5)(torch.ones(9, 9)))
    assert torch.equal(*drawn)


def test_rates_can_be_set():
    model = nn.Sequential(Dropout(0.5), nn.Sequential(Dropout(0.1)))
    set_dropout(model, 0.25)
    assert str(model[0]) == str(model[1][0]) == "Dropout(p=0.25)"
    assert str(model[0].to("meta")) == "Dropout(p per replica)"
    set_dropout(model[1], 0)
    assert torch.equal(model[1](torch.ones(4, 4)), torch.ones(4, 4))


def test_evaluation_leaves_features_and_key_alone():
    drop, x = layer(0.5).eval(), torch.randn(4, 4)
    before = drop.key.item()
    assert drop(x) is x
    assert drop.key.item() == before
    drop.train()(x)
    assert drop.key.item() != before


def test_the_key_advances_in_place_and_does_not_come_back_soon():
    drop = layer(0.5)
    key, seen = drop.key, set()
    for _ in range(1000):
        drop(torch.ones(1))
        seen.add(key.item())
    assert drop.key is key
    assert len(seen) == 1000


def test_nothing_is_saved_with_the_weights():
    assert not Dropout(0.5).state_dict()
    names = create("gcn", in_channels=3, out_channels=2).state_dict()
    assert not any("dropout" in name for name in names)


def test_a_copy_goes_on_alike():
    drop = layer(0.5)
    drop(torch.ones(3, 3))
    other = copy.deepcopy(drop)
    assert torch.equal(drop(torch.ones(9, 9)), other(torch.ones(9, 9)))


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_rates_that_are_no_probability(p):
    with pytest.raises(InputError, match="Got the dropout rate"):
        Dropout(p)
    with pytest.raises(InputError, match="Got the dropout rate"):
        set_dropout(Dropout(0.5), p)


@pytest.mark.gpu
def test_a_cuda_graph_replays_new_masks():
    """No number travels from the host, so the captured step advances and every replay drops other elements."""
    drop, x = layer(0.5).cuda(), torch.ones(64, 32, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        drop(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = drop(x)
    seed_dropout(drop, 0)
    plain = layer(0.5)
    for _ in range(3):
        graph.replay()
        assert torch.equal(out.cpu(), plain(x.cpu()))  # the masks of a CPU, step by step


@pytest.mark.gpu
def test_cuda_has_the_masks_of_a_cpu():
    for p in (0.0, 0.3, 1.0):
        x = torch.randn(100, 50)
        here, there = layer(p), layer(p).cuda()
        torch.testing.assert_close(there(x.cuda()).cpu(), here(x))
        torch.testing.assert_close(there(x.relu().to_sparse_csr().cuda()).to_dense().cpu(), here(x.relu()))


@pytest.mark.parametrize("count", [1, 65_536, 65_537, 200_001])
def test_parts_give_the_masks_of_the_whole(count: int) -> None:
    layer = Dropout(0.3)
    seed_dropout(layer, 3)
    dropped = layer(torch.ones(count, 1)).flatten()
    assert torch.equal(dropped != 0, layer.kept(count))
    whole = layer._factors(spread_indices(count, torch.device("cpu")), torch.float32)
    assert torch.equal(dropped, whole)
