"""Training with few labels: strategies that find more of them, or smooth the answers, around any model."""

from allpass.train.few_labels.catalog import STRATEGIES, Strategy, few_labels

__all__ = ["STRATEGIES", "Strategy", "few_labels"]
