"""Both shaped learners: at alpha = 1 they are their parents, below it the potential counts."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from tests.rl.agents.corridor import Corridor

from allpass.errors import InputError
from allpass.rl.agents import ShapedDQN, ShapedPPO
from allpass.rl.potentials import create_potential

DQN_SETTINGS = {"learning_starts": 50, "batch_size": 16, "target_update_interval": 60, "gradient_steps": 2}
PPO_SETTINGS = {"n_steps": 32, "batch_size": 16, "n_epochs": 2}
CASES = [(ShapedDQN, DQN, DQN_SETTINGS), (ShapedPPO, PPO, PPO_SETTINGS)]


def learned(kind: Any, steps: int = 400, n_envs: int = 2, **settings: Any) -> Any:
    env = make_vec_env(Corridor, n_envs=n_envs, seed=3)
    return kind("MlpPolicy", env, seed=3, device="cpu", **settings).learn(steps)


def weights(learner: Any) -> dict[str, torch.Tensor]:
    return learner.policy.state_dict()


def equal(a: Any, b: Any) -> bool:
    one, other = weights(a), weights(b)
    return one.keys() == other.keys() and all(torch.equal(one[key], other[key]) for key in one)


@pytest.mark.parametrize(("shaped", "parent", "settings"), CASES)
def test_alpha_1_is_the_parent_bit_by_bit_and_alpha_0_is_not(shaped: Any, parent: Any, settings: Any) -> None:
    plain = learned(parent, **settings)
    potential = partial(create_potential, "harmonic")
    assert equal(plain, learned(shaped, potential=potential(), alpha=1.0, refresh_every=2, **settings))
    assert not equal(plain, learned(shaped, potential=potential(), alpha=0.0, refresh_every=2, **settings))


@pytest.mark.parametrize(("shaped", "parent", "settings"), CASES)
def test_the_same_seed_gives_the_same_bits(shaped: Any, parent: Any, settings: Any) -> None:
    again = [learned(shaped, potential="gcn", refresh_every=2, **settings) for _ in range(2)]
    assert equal(*again)
    assert again[0].shaper.fits > 0


@pytest.mark.parametrize(("shaped", "parent", "settings"), CASES)
def test_a_saved_learner_acts_as_before(shaped: Any, parent: Any, settings: Any, tmp_path: Path) -> None:
    learner = learned(shaped, potential="gcn", alpha=0.3, refresh_every=2, **settings)
    learner.save(tmp_path / "learner.zip")
    loaded = shaped.load(tmp_path / "learner.zip", env=make_vec_env(Corridor, n_envs=2, seed=3), device="cpu")
    seen = np.random.default_rng(0).uniform(-1, 1, (50, 2)).astype(np.float32)
    np.testing.assert_array_equal(
        loaded.predict(seen, deterministic=True)[0], learner.predict(seen, deterministic=True)[0]
    )
    assert loaded.alpha == 0.3
    loaded.learn(100)


@pytest.mark.parametrize(
    ("shaped", "settings"),
    [
        (
            ShapedDQN,
            {
                "learning_starts": 100,
                "target_update_interval": 100,
                "train_freq": 1,
                "learning_rate": 1e-3,
                "exploration_fraction": 0.5,
                "potential": "harmonic",
            },
        ),
        (ShapedPPO, {"n_steps": 64, "batch_size": 32, "potential": "gcn"}),
    ],
)
def test_it_solves_the_corridor_as_the_raw_reward_says(shaped: Any, settings: Any) -> None:
    learner = learned(shaped, 3000, n_envs=4, refresh_every=4, gamma=0.9, **settings)
    mean, deviation = evaluate_policy(learner, make_vec_env(Corridor, seed=9), n_eval_episodes=3, warn=False)
    assert (mean, deviation) == (1.0, 0.0)


def test_combined_values_are_the_mixture() -> None:
    learner = learned(ShapedDQN, potential="harmonic", alpha=0.25, refresh_every=2, **DQN_SETTINGS)
    seen = torch.rand(20, 2)
    with torch.no_grad():
        mixture = 0.25 * learner.q_net(seen) + 0.75 * learner.shaped_policy.q_net(seen)
    torch.testing.assert_close(learner.combined_values(seen), mixture)
    action, _ = learner.predict(seen.numpy(), deterministic=True)
    np.testing.assert_array_equal(action, mixture.argmax(dim=1).numpy())
    assert learner.predict(seen[0].numpy(), deterministic=True)[0] == action[0]


def test_n_step_batches_shape_over_n_steps() -> None:
    learned(ShapedDQN, potential="harmonic", refresh_every=2, n_steps=3, **DQN_SETTINGS)


@pytest.mark.parametrize("shaped", [ShapedDQN, ShapedPPO])
def test_bad_input_has_one_sentence(shaped: Any) -> None:
    with pytest.raises(InputError, match=r"alpha = 1\.5"):
        shaped("MlpPolicy", Corridor(), alpha=1.5)
    with pytest.raises(InputError, match="refresh_every = 0"):
        shaped("MlpPolicy", Corridor(), refresh_every=0)
    with pytest.raises(LookupError, match="harmonic"):
        shaped("MlpPolicy", Corridor(), potential="harmonik")
