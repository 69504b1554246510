"""Laps of a race here and in other processes: the same numbers, within the same time."""

from __future__ import annotations

import itertools
import pickle
import time
from types import SimpleNamespace

import pytest
import torch
from tests.diagnosis.test_verdict import blocks

from allpass.diagnosis import lap as module
from allpass.diagnosis.lap import FEWEST_EPOCHS, Lap, Track, team
from allpass.errors import AllpassError
from allpass.train.config import TrainingConfig
from allpass.train.executors import Local
from allpass.train.fit import fit
from allpass.train.given import divide

CONFIG = TrainingConfig(stop="fixed", epochs=60, device="cpu")
LAPS = [
    ("gcn", {"lr": 0.05}),
    ("trees", {}),
    ("correct-and-smooth", {"base": "feature-trees"}),
    ("label-propagation", {}),
]


@pytest.fixture(scope="module")
def track() -> Track:
    data = blocks(150, strength=1.0)
    return Track(data, divide(data, "stratified", count=2), CONFIG, weights=True, alone=True)


def ever(number: int, split: int = 0) -> Lap:
    model, settings = LAPS[number]
    return Lap(model, settings, split, float("inf"))


def test_other_processes_give_the_numbers_of_this_one_and_of_fit(track: Track) -> None:
    wanted = [ever(number, split) for number in range(len(LAPS)) for split in (0, 1)]
    with team(track, None) as laps:
        here = dict(laps(wanted))
    with team(track, Local("cpu", 2)) as laps:
        first, rest = dict(laps(wanted[:3])), dict(laps(wanted[3:]))  # the processes stay
    there = first | {3 + number: ended for number, ended in rest.items()}
    assert sorted(there) == sorted(here) == list(range(len(wanted)))
    for number, one in enumerate(wanted):
        ours, theirs = here[number], there[number]
        (run,) = fit(one.model, track.data, track.folds[one.split], one.settings, **vars(CONFIG))
        assert ours.outcome.scores == theirs.outcome.scores == run.scores
        assert ours.outcome.weights.keys() == theirs.outcome.weights.keys() == run.weights.keys()
        assert all(torch.equal(weight, theirs.outcome.weights[name]) for name, weight in run.weights.items())
        assert not ours.cut
        assert not theirs.cut


def test_an_error_in_another_process_is_told(track: Track) -> None:
    with team(track, Local("cpu", 2)) as laps, pytest.raises(AllpassError, match="There is no model 'gnc'"):
        list(laps([Lap("gnc", {}, 0, float("inf"))]))


def test_what_is_late_or_takes_too_long_is_not_begun(track: Track) -> None:
    now = time.perf_counter()
    with team(track, None) as laps:
        found = list(
            laps([Lap("gcn", {}, 0, now - 1), Lap("gcn", {}, 0, now + 1000, share=0.1, least=200.0), ever(1)])
        )
    assert [number for number, _ in found] == [0, 1, 2]
    assert [ended is None for _, ended in found] == [True, True, False]


def looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock whose time is how often it was looked at."""
    readings = itertools.count()
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: float(next(readings))))


def test_a_network_is_cut_at_its_best_epoch_or_given_up_before_the_first_epochs(
    track: Track, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for deadline in range(1, 200, 10):
        looks(monkeypatch)
        found.append(track.run(Lap("gcn", {"lr": 0.05}, 0, float(deadline))))
        if found[-1] is not None and not found[-1].cut:
            break
    assert found[0] is None
    assert found[-1] is not None  # all its epochs, in the end
    assert found[-1].outcome.epochs == 60
    cut = [ended for ended in found[:-1] if ended is not None]
    assert all(ended.cut and FEWEST_EPOCHS <= ended.outcome.epochs <= 60 for ended in cut)
    assert cut


def test_a_copy_has_the_graph_and_prepares_its_own_jobs(track: Track) -> None:
    track.job("gcn", {})
    copied = pickle.loads(pickle.dumps(track))
    assert torch.equal(copied.data.edge_index, track.data.edge_index)
    assert (copied.config, copied.weights, copied.alone) == (CONFIG, True, True)
    assert copied._jobs == {}
