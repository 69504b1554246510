from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest
import torch

from allpass.data import contextual_sbm, splits
from allpass.metrics import profile
from allpass.train import Store, Trained, compare, fit, fit_into, sweep


@pytest.fixture(scope="module")
def data():
    return contextual_sbm([40, 40], [[0.8, 0.2], [0.2, 0.8]], num_features=4)


@pytest.fixture(scope="module")
def shown(data, tmp_path_factory):
    """One of each result that people look at, by name."""
    drawn = splits(data, "random", count=3)
    with Store(tmp_path_factory.mktemp("store") / "runs.db") as store:
        runs = fit_into(store, "gcn", data, drawn, epochs=5)
        found = sweep(store, "gcn", data, drawn, trials=4, epochs=5)
    (replica, *_) = fit("gcn", data, drawn, epochs=5)
    return {
        "comparison": compare(["mlp-2", "gcn"], data, drawn, epochs=5),
        "sweep": found,
        "run": runs[0],
        "replica": replica,
        "trained": Trained.of(replica, data),
        "profile": profile(data),
    }


NAMES = ("comparison", "sweep", "run", "replica", "trained", "profile")


@pytest.mark.parametrize("name", NAMES)
def test_a_repr_fits_into_five_lines(shown, name):
    lines = repr(shown[name]).splitlines()
    assert 2 <= len(lines) <= 5
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_shows_a_table(shown, name):
    table = shown[name]._repr_html_()
    assert table.count("<table>") == table.count("</table>") == 1
    assert table.count("<tr>") >= 3


def test_a_comparison_shows_every_model_with_its_score(shown):
    compared = shown["comparison"]
    for text, one in itertools.product((repr(compared), compared._repr_html_()), compared.contenders):
        assert one.model in text
        assert f"{100 * one.estimate.mean:.1f}" in text
    assert repr(compared).splitlines()[1].split()[0] == compared.best


def test_a_sweep_shows_what_was_chosen(shown):
    found = shown["sweep"]
    chosen = found.chosen
    assert f"lr={chosen.settings['lr']!r}" in repr(found)
    assert f"validation {chosen.val_score:.1%}" in repr(found)
    assert f"{100 * chosen.test.mean:.1f}" in repr(found)
    assert "hidden_channels" not in found._repr_html_()  # the same in every trial
    assert "splits</th>" not in found._repr_html_()
    assert found._repr_html_().count("<tr>") == len(found.trials) + 1


def test_a_sweep_says_how_many_settings_stopped(data, tmp_path):
    space = {"lr": tuple(0.005 * k for k in range(1, 7))}
    with Store(tmp_path / "runs.db") as store:
        found = sweep(store, "gcn", data, splits(data, "random", count=3), space, epochs=5)
    assert found.stopped == 2
    for text in (repr(found), found._repr_html_()):
        assert "6 settings (2 stopped early)" in text
    table = found._repr_html_()
    assert ">splits</th>" in table
    assert [table.count(f">{trial.splits}</td>") for trial in found.ranked[::5]] == [4, 2]


def test_a_run_shows_how_it_ended(shown):
    run = shown["run"]
    assert "Run of gcn on contextual_sbm, split random/0, seed 0" in repr(run)
    assert f"test_score {run.scores['test_score']:.4g}" in repr(run)
    diverged = replace(shown["replica"], diverged=True, epoch=None, scores={"test_score": math.nan})
    assert "diverged after 5 epochs, no epoch reported" in repr(diverged)
    assert "test_score nan" in repr(diverged)


def test_a_trained_model_shows_its_classes_and_scores(shown, data):
    trained = shown["trained"]
    assert "2 classes" in repr(trained)
    assert "4 features of 80 nodes" in repr(trained)
    assert f"test {trained.scores['test_score']:.1%}" in repr(trained)
    assert "not measured" in repr(replace(trained, scores={}))
    numbers = data.clone()
    numbers.y = torch.randn(80)
    (run,) = fit("gcn", numbers, splits(data, "random", count=1), epochs=2)
    assert "predicts: numbers" in repr(Trained.of(run, numbers))


def test_a_profile_shows_its_values(shown):
    measured = shown["profile"]
    assert f"edge_homophily {measured['edge_homophily']:.3f}" in repr(measured)
    assert all(f">{row.metric.name}<" in measured._repr_html_() for row in measured.rows)
