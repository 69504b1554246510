"""Models as scikit-learn's estimators, on graphs and on plain arrays."""

from allpass.train.estimator.classifier import NodeClassifier
from allpass.train.estimator.regressor import NodeRegressor

__all__ = ["NodeClassifier", "NodeRegressor"]
