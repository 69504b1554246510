"""Every model against dense references written on their own: forward, gradient, and from either side."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.kge import MODELS, ComplEx, DihEdral, QuatE, RotatE, TransE, TripletModel

E, R, DIM = 7, 3, 8


def quaternion_matrix(r: Tensor) -> Tensor:
    """The 4 x 4 matrix of h -> h (x) r, from the products of the units alone: ij = k, jk = i, ki = j, ii = -1."""
    basis = {(0, n): (n, 1) for n in range(4)} | {(n, 0): (n, 1) for n in range(4)}
    basis |= {(n, n): (0, -1) for n in range(1, 4)}
    for a, b, c in ((1, 2, 3), (2, 3, 1), (3, 1, 2)):
        basis[a, b], basis[b, a] = (c, 1), (c, -1)
    columns = []
    for into in range(4):
        entries = []
        for left in range(4):
            right = next(n for n in range(4) if basis[left, n][0] == into)
            entries.append(basis[left, right][1] * r[right])
        columns.append(torch.stack(entries))
    return torch.stack(columns, 1)


def transe(h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    return -sum(abs(a + b - c) for a, b, c in zip(h, r, t, strict=True))


def rotate(h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    numbers = torch.complex(*h.chunk(2)) * torch.polar(torch.ones_like(r), r) - torch.complex(*t.chunk(2))
    return -(numbers.abs() ** 2).sum().sqrt()


def rotate_moduli(h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    numbers = torch.complex(*h.chunk(2)) * torch.polar(torch.ones_like(r), r) - torch.complex(*t.chunk(2))
    return -numbers.abs().sum()


def complex_product(h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    h, r, t = (torch.complex(*vector.chunk(2)) for vector in (h, r, t))
    return (h * r * t.conj()).sum().real


def quate(h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    total = torch.zeros((), dtype=h.dtype)
    for n in range(DIM // 4):
        one = r.view(4, -1)[:, n]
        total = total + h.view(4, -1)[:, n] @ quaternion_matrix(one / one.norm()) @ t.view(4, -1)[:, n]
    return total


def dihedral(h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    total, K = torch.zeros((), dtype=h.dtype), 4
    for n in range(DIM // 2):
        element = int(r.view(-1, 2 * K)[n].argmax())
        angle = torch.tensor(2 * torch.pi * (element % K) / K, dtype=h.dtype)
        c, s = angle.cos(), angle.sin()
        rows = [[c, -s], [s, c]] if element < K else [[c, s], [s, -c]]
        block = torch.stack([torch.stack(row) for row in rows])
        total = total + h.view(2, -1)[:, n] @ block @ t.view(2, -1)[:, n]
    return total


REFERENCES: dict[str, tuple[Callable[..., TripletModel], Callable[[Tensor, Tensor, Tensor], Tensor]]] = {
    "transe": (TransE, transe),
    "rotate": (RotatE, rotate),
    "rotate, norm 1": (lambda *sizes, **more: RotatE(*sizes, norm=1, **more), rotate_moduli),
    "transe, norm 2": (
        lambda *sizes, **more: TransE(*sizes, norm=2, **more),
        lambda h, r, t: -((h + r - t) ** 2).sum().sqrt(),
    ),
    "quate": (QuatE, quate),
    "dihedral": (DihEdral, dihedral),
    "complex": (ComplEx, complex_product),
}


def test_every_model_has_its_reference() -> None:
    assert {name.split(",")[0] for name in REFERENCES} == set(MODELS.names)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("name", REFERENCES)
def test_scores_and_gradients_equal_the_dense_reference(name: str, inverse: bool) -> None:
    make, reference = REFERENCES[name]
    model = make(E, R, DIM, inverse=inverse, seed=1).double().eval()
    triplets = torch.tensor(list(product(range(E), range(R), range(E))))
    every = model.score_t(torch.tensor(list(product(range(E), range(R))))).reshape(-1)
    expected = torch.stack(
        [reference(model.entities[h], model.relations[r], model.entities[t]) for h, r, t in triplets.tolist()]
    )
    torch.testing.assert_close(model.score_hrt(triplets), expected)
    torch.testing.assert_close(every, expected)
    weights = torch.randn(len(triplets), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    tables = [model.entities] if name == "dihedral" else [model.entities, model.relations]
    wanted = torch.autograd.grad((expected * weights).sum(), tables)
    for scores in (model.score_hrt(triplets), every):
        found = torch.autograd.grad((scores * weights).sum(), tables, retain_graph=True)
        torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", REFERENCES)
def test_heads_have_the_scores_of_their_triplets(name: str) -> None:
    model = REFERENCES[name][0](E, R, DIM, seed=2).double().eval()
    pairs = torch.tensor(list(product(range(R), range(E))))
    triplets = torch.tensor([(h, r, t) for r, t in pairs.tolist() for h in range(E)])
    scores = model.score_h(pairs)
    torch.testing.assert_close(scores.reshape(-1), model.score_hrt(triplets))
    one, other = (
        torch.autograd.grad(found.sin().sum(), model.entities)[0]
        for found in (model.score_h(pairs), model.score_hrt(triplets))
    )
    torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", REFERENCES)
def test_heads_are_tails_of_the_inverse_where_there_is_one(name: str) -> None:
    model = REFERENCES[name][0](E, R, DIM, inverse=True, seed=3).double().eval()
    assert len(model.relations) == 2 * R
    pairs = torch.tensor([[2, 5], [0, 1]])
    back = torch.tensor([[5, 2 + R], [1, R]])
    assert torch.equal(model.score_h(pairs), model.score_t(back))


def test_a_distance_of_zero_has_a_finite_gradient() -> None:
    model = RotatE(2, 1, 4, seed=0)
    with torch.no_grad():
        model.relations.zero_()
        model.entities.fill_(0.5)
    for norm in (1, 2):
        model.norm = norm
        (gradient,) = torch.autograd.grad(model.score_t(torch.tensor([[0, 0]])).sum(), model.entities)
        assert bool(torch.isfinite(gradient).all())


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.name)
def test_one_seed_gives_the_same_bits(entry) -> None:
    one, same, other = (entry.cls(E, R, DIM, seed=seed) for seed in (4, 4, 5))
    assert torch.equal(one.entities, same.entities)
    assert torch.equal(one.relations, same.relations)
    assert not torch.equal(one.entities, other.entities)


@pytest.mark.parametrize("model", [RotatE, ComplEx, DihEdral])
def test_two_numbers_a_block(model: type[TripletModel]) -> None:
    with pytest.raises(InputError, match=rf"dim=7 for {model.__name__}.*multiple of 2, such as 8"):
        model(E, R, 7)


def test_four_numbers_a_quaternion() -> None:
    with pytest.raises(InputError, match=r"dim=6 for QuatE.*multiple of 4, such as 8"):
        QuatE(E, R, 6)


@pytest.mark.parametrize("dim", [0, -2, 2.0, True, "8", 10**9])
def test_a_dimension_is_a_whole_number(dim: object) -> None:
    with pytest.raises(InputError, match="Got dim="):
        TransE(E, R, dim)  # type: ignore[arg-type]


@pytest.mark.parametrize("norm", [3, 0, True, "1"])
def test_a_norm_is_one_or_two(norm: object) -> None:
    with pytest.raises(InputError, match="Expected 1 or 2"):
        TransE(E, R, DIM, norm=norm)  # type: ignore[arg-type]


def test_vectors_are_scaled_where_asked() -> None:
    rows = torch.randn(4, DIM)
    assert TransE(E, R, DIM).constrain(rows) is rows
    lengths = TransE(E, R, DIM, unit=True).constrain(rows).norm(dim=1)
    torch.testing.assert_close(lengths, torch.ones(4))
