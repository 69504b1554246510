from __future__ import annotations

import math

import numpy as np
import pytest

from allpass.papers.pages.tables.best_of import best_among, best_of, told


@pytest.mark.parametrize("settings", [1, 5, 100])
def test_the_best_of_noisy_means_against_draws(settings: int) -> None:
    drawn = np.random.default_rng(0).normal(size=(20_000, settings)).max(axis=1)
    assert best_of(settings) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 20_000**0.5)


@pytest.mark.parametrize("settings", [2, 100, 30_000])
def test_among_how_many_settings_a_search_would_give_it(settings: int) -> None:
    assert best_among(best_of(settings)) == pytest.approx(settings, rel=1e-6)
    assert best_among(-1.0) == best_among(0.0) == 1.0
    assert best_among(9.0) == np.inf


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (1.0, "1"),
        (1.01, "2"),
        (99.2, "100"),
        (1234.0, "1,200"),
        (1e6, "1,000,000"),
        (math.inf, "over 1,000,000"),
    ],
)
def test_it_is_told_to_two_digits(settings: float, text: str) -> None:
    assert told(settings) == text
