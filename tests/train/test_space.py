from __future__ import annotations

import numpy as np
import pytest

from allpass.errors import InputError, UnknownNameError
from allpass.models import MODELS, create
from allpass.models.entry import GRID
from allpass.train.space import STEPS, read_space, space_of


def test_the_published_grid():
    space = space_of("acm-gcn")
    assert space == dict(GRID)
    assert np.prod([len(values) for values in space.values()]) == 270


def test_a_number_in_the_name_is_no_choice():
    assert "num_layers" in space_of("snowball")
    assert space_of("snowball-5") == {k: v for k, v in space_of("snowball").items() if k != "num_layers"}


@pytest.mark.parametrize("name", MODELS.names)
def test_every_space_can_be_written(name):
    space = space_of(name)
    words = [f"{setting}={','.join(map(str, values))}" for setting, values in space.items()]
    assert read_space(words, name) == space


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("lr=0.01", (0.01,)),
        (" lr = 0.01 , 1e-3 ", (0.01, 0.001)),
        ("num_layers=2,4", (2, 4)),
        ("bias=true,False", (True, False)),
        ("activation=relu,none", ("relu", "none")),  # a text may be any word
        ("dropout=0:0.9", tuple(step / 10 for step in range(10))),  # as published
        ("num_layers=2:5", (2, 3, 4, 5)),
        ("lr:filter=0.1", (0.1,)),
        ("lr=1", (1,)),
    ],
)
def test_words(word, values):
    ((_, found),) = read_space([word], "gcn").items()
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


def test_a_rate_grows_by_a_factor():
    (values,) = read_space(["lr=0.001:0.1"], "gcn").values()
    assert len(values) == STEPS
    assert (values[0], values[-1]) == (0.001, 0.1)
    np.testing.assert_allclose(np.diff(np.log(values)), np.log(100) / (STEPS - 1), rtol=0.01)


def test_lists_make_a_model():
    (powers,) = read_space(["powers=0+1,0+1+2"], "mixhop").values()
    assert powers == ((0, 1), (0, 1, 2))
    create("mixhop", in_channels=3, out_channels=2, powers=powers[0])
    assert read_space(["channels=low+high"], "acm-gcn") == {"channels": (("low", "high"),)}


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("lr", "Write NAME=VALUE"),
        ("=1", "Write NAME=VALUE"),
        ("lr=", "Write NAME=VALUE"),
        ("lr=fast", "like 0.01"),
        ("weight_decay=none", "like 0.0005"),
        ("lr=0.1,,0.2", "Got lr = ''"),
        ("bias=yes", "like True"),
        ("lr=0.1:0.01", "the lower first"),
        ("lr=0.1:0.1", "the lower first"),
        ("lr=a:b", "two numbers"),
        ("lr=1:2:3", "two numbers"),
        ("dropout=0:nan", "two numbers"),
        ("weight_decay=0:0.1", "Begin above 0"),
        ("num_layers=1.5:3", "whole number"),
    ],
)
def test_what_cannot_be_read_is_refused(word, message):
    with pytest.raises(InputError, match=message):
        read_space([word], "gcn")


def test_nothing_is_a_value_where_it_is_the_default():
    assert read_space(["temperature=none,2"], "acm-gcn") == {"temperature": (None, 2)}


def test_a_typo():
    with pytest.raises(UnknownNameError, match=r"'dropuot' of the model 'gcn'\. Did you mean 'dropout'"):
        read_space(["dropuot=0.5"], "gcn-8")
    with pytest.raises(InputError, match="'lr' twice"):
        read_space(["lr=0.1", "lr=0.2"], "gcn")


def test_networks_may_read_labels():
    assert read_space(["label_input=true,false"], "gcn") == {"label_input": (True, False)}
    with pytest.raises(UnknownNameError, match="There is no setting 'label_input' of the model 'correct"):
        read_space(["label_input=true"], "correct-and-smooth")
