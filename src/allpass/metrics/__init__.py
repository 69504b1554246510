"""Numbers about a graph: homophily in all its forms, similarity, informativeness, smoothing."""

from allpass.metrics.aggregation import (
    aggregation_homophily,
    aggregation_similarity,
    modified_aggregation_homophily,
    modified_aggregation_similarity,
)
from allpass.metrics.autocorrelation import (
    Autocorrelation,
    autocorrelation_test,
    gearys_c,
    morans_i,
    neighbour_correlation,
)
from allpass.metrics.base import Measurement, Metric
from allpass.metrics.catalog import METRICS
from allpass.metrics.classifier import GraphTest, classifier_test, run_classifier
from allpass.metrics.diversification import diversification_distinguishability
from allpass.metrics.estimate import Estimate, estimate
from allpass.metrics.homophily import (
    class_homophily,
    classwise_homophily,
    edge_homophily,
    label_smoothness,
    node_homophily,
)
from allpass.metrics.informativeness import (
    adjusted_homophily,
    label_informativeness,
    neighbourhood_identifiability,
)
from allpass.metrics.labelled import LabelledGraph
from allpass.metrics.profile import Profile, Row, prepare, profile
from allpass.metrics.similarity import ClassSimilarity, feature_similarity, label_similarity, node_similarity
from allpass.metrics.smoothing import (
    dirichlet_energy,
    feature_variance,
    mean_average_distance,
    numerical_rank,
    smoothing_curve,
)
from allpass.metrics.smoothness import feature_smoothness, generalized_edge_homophily

__all__ = [
    "METRICS",
    "Autocorrelation",
    "ClassSimilarity",
    "Estimate",
    "GraphTest",
    "LabelledGraph",
    "Measurement",
    "Metric",
    "Profile",
    "Row",
    "adjusted_homophily",
    "aggregation_homophily",
    "aggregation_similarity",
    "autocorrelation_test",
    "class_homophily",
    "classifier_test",
    "classwise_homophily",
    "dirichlet_energy",
    "diversification_distinguishability",
    "edge_homophily",
    "estimate",
    "feature_similarity",
    "feature_smoothness",
    "feature_variance",
    "gearys_c",
    "generalized_edge_homophily",
    "label_informativeness",
    "label_similarity",
    "label_smoothness",
    "mean_average_distance",
    "modified_aggregation_homophily",
    "modified_aggregation_similarity",
    "morans_i",
    "neighbour_correlation",
    "neighbourhood_identifiability",
    "node_homophily",
    "node_similarity",
    "numerical_rank",
    "prepare",
    "profile",
    "run_classifier",
    "smoothing_curve",
]
