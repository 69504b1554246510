"""The page of a model of transitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from allpass.report.canvas import to_bytes
from allpass.report.rl import page
from allpass.report.rl.reconstruction import (
    embedding_map,
    matrix_maps,
    plane,
    predicted,
    reconstruction_page,
)
from allpass.rl import TabularMDP, Transitions
from allpass.rl.reconstruction import Reconstruction, reconstruct
from allpass.rl.recording.runs import record_steps

DOORS = TabularMDP.from_grid("one-way-doors", 0.95)
QUICK: dict[str, Any] = {"epochs": 2, "dim": 8}


def learned(like: TabularMDP | None = DOORS) -> Reconstruction:
    return reconstruct(record_steps(DOORS.to_env(), 300, seed=1), "rotate", like=like, **QUICK)


@pytest.mark.parametrize("like", [DOORS, None], ids=["environment", "log"])
def test_a_page_has_the_three_pictures(like: TabularMDP | None) -> None:
    found = learned(like)
    shown = reconstruction_page(found, "doors")
    assert [chart.key for chart in shown.charts] == ["embedding", "matrix", "curves"]
    text = page.render(shown)
    assert text.count("<svg") == 3
    assert "data:image" not in text
    assert predicted(found).replace("'", "&#39;") in text
    unseen = int((found.model.counts.asked & (found.model.counts.tried == 0)).sum())
    matrix = shown.charts[1]
    assert len(matrix.rows) == min(unseen, 200)
    assert len(matrix.headers) == (5 if like is not None else 4)
    assert "Learned against" in found._repr_html_()


def test_rules_and_few_steps_have_no_picture_of_vectors() -> None:
    rule = reconstruct(record_steps(DOORS.to_env(), 300, seed=1), "inverse-rule", like=DOORS)
    assert [chart.key for chart in reconstruction_page(rule, "doors").charts] == ["matrix", "curves"]
    few = reconstruct(Transitions.from_arrays([0, 1], [0, 0], [0.0, 1.0], [1, 0]), "back-off")
    assert [chart.key for chart in reconstruction_page(few, "few").charts] == ["matrix"]
    assert "Too few pairs" in predicted(few)


def test_predicted_moves_have_their_own_colour() -> None:
    found = learned()
    _, right = matrix_maps(found).axes
    labels = [dots.get_label() for dots in right.collections]
    assert labels == ["from recorded steps", "predicted"]
    states = {int(state) for _, state in np.asarray(right.collections[1].get_offsets())}
    asked = found.model.counts.asked.reshape(
        found.model.seen.shape
    )  # an end keeps to itself, that is no prediction
    unseen = set(np.flatnonzero((~found.model.seen & asked).any(axis=1)).tolist())
    assert states
    assert states <= unseen


def test_states_are_at_their_principal_components() -> None:
    draw = np.random.default_rng(0)
    vectors = draw.normal(size=(20, 2)) @ np.array([[3.0, 0, 0, 0], [0, 1, 0, 0]])
    place, share = plane(vectors)
    assert share == pytest.approx(1)
    between = np.linalg.norm(vectors[:, None] - vectors, axis=2)
    np.testing.assert_allclose(np.linalg.norm(place[:, None] - place, axis=2), between, atol=1e-9)
    assert plane(np.array([[1.0], [2.0]]))[0].shape == (2, 2)
    drawn = embedding_map(learned(), draw.normal(size=(DOORS.num_states, 2)))
    assert b"data:image" not in to_bytes(drawn, ".svg")


def test_many_states_are_drawn_in_blocks() -> None:
    large = TabularMDP.from_grid("\n".join(["S" + "." * 19] * 19 + ["." * 19 + "G"]), 0.9)
    found = reconstruct(record_steps(large.to_env(), 200), "back-off", like=large)
    assert len(to_bytes(matrix_maps(found), ".svg")) < 2_000_000
