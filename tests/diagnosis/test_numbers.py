"""Labels that are numbers: smooth ones, random ones, alternating ones, and the edge cases."""

import json
import math

import numpy as np
import pytest
import torch
from scipy.spatial import cKDTree
from torch_geometric.data import Data

from allpass.diagnosis import diagnose
from allpass.diagnosis.numbers import POINTS, find_numbers
from allpass.metrics import neighbour_correlation, prepare


def houses(count: int = 400, kind: str = "smooth", seed: int = 0) -> Data:
    """Houses at random places, joined to the six nearest, with prices smooth in space or not."""
    rng = np.random.default_rng(seed)
    place = rng.random((count, 2))
    near = cKDTree(place).query(place, k=7)[1][:, 1:]
    price = 1e5 * np.sin(4 * place[:, 0]) + 1e5 * place[:, 1] + 3e5
    if kind == "random":
        price = rng.permutation(price)
    ends = np.stack([np.repeat(np.arange(count), 6), near.ravel()])
    data = Data(edge_index=torch.from_numpy(ends), num_nodes=count, y=torch.from_numpy(price).float())
    data.x = torch.from_numpy(rng.standard_normal((count, 3))).float()
    return data


def found(data: Data):
    report = diagnose(data, task="regression", verdict=False)
    json.dumps(report.to_dict(), allow_nan=False)
    return report


def finding(report, part: str):
    (one,) = (f for f in report.findings if part in f.code)
    return one


def test_smooth_prices_are_similar_and_low():
    report = found(houses())
    similar = finding(report, "numbers")
    assert (similar.code, similar.kind) == ("similar-numbers", "good")
    assert similar.title == (
        f"Neighbours have similar values: Moran's I = {report.numbers.moran.value:.2f}, 0 expected by chance."
    )
    assert report.numbers.moran.value > 0.9
    assert report.numbers.moran.z > 20
    assert finding(report, "labels-").code == "labels-low"
    assert report.frequencies.bands["low"] > 0.8


def test_random_prices_are_unrelated():
    report = found(houses(kind="random"))
    assert finding(report, "numbers").code == "unrelated-numbers"
    assert abs(report.numbers.moran.z) < 3
    for band, share in report.frequencies.bands.items():
        assert share == pytest.approx(report.frequencies.random_bands[band], abs=0.1)


def test_alternating_numbers_are_opposite_and_high():
    sides = torch.cartesian_prod(
        torch.arange(30), torch.arange(30, 60)
    ).T  # each joined to all of the other side
    data = Data(edge_index=sides, num_nodes=60, y=(torch.arange(60) < 30).float() * 10 + torch.rand(60) * 0.1)
    report = found(data)
    assert finding(report, "numbers").code == "opposite-numbers"
    assert finding(report, "labels-").code == "labels-high"
    assert report.numbers.moran.value < -0.9
    assert report.numbers.correlation < -0.99


def test_unlabelled_nodes_are_left_out():
    data = houses()
    whole = found(data)
    data.y[::3] = math.nan
    report = found(data)
    assert report.facts.labelled == int((~data.y.isnan()).sum())
    assert report.numbers.moran.nodes == report.facts.labelled
    assert report.numbers.moran.value == pytest.approx(whole.numbers.moran.value, abs=0.03)
    known = data.y[~data.y.isnan()]
    assert report.facts.numbers.minimum == known.min()
    assert report.facts.numbers.median == pytest.approx(float(np.median(known.numpy())))
    assert report.facts.numbers.maximum == known.max()
    assert report.facts.classes == 0


def test_points_are_a_sample_of_nodes_and_their_neighbours():
    data = houses(POINTS + 500)
    numbers = find_numbers(prepare(data))
    assert len(numbers.points) == POINTS
    assert f"{POINTS:,} random nodes" in numbers.sample
    assert numbers == find_numbers(prepare(data))
    own, means = np.array(numbers.points).T
    assert set(own) <= set(data.y.double().tolist())
    r = neighbour_correlation(data.edge_index, data.y)
    assert numbers.correlation == r
    assert np.corrcoef(own, means)[0, 1] == pytest.approx(r, abs=0.02)


@pytest.mark.parametrize(
    "y",
    [
        torch.full((5,), math.nan),
        torch.tensor([1.0, math.nan, math.nan, math.nan, math.nan]),
        torch.ones(5),
        torch.tensor([1.0, math.nan, 2.0, math.nan, math.nan]),  # the two known ones do not meet
    ],
)
def test_numbers_that_say_nothing(y):
    data = Data(edge_index=torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]]), num_nodes=5, y=y)
    assert find_numbers(prepare(data)) is None
    report = found(data)
    assert report.numbers is None
    assert all("numbers" not in f.code for f in report.findings)


def test_classes_have_none():
    assert diagnose("karate", verdict=False).numbers is None
