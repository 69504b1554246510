from __future__ import annotations

import numpy as np
import pytest

from allpass.errors import InputError, UnknownNameError
from allpass.models import MODELS
from allpass.models.settings import check_settings

DEFAULTS = {
    "hidden_channels": 64,
    "num_layers": 2,
    "hops": 10,
    "dropout": 0.5,
    "attention_dropout": None,
    "input_dropout": True,
    "alpha": 0.1,
    "filter": "A_sym",
    "base": "mlp",
    "init": "ppr",
    "powers": (0, 1, 2),
    "high": None,
}


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.name)
def test_what_the_catalogue_has_is_right(entry):
    check_settings(entry.settings, entry.settings)
    for key, values in entry.space.items():
        for value in values if key in entry.settings else ():
            check_settings({key: value}, entry.settings)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("in_channels", (1, np.int64(3))),
        ("num_layers", (0, 1)),
        ("hops", (0,)),
        ("dropout", (0, 1, 0.5, np.float32(0.1))),
        ("attention_dropout", (None, 0.2)),
        ("alpha", (-3, 2.5)),
        ("init", ("ppr", [0.5, 0.5])),
        ("powers", ((1,), [0, np.int64(3)])),
        ("filter", ("a_hat_rw", lambda A: A)),
        ("high", (None, "L_rw")),
        ("unknown", (object(),)),
    ],
)
def test_what_may_be(name, values):
    for value in values:
        check_settings({name: value}, DEFAULTS)


@pytest.mark.parametrize(
    ("name", "values", "cure"),
    [
        ("in_channels", (0, -1, 6.0, "6", None, True, 2**31), "a whole number from 1 to 2,147,483,647"),
        ("num_nodes", (0, -3, 2.0), "a whole number from 1 to 2,147,483,647"),
        ("hidden_channels", (0, 2.5, "a", 10**9), "a whole number from 1 to 100,000"),
        ("num_layers", (2.0, -1, None, 99_999_999), "a whole number from 0 to 10,000"),
        ("hops", (-1, 1.5), "a whole number from 0 to 10,000"),
        ("dropout", ("a", 1.5, -0.1, None, float("nan")), "a probability"),
        ("attention_dropout", (2, "a"), "a probability"),
        ("input_dropout", (0.5, "yes"), "True or False"),
        (
            "alpha",
            ("a", None, float("nan"), float("inf"), 1e300, -1e7),
            "a number from -1,000,000 to 1,000,000",
        ),
        ("base", (["mlp"], {}), "a name"),
        ("init", (3, None, float("nan")), "a name"),
        ("powers", (3, None, "x", ("a",), [1.5]), r"several, such as \(0, 1, 2\)"),
        ("filter", (3, None), "a name of allpass.graph.MATRICES"),
    ],
)
def test_what_may_not(name, values, cure):
    for value in values:
        with pytest.raises(InputError, match=f"Got {name} = .*Expected {cure}"):
            check_settings({name: value}, DEFAULTS)


@pytest.mark.parametrize("entry", MODELS, ids=lambda entry: entry.name)
def test_no_size_is_without_a_bound(entry):
    """Whatever makes a model larger: a billion of it has to be refused before anything is built."""
    sizes = {
        "hidden_channels",
        "embedding_channels",
        "heads",
        "out_heads",
        "blocks",
        "num_leaves",
        "pretraining",
    }
    for key in entry.settings:
        if key in sizes or key.endswith("_layers"):
            with pytest.raises(InputError, match=r"Expected a whole number from \d to \d{1,3},\d{3}"):
                check_settings({key: 10**9}, entry.settings)


def test_a_filter_with_a_typo_is_told_before_anything_is_built():
    with pytest.raises(UnknownNameError, match="Did you mean 'A_sym'"):
        check_settings({"filter": "A_smy"}, DEFAULTS)
