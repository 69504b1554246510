"""The door: the Dirichlet estimate, induced chains, the learned process, and what every model owes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.rl.dynamics.worlds import every_pair, random_steps

from allpass.errors import InputError, UnknownNameError
from allpass.rl import DYNAMICS, TabularMDP, TransitionModel, Transitions

GRID = TabularMDP.from_grid("S....\n.....\n....G", discount=0.9)
LEFT_OUT = [(1, 2), (6, 0), (7, 1), (11, 3)]
QUICK: dict[str, Any] = {"epochs": 3, "dim": 8}


def options_of(kind: str) -> dict[str, Any]:
    return {} if type(DYNAMICS[kind]).__name__ == "Rule" else QUICK


@pytest.mark.parametrize("kind", DYNAMICS)
def test_counts_and_prediction_are_mixed_as_dirichlet_says(kind: str) -> None:
    parts = [random_steps(1, steps=12), random_steps(2, steps=6)]
    model = TransitionModel(kind, prior=2.5, seed=3, **options_of(kind)).fit(parts)
    counts, P_m = model.counts, model.prediction.P
    np.testing.assert_allclose(P_m.sum(axis=1), 1, atol=1e-6)
    assert (P_m >= 0).all()
    C, n = counts.C.toarray(), counts.tried[:, None]
    live = counts.asked
    np.testing.assert_allclose(model.P[live], ((C + 2.5 * P_m) / (n + 2.5))[live])
    np.testing.assert_array_equal(model.seen.ravel(), counts.tried > 0)
    unseen = live & (counts.tried == 0)
    assert unseen.any()
    np.testing.assert_allclose(model.P[unseen], P_m[unseen])
    A = counts.num_actions
    np.testing.assert_array_equal(model.P[-A:], np.eye(counts.num_states)[[-1] * A])
    again = TransitionModel(kind, prior=2.5, seed=3, **options_of(kind)).fit(parts)
    np.testing.assert_array_equal(again.P, model.P)


def test_induced_chains_are_products_for_any_policy() -> None:
    model = TransitionModel("back-off", like=GRID).fit(every_pair(GRID, LEFT_OUT))
    S, A = GRID.num_states, GRID.num_actions
    draw = np.random.default_rng(0)
    for policy in (draw.integers(A, size=S), draw.dirichlet(np.ones(A), size=S), "uniform"):
        Pi = GRID.policy(policy).toarray()
        np.testing.assert_allclose(model.induced(policy).toarray(), Pi @ model.P, atol=1e-12)
    with pytest.raises(InputError, match=rf"shape \[{S + 1}\]"):
        model.induced(np.zeros(S + 1, dtype=int))
    with pytest.raises(InputError, match="shape"):
        model.induced(np.full((S, A + 1), 0.2))


def test_the_learned_process_has_the_values_of_the_true_one() -> None:
    model = TransitionModel("inverse-rule", prior=1e-6, like=GRID).fit(every_pair(GRID))
    learned = model.as_mdp(0.9)
    np.testing.assert_allclose(learned.P.toarray(), GRID.P.toarray(), atol=1e-5)
    np.testing.assert_allclose(learned.optimal().values, GRID.optimal().values, atol=1e-4)
    np.testing.assert_allclose(learned.r, GRID.r, atol=1e-12)
    assert learned.grid is GRID.grid


def test_slight_transitions_are_left_out_of_the_process() -> None:
    model = TransitionModel("back-off", prior=1.0, like=GRID).fit(every_pair(GRID, LEFT_OUT))
    P, C = model.P, model.counts.C.toarray()
    for row in (0, 6, 30):
        kept = np.where((P[row] >= 0.3 * P[row].max()) | (C[row] > 0), P[row], 0)
        np.testing.assert_allclose(model.as_mdp(least=0.3).P[[row]].toarray()[0], kept / kept.sum())


def test_rewards_of_unseen_pairs_are_those_of_the_states_they_reach() -> None:
    goal = next((row // 4, row % 4) for row in np.flatnonzero(GRID.r > 0))
    model = TransitionModel("inverse-rule", prior=1.0, like=GRID).fit(every_pair(GRID, [goal]))
    row = goal[0] * 4 + goal[1]
    expected = model.P[row] @ model.counts.arrival_rewards
    assert model.as_mdp().r[row] == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["rotate", "quate"])
def test_embeddings_predict_moves_that_were_never_tried(kind: str) -> None:
    model = TransitionModel(kind, like=GRID, seed=1).fit(every_pair(GRID, LEFT_OUT))
    truth = GRID.P.toarray().reshape(GRID.num_states, 4, -1)
    right = [int(model.predict(s, a).argmax() == truth[s, a].argmax()) for s, a in LEFT_OUT]
    assert sum(right) >= 3
    assert not model.seen[tuple(np.transpose(LEFT_OUT))].any()
    assert model.prediction.vectors is not None
    assert len(model.prediction.vectors) == GRID.num_states
    assert model.prediction.losses[-1] < model.prediction.losses[0]


def test_a_frame_marks_what_was_predicted() -> None:
    model = TransitionModel("inverse-rule", like=GRID).fit(every_pair(GRID, LEFT_OUT))
    frame = model.to_frame(least=0.5)
    assert GRID.states is not None
    chosen = [
        GRID.states[1] == s and a == "down" for s, a in zip(frame["state"], frame["action"], strict=True)
    ]
    assert frame["seen"][chosen].tolist() == [False]
    assert frame["seen"].mean() > 0.8
    assert "4 of 56 pairs were never tried" in repr(model)


def test_it_needs_no_process() -> None:
    steps = Transitions.from_arrays(["a", "b", "a"], ["go", "go", "stay"], [0, 1, 0], ["b", "c", "a"])
    model = TransitionModel("smoothing", prior=1.0).fit(steps)
    assert model.counts.states == ["a", "b", "c"]
    np.testing.assert_allclose(model.predict(0, 0), [1 / 6, 2 / 3, 1 / 6])
    np.testing.assert_allclose(model.predict([2, 2], [0, 1]), 1 / 3)
    assert model.as_mdp().actions == ["go", "stay"]


def test_bad_input_has_one_sentence() -> None:
    steps = random_steps(0)
    with pytest.raises(UnknownNameError, match="dihedral"):
        TransitionModel("dihedrl")
    with pytest.raises(InputError, match="no recorded step"):
        TransitionModel().fit([])
    with pytest.raises(InputError, match="not been fitted"):
        TransitionModel().induced()
    with pytest.raises(InputError, match="multiple of 4, such as 8"):
        TransitionModel("quate", dim=6).fit(steps)
    with pytest.raises(InputError, match="prior=0"):
        TransitionModel(prior=0)
    with pytest.raises(InputError, match="no option 'epoch'"):
        TransitionModel("rotate", epoch=3).fit(steps)
    with pytest.raises(InputError, match="takes no options"):
        TransitionModel("back-off", dim=3).fit(steps)
    with pytest.raises(InputError, match="base='back-off'"):
        TransitionModel("hybrid", base="back-off").fit(steps)
    model = TransitionModel("smoothing").fit(steps)
    with pytest.raises(InputError, match="state 99"):
        model.predict(99, 0)
    many = np.arange(20_000)
    long = Transitions.from_arrays(many, many % 3, many, many)
    with pytest.raises(InputError, match="at most"):
        TransitionModel("smoothing").fit(long)
