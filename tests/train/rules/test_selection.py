"""The reported epoch against a plain loop over the lists of one run."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.train.quiet import captured, host_reads

from allpass.errors import UnknownNameError
from allpass.train.rules.record import Record
from allpass.train.rules.selection import SELECTION

NAMES = ("train_loss", "train_score", "val_loss", "val_score")


def reported(name: str, run: dict[str, list[float]], end: int) -> int | None:
    """The epoch to report of a run that ends after epoch ``end``."""
    best: float | None = None
    found = None
    for epoch in range(end + 1):
        train_loss, train_score, val_loss, val_score = (run[key][epoch] for key in NAMES)
        if not math.isfinite(train_loss) or ("val" in name and not math.isfinite(val_loss)):
            continue
        match name:
            case "lowest-val-loss":
                better, value = best is None or val_loss < best, val_loss
            case "best-val-score":
                better, value = best is None or val_score > best, val_score
            case "last-best-val-score":
                better, value = best is None or val_score >= best, val_score
            case "last-best-train-score":
                better, value = best is None or train_score >= best, train_score
            case "final":
                better, value = True, 0.0
        if better:
            best, found = value, epoch
    return found


@pytest.mark.parametrize("name", SELECTION.names)
@given(seed=st.integers(0, 2**32 - 1), R=st.integers(1, 6), epochs=st.integers(1, 30), broken=st.booleans())
def test_every_rule_reports_the_epoch_of_its_loop(name, seed, R, epochs, broken):
    rng = np.random.default_rng(seed)
    curves = {key: rng.integers(0, 5, (epochs, R)) / 4 for key in NAMES}
    for key in ("train_loss", "val_loss"):
        bad = broken & (rng.random((epochs, R)) < 0.1)
        curves[key] = np.where(bad, rng.choice([math.nan, math.inf], (epochs, R)), curves[key])
    end = rng.integers(0, epochs, R)
    rule = SELECTION[name]
    state, kept = rule.start(R, "cpu"), torch.full((R,), -1)
    place = state["best"].data_ptr()
    for epoch in range(epochs):
        record = Record(*(torch.from_numpy(curves[key][epoch]) for key in NAMES))
        alive = torch.from_numpy(epoch <= end)
        before = state["best"].clone()
        improved = rule.improved(state, record, alive)
        assert not (improved & ~alive).any()
        assert torch.equal(state["best"][~alive], before[~alive])
        kept = torch.where(improved, epoch, kept)
    wanted = [reported(name, {key: curves[key][:, r].tolist() for key in NAMES}, end[r]) for r in range(R)]
    assert [None if epoch < 0 else epoch for epoch in kept.tolist()] == wanted
    assert [epoch is not None for epoch in wanted] == state["best"].isfinite().tolist()
    assert state["best"].data_ptr() == place


def test_a_score_that_is_undefined_is_never_the_best():
    loss, score = torch.ones(1), torch.full((1,), math.nan)
    for name in SELECTION.names:
        rule = SELECTION[name]
        improved = rule.improved(rule.start(1, "cpu"), Record(loss, score, loss, score), torch.tensor([True]))
        assert improved.item() == (not name.endswith("score"))


@pytest.mark.parametrize("name", SELECTION.names)
def test_nothing_is_read_back(name):
    rule = SELECTION[name]
    state, alive, one = rule.start(5, "cpu"), torch.ones(5, dtype=torch.bool), torch.ones(5)
    assert host_reads(lambda: rule.improved(state, Record(one, one, one, one), alive)) == set()
    far = one.to("meta")
    improved = rule.improved(rule.start(5, "meta"), Record(far, far, far, far), alive.to("meta"))
    assert improved.shape == (5,)
    none = torch.zeros(0)
    assert rule.improved(rule.start(0, "cpu"), Record(none, none, none, none), none.bool()).shape == (0,)


def test_the_register_names_what_each_rule_needs():
    with pytest.raises(UnknownNameError, match="Did you mean 'lowest-val-loss'"):
        SELECTION["lowest-val-los"]
    assert SELECTION["last"].name == "final"
    assert {rule.name for rule in SELECTION if rule.needs_validation} == {
        "lowest-val-loss",
        "best-val-score",
        "last-best-val-score",
    }
    assert all(rule.summary.endswith(".") for rule in SELECTION)


@pytest.mark.gpu
@pytest.mark.parametrize("name", SELECTION.names)
def test_a_captured_rule_follows_its_record(name):
    rule, generator = SELECTION[name], torch.Generator().manual_seed(0)
    curves = torch.randint(5, (30, 4, 20), generator=generator) / 4
    alive = torch.rand(20, generator=generator) < 0.7
    record, device_alive = curves[0].cuda(), alive.cuda()
    state, own = rule.start(20, "cuda"), rule.start(20, "cpu")
    graph, improved = captured(lambda: rule.improved(state, Record(*record), device_alive))
    state["best"].fill_(-math.inf)
    for row in curves:
        record.copy_(row)
        graph.replay()
        assert torch.equal(improved.cpu(), rule.improved(own, Record(*row), alive))
