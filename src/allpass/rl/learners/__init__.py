"""Tabular learners for experiments: many seeds learn side by side, each as if it were alone."""

from allpass.rl.learners.actor_critic import ActorCritic
from allpass.rl.learners.loop import History, learn
from allpass.rl.learners.q_learning import DynaQ, QLearning
from allpass.rl.learners.shaping import Shaping
from allpass.rl.learners.worlds import TableWorld, World

__all__ = ["ActorCritic", "DynaQ", "History", "QLearning", "Shaping", "TableWorld", "World", "learn"]
