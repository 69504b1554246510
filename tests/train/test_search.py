from __future__ import annotations

import itertools
import math
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allpass.errors import InputError, MissingExtraError, UnknownNameError
from allpass.models.entry import GRID
from allpass.train.search import SEARCHES, search

SPACE = {"lr": (0.01, 0.05, 0.1), "dropout": (0.0, 0.5), "activation": ("relu", "identity")}
ALL = [dict(zip(SPACE, values, strict=True)) for values in itertools.product(*SPACE.values())]


def test_the_grid_is_every_combination_in_order():
    grid = search("grid", SPACE)
    assert grid.ask(5) + grid.ask(5) + grid.ask(5) == ALL
    assert grid.ask(5) == []


@pytest.mark.parametrize("name", SEARCHES.names)
def test_a_search_keeps_its_word(name):
    """None twice, all of the space, whatever is told; the same seed, the same settings."""
    if name == "optuna":
        pytest.importorskip("optuna")

    def asked(seed: int) -> list[dict[str, object]]:
        found, tried = [], search(name, SPACE, seed=seed)
        while batch := tried.ask(4):
            assert len(batch) <= 4
            found += batch
            for place, chosen in enumerate(batch):
                tried.tell(chosen, [0.5, -math.inf, math.nan, 0.25][place])
        return found

    first = asked(0)
    assert all(chosen in ALL for chosen in first)
    assert all(chosen not in first[:place] for place, chosen in enumerate(first))
    assert len(first) == len(ALL)
    assert asked(0) == first
    assert (asked(1) == first) == (name == "grid")
    assert [list(chosen) for chosen in first] == [list(SPACE)] * len(ALL)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 7), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_a_shorter_random_search_is_the_beginning_of_a_longer_one(steps, seed):
    parts, whole = search("random", GRID, seed=seed), search("random", GRID, seed=seed)
    assert [chosen for step in steps for chosen in parts.ask(step)] == whole.ask(sum(steps))


def test_a_random_search_is_spread_evenly():
    for seed in range(5):
        found = search("random", GRID, seed=seed).ask(30)
        for name, values in GRID.items():
            counts = Counter(chosen[name] for chosen in found)
            assert set(counts) == set(values), name
            assert max(counts.values()) - min(counts.values()) <= 4
    independent = np.random.default_rng(0).integers(9, size=(200, 30))
    missed = np.mean([len(set(row.tolist())) < 9 for row in independent])
    assert missed > 0.1  # what plain random numbers would leave out


def test_what_is_told_leads_optuna():
    pytest.importorskip("optuna")
    space = {name: tuple(range(12)) for name in "ab"}
    led, blind = search("optuna", space, seed=0), search("random", space, seed=0)
    worth = {"led": [], "blind": []}
    for _ in range(4):
        for name, tried in (("led", led), ("blind", blind)):
            for chosen in tried.ask(10):
                value = -abs(chosen["a"] - 8) - abs(chosen["b"] - 3)
                tried.tell(chosen, value)
                worth[name].append(value)
    assert np.mean(worth["led"][20:]) > np.mean(worth["blind"][20:]) + 2


def test_numbers_out_of_order_and_repeated():
    pytest.importorskip("optuna")
    led = search("optuna", {"lr": (0.1, 0.01, 0.1, 0.05)})
    found = led.ask(9)
    assert sorted(chosen["lr"] for chosen in found) == [0.01, 0.05, 0.1]
    for chosen in found:
        led.tell(chosen, 1.0)
    assert len(search("grid", {"lr": (0.1, 0.01, 0.1)}).ask(9)) == 2


def test_optuna_is_quiet_and_leaves_its_logging_as_it_was(capsys):
    optuna = pytest.importorskip("optuna")
    before = optuna.logging.get_verbosity()
    search("optuna", SPACE).ask(1)
    assert optuna.logging.get_verbosity() == before
    assert capsys.readouterr() == ("", "")


def test_without_optuna(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'allpass\[optuna\]'"):
        search("optuna", SPACE)


def test_bad_spaces_and_names():
    with pytest.raises(UnknownNameError, match="Did you mean 'random'"):
        search("randm", SPACE)
    with pytest.raises(InputError, match="no settings to try"):
        search("grid", {})
    for values in ((), "relu", 0.5, None):
        with pytest.raises(InputError, match=r"setting 'lr' are .* tuple"):
            search("grid", {"lr": values})
