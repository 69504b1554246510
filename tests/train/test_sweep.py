from __future__ import annotations

import functools
import json
import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import torch
from scipy import stats
from tests.train.pretended import pretend
from tests.train.writers import key

from allpass.data import load, splits
from allpass.data.splits import Split
from allpass.errors import InputError, UnknownNameError
from allpass.train.fit import fit
from allpass.train.rules.stopping import stopping
from allpass.train.runs.run import Run
from allpass.train.runs.store import Store
from allpass.train.search import SEARCHES
from allpass.train.sweep import sweep as any_sweep

sweep = functools.partial(any_sweep, early_stop=False)
SPACE = {"lr": (0.001, 0.01, 0.05), "dropout": (0.0, 0.5)}
FEW = {"stop": stopping("fixed", max_epochs=4)}


@pytest.fixture(scope="module")
def data():
    found = load("karate")
    found.x = torch.eye(found.num_nodes)
    return found


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def numbered(data):
    """The same graph with numbers for labels."""
    numbers = data.clone()
    numbers.y = torch.arange(data.num_nodes) / data.num_nodes
    numbers.fingerprint = None
    return numbers


def test_it_is_the_runs_of_fit_and_the_best_of_them_by_validation(data, store):
    drawn = splits(data, "random", count=3)
    found = sweep(store, "gcn", data, drawn, SPACE, **FEW)
    choices = [{"lr": lr, "dropout": dropout} for lr in SPACE["lr"] for dropout in SPACE["dropout"]]
    runs = np.array([run.scores for run in fit("gcn", data, drawn, choices, **FEW)]).reshape(6, 3)
    assert [trial.settings for trial in found.trials] == choices
    for trial, row in zip(found.trials, runs, strict=True):
        assert trial.val_scores == tuple(one["val_score"] for one in row)
        assert trial.val_losses == tuple(one["val_loss"] for one in row)
        assert trial.test_scores == tuple(one["test_score"] for one in row)
    means = [
        (np.mean([-one["val_score"] for one in row]), np.mean([one["val_loss"] for one in row]))
        for row in runs
    ]
    assert found.chosen is found.trials[min(range(6), key=lambda place: means[place])]
    assert (found.read, found.trained, len(store)) == (0, 18, 18)
    low, high = stats.ttest_1samp(found.chosen.test_scores, 0).confidence_interval(0.95)
    assert (found.chosen.test.low, found.chosen.test.high) == pytest.approx((low, high), nan_ok=True)
    assert found.optimism == max(t.test.mean for t in found.trials) - found.chosen.test.mean


@pytest.mark.parametrize("search", SEARCHES.names)
def test_test_scores_choose_nothing(search, data, monkeypatch):
    """Whatever the test nodes say, the same settings are tried and the same are chosen."""
    if search == "optuna":
        pytest.importorskip("optuna")
    rng = np.random.default_rng(0)
    table = {}

    def honest(chosen, split, seed):
        return table.setdefault((*chosen.values(), split, seed), (*rng.random(2), 0.5))

    def other(chosen, split, seed):
        return *honest(chosen, split, seed)[:2], rng.choice([0.0, 1.0, rng.random(), math.nan])

    drawn = splits(data, "random", count=2)
    options = {} if search == "grid" else {"trials": 6, "batch": 2}
    asked = pretend(monkeypatch, honest)
    first = sweep(None, "gcn", data, drawn, SPACE, search=search, **options)
    for _ in range(5):
        again = pretend(monkeypatch, other)
        found = sweep(None, "gcn", data, drawn, SPACE, search=search, **options)
        assert again == asked
        assert found.chosen.settings == first.chosen.settings
        assert [t.settings for t in found.ranked] == [t.settings for t in first.ranked]
        assert found.chosen.test_scores != first.chosen.test_scores


def test_ties_go_to_the_lower_loss_and_then_to_the_first(data, monkeypatch):
    drawn = splits(data, "random", count=2)
    pretend(monkeypatch, lambda chosen, split, seed: (0.5, chosen["dropout"] == 0.0, 0.5))
    found = sweep(None, "gcn", data, drawn, SPACE)
    assert found.chosen.settings == {"lr": 0.001, "dropout": 0.5}
    assert [trial.settings["lr"] for trial in found.ranked] == [0.001, 0.01, 0.05] * 2


@pytest.mark.parametrize(("score", "best"), [("r2", 0.05), ("mae", 0.001)])
def test_the_direction_of_the_score(score, best, data, monkeypatch):
    pretend(monkeypatch, lambda chosen, split, seed: (chosen["lr"], 1.0, 1 - chosen["lr"]))
    found = sweep(None, "gcn", numbered(data), splits(data, "random", count=2), SPACE, score=score)
    assert found.chosen.settings["lr"] == best
    assert found.optimism == pytest.approx(0.049)


@pytest.mark.parametrize("score", ["accuracy", "r2", "mae"])
def test_a_run_that_diverged_is_the_worst(score, data, monkeypatch):
    given = data if score == "accuracy" else numbered(data)
    pretend(
        monkeypatch,
        lambda chosen, split, seed: (0.9, 0.1, 0.9) if chosen["lr"] == 0.05 else (0.8, 0.1, 0.7),
        status=lambda run: "diverged" if run[0]["lr"] == 0.05 and run[1] == 0 else "done",
    )
    drawn = splits(data, "random", count=2)
    found = sweep(None, "gcn", given, drawn, {"lr": (0.05, 0.01)}, score=score)
    assert found.chosen.settings["lr"] == 0.01
    assert [trial.diverged for trial in found.trials] == [1, 0]
    assert found.trials[0].val_scores[0] == {"accuracy": 0.0, "r2": -math.inf, "mae": math.inf}[score]
    json.dumps(found.to_dict(), allow_nan=False)


def test_all_diverged(data, monkeypatch):
    pretend(monkeypatch, lambda *run: (math.nan, math.nan, math.nan), status=lambda run: "diverged")
    found = sweep(None, "gcn", data, splits(data, "random", count=2), SPACE)
    assert (found.chosen, found.chosen.test.mean, found.optimism) == (found.trials[0], 0.0, 0.0)


def test_an_undefined_score(data, monkeypatch):
    """On validation it is the worst; on test it is told as it is."""
    pretend(
        monkeypatch,
        lambda chosen, split, seed: (math.nan, 0.1, 0.9) if chosen["lr"] == 0.05 else (0.1, 9.0, math.nan),
    )
    found = sweep(None, "gcn", data, splits(data, "random", count=2), {"lr": (0.05, 0.01)})
    assert found.chosen.settings["lr"] == 0.01
    assert math.isnan(found.chosen.test.mean)
    assert found.tempting.settings["lr"] == 0.05
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["optimism"] is None


def test_seeds_are_averaged_before_splits_are_compared(data, monkeypatch):
    pretend(monkeypatch, lambda chosen, split, seed: (0.0, 0.0, split + seed / 10))
    drawn = splits(data, "random", count=2)
    many = sweep(None, "gcn", data, drawn, {"lr": (0.1,)}, seeds=[0, 1, 2])
    assert many.chosen.test_scores == pytest.approx((0.1, 1.1))
    alone = sweep(None, "gcn", data, drawn[1], {"lr": (0.1,)}, seeds=[0, 1, 2])
    assert alone.chosen.test_scores == pytest.approx((0.0, 0.1, 0.2))


@pytest.mark.parametrize("search", ["grid", "optuna"])
def test_it_goes_on_where_it_was_stopped(search, data, tmp_path, monkeypatch):
    monkeypatch.setattr("allpass.train.engine.plan.ON_A_CPU", 3)  # runs that end together
    if search == "optuna":
        pytest.importorskip("optuna")
    options = {"space": SPACE, "search": search, **FEW}
    options |= {} if search == "grid" else {"trials": 5, "batch": 2}
    drawn = splits(data, "random", count=2)
    with Store(tmp_path / "whole.db") as store:
        whole = sweep(store, "gcn", data, drawn, **options)
    seen = 0  # one an epoch

    def interrupt(reached):
        nonlocal seen
        seen += 1
        if seen % 6 == 0:
            raise KeyboardInterrupt

    interrupted = 0
    with Store(tmp_path / "runs.db") as store:
        while True:
            try:
                found = sweep(store, "gcn", data, drawn, **options, on_progress=interrupt)
                break
            except KeyboardInterrupt:
                interrupted += 1
        assert len(store) == len(whole.trials) * 2
    assert interrupted > 1
    assert found.trials == whole.trials
    assert found.read > 0
    assert found.read + found.trained == whole.trained


def test_what_the_store_held_is_counted(data, monkeypatch):
    ended = [datetime.now(UTC) - timedelta(days=1), datetime.now(UTC) + timedelta(days=1)]
    runs = [
        Run(key=key(n), scores=dict.fromkeys(("val_score", "val_loss", "test_score"), 0.5)) for n in range(2)
    ]
    for run, moment in zip(runs, ended, strict=True):
        object.__setattr__(run, "ended", moment)
    monkeypatch.setattr("allpass.train.halving.obtain", lambda *_, **__: [runs])
    found = sweep(None, "gcn", data, splits(data, "random", count=2), {"lr": (0.1,)})
    assert (found.read, found.trained) == (1, 1)


def test_the_space_and_the_search_by_default(data, monkeypatch):
    asked = pretend(monkeypatch, lambda *run: (0.5, 0.5, 0.5))
    drawn = splits(data, "random", count=1)
    assert len(sweep(None, "acm-gcn", data, drawn).trials) == 270
    found = sweep(None, "acm-gcn", data, drawn, trials=7)
    assert (found.search, len(found.trials), len(asked)) == ("random", 7, 277)
    assert sweep(None, "acm-gcn", data, drawn, trials=999).search == "random"
    assert len(asked) == 277 + 270


def test_numbers_are_regressed(data, store):
    found = sweep(store, "gcn", numbered(data), splits(data, "random", count=2), {"lr": (0.01, 0.1)}, **FEW)
    assert (found.score, len(found.trials)) == ("r2", 2)
    assert {run.key.protocol["task"] for run in store.runs()} == {"regression"}


def test_refusals(data, monkeypatch, store):
    drawn = splits(data, "random", count=1)
    with pytest.raises(InputError, match="Pass trials="):
        sweep(store, "gcn", data, drawn, search="random")
    with pytest.raises(InputError, match="The grid tries all"):
        sweep(store, "gcn", data, drawn, search="grid", trials=3)
    for wrong in (0, 1.5, -1):
        with pytest.raises(InputError, match="trials"):
            sweep(store, "gcn", data, drawn, trials=wrong)
    with pytest.raises(UnknownNameError, match="Did you mean 'dropout'"):
        sweep(store, "gcn", data, drawn, {"dropuot": (0.1,)})
    with pytest.raises(UnknownNameError, match="no search 'gird'"):
        sweep(store, "gcn", data, drawn, search="gird")
    with pytest.raises(InputError, match="no splits"):
        sweep(store, "gcn", data, [])
    with pytest.raises(InputError, match="no seeds"):
        sweep(store, "gcn", data, drawn, seeds=[])
    nothing = torch.zeros(data.num_nodes, dtype=torch.bool)
    with pytest.raises(InputError, match="'mine' has no validation nodes"):
        sweep(store, "gcn", data, Split(drawn[0].train, nothing, drawn[0].test, "mine"))
    assert len(store) == 0


def test_hopeless_settings_stop_and_the_chosen_one_has_all_splits(data, monkeypatch):
    """Halves after one split and two; stopped settings rank last, and never tempt or win by few splits."""
    rates = tuple(0.01 * k for k in range(1, 11))

    def scores(chosen, split, seed):
        worth = chosen["lr"] if split < 3 else 0.5
        return worth, 1.0, 1.0 if chosen["lr"] < 0.05 else worth

    asked = pretend(monkeypatch, scores)
    found = any_sweep(None, "gcn", data, splits(data, "random", count=5), {"lr": rates}, seeds=[0, 1])
    assert len(asked) == 10
    assert [trial.splits for trial in found.trials] == [1] * 5 + [2] + [5] * 4
    assert [len(trial.val_scores) for trial in found.trials] == [2] * 5 + [2] + [
        5
    ] * 4  # of one split: its seeds
    assert [trial.stopped for trial in found.trials] == [True] * 6 + [False] * 4
    assert (found.stopped, found.trained + found.read) == (6, (5 + 2 + 4 * 5) * 2)
    assert found.chosen.settings == {"lr": rates[-1]}
    assert [trial.settings["lr"] for trial in found.ranked] == [*rates[:5:-1], rates[5], *rates[4::-1]]
    assert not found.tempting.stopped
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (told["stopped"], told["trials"][0]["splits"], told["trials"][0]["stopped"]) == (6, 1, True)


def test_stopping_early_trains_some_of_the_same_runs(data, store, tmp_path):
    """Trials that were not stopped are those of the full sweep, to every digit; read again, nothing is trained."""
    space = {"lr": tuple(0.005 * k for k in range(1, 9))}
    drawn = splits(data, "random", count=3)
    found = any_sweep(store, "gcn", data, drawn, space, **FEW)
    again = any_sweep(store, "gcn", data, drawn, space, **FEW)
    assert (found.stopped, found.trained, len(store)) == (4, 4 + 4 * 3, 16)
    assert (again.trials, again.trained, again.read) == (found.trials, 0, 16)
    with Store(tmp_path / "whole.db") as other:
        whole = sweep(other, "gcn", data, drawn, space, **FEW)
    assert (whole.stopped, whole.trained) == (0, 24)
    for trial, full in zip(found.trials, whole.trials, strict=True):
        assert trial.val_scores == full.val_scores[: trial.splits]
    longer = sweep(store, "gcn", data, drawn, space, **FEW)
    assert (longer.trials, longer.read, longer.trained) == (whole.trials, 16, 8)


def test_a_search_that_learns_stops_within_its_batches(data, monkeypatch):
    pytest.importorskip("optuna")
    pretend(monkeypatch, lambda chosen, split, seed: (chosen["lr"], 1.0, chosen["lr"]))
    space = {"lr": tuple(0.01 * k for k in range(1, 40))}
    found = any_sweep(
        None, "gcn", data, splits(data, "random", count=4), space, search="optuna", trials=12, batch=6
    )
    assert [trial.splits for trial in found.trials].count(4) == 8
    assert found.chosen.settings["lr"] == max(trial.settings["lr"] for trial in found.trials)


def test_progress_counts_all_rungs(data, store):
    seen = []
    space = {"lr": tuple(0.005 * k for k in range(1, 9))}
    any_sweep(store, "gcn", data, splits(data, "random", count=3), space, on_progress=seen.append, **FEW)
    assert {reached.runs for reached in seen} == {16}
    ended = [reached.ended for reached in seen]
    assert ended == sorted(ended)
    assert ended[-1] == 15
