"""Stopping rules against plain loops over the lists of one run, written from the protocols."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from statistics import fmean

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.train.quiet import captured, host_reads

from allpass.errors import InputError, UnknownNameError
from allpass.train.rules.record import Record
from allpass.train.rules.stopping import (
    STOPPING,
    Fixed,
    Patience,
    StoppingRule,
    TrainingOnly,
    Window,
    stopping,
)

Curves = dict[str, np.ndarray]  # four of them, [epochs, R]
CPU = torch.device("cpu")


def by_window(run: Curves, window: int) -> int | None:
    losses = run["val_loss"].tolist()
    for epoch, loss in enumerate(losses):
        if epoch > window and loss > fmean(losses[epoch - window : epoch]):
            return epoch
    return None


def by_patience(values: Sequence[float], patience: int, ties: bool) -> int | None:
    """``values`` where more is better."""
    best, waited = -math.inf, 0
    for epoch, value in enumerate(values):
        if value > best or (ties and value == best):
            best, waited = value, 0
        else:
            waited += 1
        if waited == patience:
            return epoch
    return None


def by_training(run: Curves, rule: TrainingOnly) -> int | None:
    best, best_val, waited, close, limit = -math.inf, -math.inf, 0, 0, math.inf
    for epoch, (score, val) in enumerate(zip(run["train_score"], run["val_score"], strict=True)):
        if rule.validation_resets and val >= best_val:
            best_val, waited = val, 0
        if score >= best:
            best, waited = score, 0
        else:
            waited += 1
        if abs(score - rule.perfect) < rule.close:
            if close == 0 and rule.further is not None:
                limit = epoch + rule.further
            close += 1
        if waited >= rule.patience or epoch >= limit or (rule.total is not None and close >= rule.total):
            return epoch
    return None


def ends(
    rule: StoppingRule, run: Curves, reference: Callable[[Curves], int | None]
) -> tuple[int | None, bool]:
    """The epoch at which one run stops and whether it diverged, by the rule's reference."""
    watched = ("train_loss", "val_loss") if rule.needs_validation else ("train_loss",)
    broken = [epoch for name in watched for epoch in np.flatnonzero(~np.isfinite(run[name]))]
    diverged = min(broken, default=None)
    own = reference({name: values[:diverged] for name, values in run.items()})  # it sees nothing of the end
    last = rule.max_epochs - 1 if rule.max_epochs <= len(run["train_loss"]) else None
    stop = min((epoch for epoch in (diverged, own, last) if epoch is not None), default=None)
    return stop, diverged is not None and stop == diverged


def record_of(curves: Curves, epoch: int, device: torch.device = CPU) -> Record:
    rows = {name: torch.from_numpy(values[epoch].copy()).to(device) for name, values in curves.items()}
    return Record(rows["train_loss"], rows["train_score"], rows["val_loss"], rows["val_score"])


def simulate(rule: StoppingRule, curves: Curves) -> list[tuple[int | None, bool]]:
    """All replicas at once, going on after some of them stopped; checks that those do not change."""
    epochs, R = curves["train_loss"].shape
    state, alive = rule.start(R, CPU), torch.ones(R, dtype=torch.bool)
    stopped: list[int | None] = [None] * R
    for epoch in range(epochs):
        before = {name: value.clone() for name, value in state.items()}
        stop = rule.update(state, torch.tensor(epoch), record_of(curves, epoch), alive)
        assert stop.dtype == torch.bool
        assert not (stop & ~alive).any()
        for name, value in state.items():
            assert torch.equal(value[~alive], before[name][~alive]), name
        for r in stop.nonzero().flatten().tolist():
            stopped[r] = epoch
        alive = alive & ~stop
    return list(zip(stopped, state["diverged"].tolist(), strict=True))


def check(rule: StoppingRule, curves: Curves, reference: Callable[[Curves], int | None]) -> None:
    R = curves["train_loss"].shape[1]
    runs = [{name: values[:, r] for name, values in curves.items()} for r in range(R)]
    assert simulate(rule, curves) == [ends(rule, run, reference) for run in runs]


@st.composite
def curves(draw: st.DrawFn, epochs: int = 40) -> Curves:
    """Curves of up to six replicas on few levels, so that ties are common, with a rare loss that is not finite."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels, shape = draw(st.sampled_from([2, 4, 16])), (draw(st.integers(1, epochs)), draw(st.integers(1, 6)))
    names = ("train_loss", "train_score", "val_loss", "val_score")
    found = {name: rng.integers(0, levels + 1, shape) / levels for name in names}
    for name in ("train_loss", "val_loss"):
        broken = rng.random(shape) < draw(st.sampled_from([0.0, 0.02]))
        found[name] = np.where(broken, rng.choice([math.nan, math.inf], shape), found[name])
    return found


caps = st.integers(1, 60)
patiences = st.integers(1, 6)


@given(curves(), st.sampled_from([1, 2, 4, 8]), caps)
def test_the_window_rule_is_its_loop(curves, window, cap):  # quarters and powers of two: the means are exact
    check(stopping("gprgnn", window=window, max_epochs=cap), curves, lambda run: by_window(run, window))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_published_window_of_200_epochs(dtype):
    rng = np.random.default_rng(0)
    steps = np.arange(900)[:, None]
    turn = np.array([150, 260, 420, 10_000])  # where each curve begins to rise
    loss = (np.abs(steps - turn) / 300 + 0.002 * rng.normal(size=(900, 4))).astype(dtype)
    curves = {"train_loss": loss, "train_score": loss, "val_loss": loss, "val_score": loss}
    check(stopping("gprgnn"), curves, lambda run: by_window(run, 200))
    assert [epoch for epoch, _ in simulate(stopping("gprgnn"), curves)][-1] is None


def test_the_window_rule_first_looks_at_epoch_201():
    loss = np.ones((203, 1))
    loss[200:] = 2
    curves = {"train_loss": loss, "train_score": loss, "val_loss": loss, "val_score": loss}
    assert simulate(Window(), curves) == [(201, False)]


@given(
    curves(),
    patiences,
    st.booleans(),
    st.sampled_from([("patience-loss", "val_loss"), ("training-loss", "train_loss")]),
    caps,
)
def test_patience_on_a_loss_is_its_loop(curves, patience, ties, which, cap):
    rule = stopping(which[0], patience=patience, ties=ties, max_epochs=cap)
    check(rule, curves, lambda run: by_patience((-run[which[1]]).tolist(), patience, ties))


@given(curves(), patiences, st.booleans(), caps)
def test_patience_on_a_score_is_its_loop(curves, patience, ties, cap):
    rule = stopping("patience-score", patience=patience, ties=ties, max_epochs=cap)
    check(rule, curves, lambda run: by_patience(run["val_score"].tolist(), patience, ties))


@given(
    curves(),
    patiences,
    st.sampled_from([0.01, 0.25]),
    st.none() | st.integers(0, 8),
    st.none() | st.integers(1, 8),
    st.booleans(),
    caps,
)
def test_training_only_is_its_loop(curves, patience, close, further, total, resets, cap):
    rule = stopping(
        "training-only",
        patience=patience,
        close=close,
        further=further,
        total=total,
        validation_resets=resets,
        max_epochs=cap,
    )
    check(rule, curves, lambda run: by_training(run, rule))


def test_training_only_as_published_ends_200_epochs_after_the_first_perfect_one():
    epochs = 500
    score = np.full((epochs, 3), 0.5)
    score[100:, 0] = 1  # perfect from there on: the count of 200 is full one epoch earlier
    score[100:, 1] = 0.995
    score[120::2, 1] = 0.9  # falls away now and then, and the count is not set back
    score[:50, 2] = 0.6  # never again as good as at first
    loss = np.ones((epochs, 3))
    curves = {"train_loss": loss, "train_score": score, "val_loss": loss, "val_score": loss}
    assert simulate(TrainingOnly(), curves) == [(299, False), (300, False), (149, False)]
    assert simulate(TrainingOnly(further=None), curves)[1] == (100 + 20 + 2 * 180 - 1, False)
    assert simulate(TrainingOnly(total=None), curves)[0] == (300, False)


def test_rules_without_validation_do_not_mind_its_absence():
    nothing = np.full((30, 2), math.nan)
    rising = np.tile(np.arange(30.0)[:, None], (1, 2))
    curves = {"train_loss": -rising, "train_score": rising, "val_loss": nothing, "val_score": nothing}
    for name in ("training-only", "training-loss", "fixed"):
        rule = stopping(name, max_epochs=30)
        assert not rule.needs_validation
        assert simulate(rule, curves) == [(29, False)] * 2
    for name in ("gprgnn", "patience-loss", "patience-score"):
        assert stopping(name).needs_validation
        assert simulate(stopping(name), curves) == [(0, True)] * 2
    assert TrainingOnly(validation_resets=True).needs_validation


@given(curves(), caps)
def test_fixed_epochs(curves, cap):
    check(Fixed(max_epochs=cap), curves, lambda run: None)


@pytest.mark.parametrize("name", STOPPING.names)
def test_a_batch_decides_like_each_replica_alone_and_after_compaction(name):
    rng = np.random.default_rng(5)
    curves = {key: rng.random((120, 8)) for key in ("train_loss", "train_score", "val_loss", "val_score")}
    small = {"gprgnn": {"window": 7}, "fixed": {"max_epochs": 9}}.get(name, {"patience": 12})
    rule = stopping(name, **small)
    together = simulate(rule, curves)
    for r in range(8):
        assert simulate(rule, {key: values[:, [r]] for key, values in curves.items()}) == [together[r]]
    state, alive, rows = rule.start(8, CPU), torch.ones(8, dtype=torch.bool), torch.arange(8)
    for epoch in range(120):  # stopped replicas leave the batch
        kept = {key: values[:, rows.numpy()] for key, values in curves.items()}
        stop = rule.update(state, torch.tensor(epoch), record_of(kept, epoch), alive)
        assert [together[r][0] == epoch for r in rows.tolist()] == stop.tolist()
        state = {key: value[~stop] for key, value in state.items()}
        rows, alive = rows[~stop], alive[~stop]


@pytest.mark.parametrize("name", STOPPING.names)
def test_the_state_is_changed_in_place_and_nothing_is_read_back(name):
    rule, R = stopping(name), 6
    state, alive = rule.start(R, CPU), torch.ones(R, dtype=torch.bool)
    places = {key: value.data_ptr() for key, value in state.items()}
    one = torch.rand(R, generator=torch.Generator().manual_seed(0))
    record, epoch = Record(one, one, one, one), torch.tensor(3)
    assert host_reads(lambda: rule.update(state, epoch, record, alive)) == set()
    assert {key: value.data_ptr() for key, value in state.items()} == places
    assert all(value.shape[0] == R for value in state.values())
    nowhere = one.to("meta")
    stop = rule.update(
        rule.start(R, "meta"),
        epoch.to("meta"),
        Record(nowhere, nowhere, nowhere, nowhere),
        alive.to("meta"),
    )
    assert stop.shape == (R,)


def test_no_replicas_are_no_trouble():
    for entry in STOPPING:
        rule, none = stopping(entry.name), torch.zeros(0)
        state = rule.start(0, CPU)
        assert rule.update(state, torch.tensor(0), Record(none, none, none, none), none.bool()).shape == (0,)


def test_names_and_options_are_checked():
    with pytest.raises(UnknownNameError, match="Did you mean 'gprgnn'"):
        stopping("gprgn")
    with pytest.raises(InputError, match=r"no option 'patence'. Did you mean 'patience'"):
        stopping("patience-loss", patence=3)
    with pytest.raises(InputError, match="no option 'watches'"):
        stopping("patience-loss", watches="train_loss")
    for name, wrong in (("gprgnn", "window"), ("patience-score", "patience"), ("training-only", "total")):
        for value in (0, -1, 2.5, True):
            with pytest.raises(InputError, match=f"Got {wrong}={value}"):
                stopping(name, **{wrong: value})
    for name in STOPPING.names:
        with pytest.raises(InputError, match="Got max_epochs=0"):
            stopping(name, max_epochs=0)
    with pytest.raises(InputError, match="Got close=nan"):
        stopping("training-only", close=math.nan)


def test_the_register_lists_every_option_with_its_default():
    for entry in STOPPING:
        rule = stopping(entry.name)
        assert entry.citation
        assert entry.summary.endswith(".")
        assert set(entry.options) == {one.name for one in fields(rule)} - set(entry.fixed)
        assert stopping(entry.name, **entry.options) == rule
        assert replace(rule, max_epochs=7).max_epochs == 7
    assert STOPPING["patience-loss"].options == {"max_epochs": 5000, "patience": 100, "ties": False}
    assert stopping("Krylov") == TrainingOnly()
    assert stopping("training-loss") == Patience(watches="train_loss")


@pytest.mark.gpu
@pytest.mark.parametrize("name", STOPPING.names)
def test_a_captured_rule_stops_as_the_loop_does(name):
    rng = np.random.default_rng(2)
    curves = {key: rng.random((150, 40)) for key in ("train_loss", "train_score", "val_loss", "val_score")}
    rule = stopping(name, **{"gprgnn": {"window": 9}, "fixed": {"max_epochs": 9}}.get(name, {"patience": 12}))
    cuda = torch.device("cuda")
    state, alive = rule.start(40, cuda), torch.ones(40, dtype=torch.bool, device=cuda)
    epoch, record = torch.zeros((), dtype=torch.int64, device=cuda), record_of(curves, 0, cuda)
    start = {key: value.clone() for key, value in state.items()}

    def step() -> torch.Tensor:
        stop = rule.update(state, epoch, record, alive)
        alive.logical_and_(~stop)
        epoch.add_(1)
        return stop

    graph, stop = captured(step)
    for key, value in start.items():
        state[key].copy_(value)
    alive.fill_(True)
    epoch.zero_()
    found: list[int | None] = [None] * 40
    for k in range(150):
        now = record_of(curves, k, cuda)
        for one in fields(Record):
            getattr(record, one.name).copy_(getattr(now, one.name))
        graph.replay()
        for r in stop.cpu().nonzero().flatten().tolist():
            found[r] = k
    assert found == [epoch for epoch, _ in simulate(rule, curves)]
