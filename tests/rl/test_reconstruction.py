"""What a model of transitions learns from a recording, measured next to rules."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rl.dynamics.worlds import every_pair

from allpass.errors import InputError
from allpass.rl import TabularMDP, TransitionModel, Transitions
from allpass.rl.dynamics.counts import TransitionCounts
from allpass.rl.dynamics.pooling import left_out
from allpass.rl.dynamics.scores import scores, variation
from allpass.rl.reconstruction import RULES, losses, reconstruct
from allpass.rl.recording.runs import record_steps

DOORS = TabularMDP.from_grid("one-way-doors", 0.95)


def recorded(steps: int = 400) -> Transitions:
    return record_steps(DOORS.to_env(), steps, seed=3)


def test_pairs_that_are_left_out_are_not_learned_from() -> None:
    steps = recorded()
    found = reconstruct(steps, "inverse-rule", like=DOORS, share=0.3, seed=2)
    counts = TransitionCounts.of(steps, DOORS)
    out = left_out(counts, 0.3, 2)
    rest = TransitionModel("inverse-rule", like=DOORS, seed=2).fit_counts(counts.without(out))
    assert found.pairs == out.sum()
    assert found.held_out["inverse-rule"] == scores(rest.P[out], counts.shares.toarray()[out])
    assert set(found.held_out) == set(RULES)
    np.testing.assert_array_equal(found.model.seen.ravel(), counts.tried > 0)


def test_the_curve_is_the_distance_from_the_true_process() -> None:
    steps = recorded()
    found = reconstruct(steps, "back-off", like=DOORS)
    assert found.sizes == (25, 50, 100, 200, 400)
    asked = found.model.counts.asked
    for size, error in zip(found.sizes, found.curve["back-off"], strict=True):
        model = TransitionModel("back-off", like=DOORS).fit(steps[:size])
        assert error == pytest.approx(variation(model.P[asked], DOORS.P.toarray()[asked]))
    assert found.curve["back-off"][-1] < found.curve["back-off"][0]
    np.testing.assert_allclose(found.values, DOORS.optimal().values)


def test_a_log_needs_no_process() -> None:
    steps = recorded()
    told: list[int] = []
    found = reconstruct(steps, "rotate", epochs=3, dim=8, on_progress=told.append)
    assert told == list(range(1, 8))
    assert found.true is None
    assert not found.planning
    assert found.process.num_states == found.model.counts.num_states == len(found.values)
    assert len(found.curve["rotate"]) == len(found.sizes)
    assert "pairs" in repr(found)


def test_few_steps_leave_nothing_out() -> None:
    steps = Transitions.from_arrays([0, 1], [0, 0], [0.0, 1.0], [1, 0])
    found = reconstruct(steps, "rotate", epochs=2, dim=4)
    assert (found.pairs, found.held_out, found.curve) == (0, {}, {})
    assert "too few pairs" in repr(found)


def test_counts_of_the_first_steps_keep_all_states() -> None:
    steps = recorded(60)
    whole = TransitionCounts.of(steps)
    few, same = TransitionCounts.growing(steps, sizes=[5, 60])
    assert few.tried.sum() == 5
    assert few.mask.shape == whole.mask.shape
    np.testing.assert_array_equal(same.C.toarray(), whole.C.toarray())
    named = [whole.states or list(range(whole.num_states))][0]
    for s, a, t in zip(steps.state[:5], steps.action[:5], steps.next_state[:5], strict=True):
        assert few.C[named.index(s) * whole.num_actions + a, named.index(t)] >= 1


def test_losses_of_a_perfect_model_are_0() -> None:
    model = TransitionModel("smoothing", like=DOORS, prior=1e-9).fit(every_pair(DOORS))
    assert losses(model, DOORS) == pytest.approx({"value_error": 0, "regret": 0}, abs=1e-6)


def test_bad_input_has_one_sentence() -> None:
    with pytest.raises(InputError, match="at most half"):
        reconstruct(recorded(20), share=0.9)
    with pytest.raises(InputError, match="no recorded step"):
        reconstruct([])
