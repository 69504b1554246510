"""The standard form, and streams that do not disturb each other."""

from __future__ import annotations

import numpy as np
import pytest
from torch_geometric.data import Data

from allpass.data.generators.form import class_labels, finish, streams
from allpass.errors import InputError

EDGES = np.array([[0, 1, 2], [1, 0, 0]])
LABELS = np.array([0, 0, 1])


def test_finish_gives_the_standard_form(check_form):
    base = Data(name="cora")
    data = finish(
        "toy", EDGES, LABELS, np.zeros((3, 2), dtype=np.float32), recipe={"seed": 3, "features": base}
    )
    check_form(data)
    assert data.name == "toy"
    assert next(iter(data.account)).what == "3 nodes and 3 edges drawn by toy(seed=3, features=cora)."


def test_a_missed_homophily_is_noted():
    assert "homophily-rounded" not in finish("toy", EDGES, LABELS, None, recipe={}, homophily=2 / 3).account
    notes = [note.what for note in finish("toy", EDGES, LABELS, None, recipe={}, homophily=0.7).account]
    assert notes[1] == "Asked for edge homophily 0.7; whole numbers of edges give 0.6667."


def test_streams_are_reproducible_and_different():
    (one, other), (again, _) = streams(5), streams(5)
    first = one.random(4)
    np.testing.assert_array_equal(first, again.random(4))
    assert not np.array_equal(first, other.random(4))
    with pytest.raises(InputError, match="seed=-1"):
        streams(-1)


def test_labels_lie_class_after_class():
    assert class_labels(np.array([2, 0, 1])).tolist() == [0, 0, 2]
