"""Advantages of the shaped critic."""

from __future__ import annotations

import numpy as np

from allpass.rl.agents.ppo import generalised_advantages


def test_advantages_are_the_sum_of_discounted_errors_of_each_episode() -> None:
    generator = np.random.default_rng(0)
    T, discount, decay = 12, 0.9, 0.8
    reward, now, then = generator.normal(size=(3, T, 1))
    done = np.zeros((T, 1), dtype=bool)
    done[[3, 8]] = True
    terminated = np.zeros_like(done)
    terminated[3] = True
    found = generalised_advantages(reward, now, then, terminated, done, discount=discount, decay=decay)
    ends = [3, 8, T - 1]
    for t in range(T):
        end = next(e for e in ends if e >= t)
        expected = sum(
            (discount * decay) ** (k - t) * (reward[k] + discount * then[k] * (1 - terminated[k]) - now[k])
            for k in range(t, end + 1)
        )
        np.testing.assert_allclose(found[t], expected, rtol=1e-5)
