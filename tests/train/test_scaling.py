"""Features on one scale, dense and sparse, and new features on the same."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from sklearn.preprocessing import StandardScaler

from allpass.errors import InputError, UnknownNameError
from allpass.train.scaling import SCALINGS, Scaler


def words(rows: int = 30, columns: int = 50) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    x = (torch.rand(rows, columns, generator=generator) < 0.05).float()
    x[3] = 0
    return x


def test_rows_sum_to_one_or_stay_empty() -> None:
    scaled = Scaler.of(words(), "rows")(words())
    sums = scaled.sum(1)
    assert float(scaled[3].abs().sum()) == 0
    torch.testing.assert_close(sums[words().sum(1) > 0], torch.ones(int((words().sum(1) > 0).sum())))


@pytest.mark.parametrize("form", ["to_sparse_csr", "to_sparse_coo"])
def test_sparse_rows_are_the_dense_ones_and_stay_sparse(form: str) -> None:
    sparse = getattr(words(), form)()
    scaled = Scaler.of(sparse, "rows")(sparse)
    assert scaled.layout == torch.sparse_csr
    torch.testing.assert_close(scaled.to_dense(), Scaler.of(words(), "rows")(words()))


def test_columns_are_those_of_scikit_learn_for_old_and_new_nodes() -> None:
    rng = np.random.default_rng(0)
    x, new = rng.normal(3, 5, (40, 6)), rng.normal(0, 1, (7, 6))
    x[:, 2] = 0.1  # constant
    theirs = StandardScaler().fit(x)
    ours = Scaler.of(torch.from_numpy(x), "columns")
    for part in (x, new):
        np.testing.assert_allclose(ours(torch.from_numpy(part)).numpy(), theirs.transform(part), atol=1e-12)


def test_auto_tells_words_from_measurements() -> None:
    assert Scaler.of(words(), "auto").kind == "rows"
    assert Scaler.of(words().to_sparse_csr(), "auto").kind == "rows"
    assert Scaler.of(words() - 1, "auto").kind == "columns"
    assert Scaler.of(torch.rand(10, 4), "auto").kind == "columns"
    ages = torch.cat([words(), 30 + torch.arange(30.0)[:, None]], dim=1)
    for form in (ages, ages.to_sparse_csr(), ages * torch.tensor([1.0] * 50 + [-1.0])):
        assert Scaler.of(form, "auto").kind == "mixed"


def test_words_stay_beside_columns_that_are_scaled() -> None:
    ages = 30 + torch.arange(30.0)[:, None]
    x = torch.cat([words(), ages, torch.full((30, 1), 7.0)], dim=1)
    for form in (x, x.to_sparse_csr()):
        scaler = Scaler.of(form, "mixed")
        assert Scaler.from_dict(json.loads(json.dumps(scaler.to_dict()))) == scaler
        found = scaler(form)
        assert found[:, :50].equal(words())
        np.testing.assert_allclose(found[:, 50:51], StandardScaler().fit_transform(ages.numpy()), atol=1e-6)
        assert not found[:, 51].any()


def test_times_one_second_apart_stay_apart() -> None:
    x = 1_714_557_600 + torch.arange(1000.0, dtype=torch.float64)[:, None]
    scaled = Scaler.of(x, "columns")(x).float()
    assert len(scaled.unique()) == 1000


def test_nothing_is_nothing() -> None:
    assert Scaler.of(words(), "none")(words()).equal(words())


@pytest.mark.parametrize("how", sorted(set(SCALINGS) - {"auto"}))
def test_it_goes_through_a_file(how: str) -> None:
    scaler = Scaler.of(torch.rand(10, 4), how)
    assert Scaler.from_dict(json.loads(json.dumps(scaler.to_dict()))) == scaler


def test_wrong_input() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'rows'"):
        Scaler.of(words(), "row")
    with pytest.raises(InputError, match=r"Got 3 features. Expected 4"):
        Scaler.of(torch.rand(10, 4), "columns")(torch.rand(2, 3))
