"""What the report's appendix expects of a network before its first step, on the graph it is trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from allpass.graph.operator import Operator
from allpass.nn.activations import ACTIVATIONS
from allpass.nn.initialisation import SCHEMES, Degrees, weight_variance
from allpass.nn.propagation import predict_propagation
from allpass.papers.depth.trainings import DeepTrainings, logarithms
from allpass.papers.tables.trainings import prepared
from allpass.train.adjacency import adjacency
from allpass.train.scaling import Scaler

ASSUMED = {"independent": 0.0, "alike": 1.0}
"""How alike neighbours are taken to be, by name: the two ends of the correlation alpha."""


@dataclass(frozen=True)
class Ground:
    """What a prediction has to know of a graph.

    Args:
        graph: The adjacency.
        moment: The mean square of the features.
        features: How many there are.
        classes: How many there are.
    """

    graph: Operator
    moment: float
    features: int
    classes: int

    @classmethod
    def of(cls, trainings: DeepTrainings) -> Ground:
        """The graph of some trainings, with its features scaled as there.

        Args:
            trainings: The trainings.
        """
        how = trainings.protocol
        data, _ = prepared(trainings.dataset, how)
        x = Scaler.of(data.x, how.scaling)(data.x)
        return cls(
            adjacency(data, torch.float64, undirected=how.undirected),
            float(x.double().square().mean()),
            x.shape[1],
            int(data.y.max()) + 1,
        )

    def predicted(self, settings: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
        """Decimal logarithms of the sizes in every layer, by assumption and quantity.

        The gain of an activation that depends on the size of the signal, such as tanh, is taken for 1, which holds
        while signals are small.

        Args:
            settings: Of the network.
        """
        hidden, init = settings["hidden_channels"], settings["init"]
        widths = [self.features, *[hidden] * (settings["num_layers"] - 1), self.classes]
        degrees = Degrees.of(self.graph)
        variances = [
            weight_variance(init, i, o, degrees, alpha=settings["alpha"])
            / (max(i, o) if SCHEMES[init].shape == "orthogonal" else 1)
            for i, o in pairwise(widths)
        ]
        activation = settings["activation"] if ACTIVATIONS[settings["activation"]].gain else "identity"
        found = dict[str, NDArray[np.float64]]()
        for assumption, alpha in ASSUMED.items():
            flow = predict_propagation(
                self.graph, widths, variances, activation=activation, alpha=alpha, input_moment=self.moment
            )
            found |= {f"{assumption}_{name}": values for name, values in logarithms(flow).items()}
        del found["alike_gradient_variance"]  # the report has no such correlation of gradients
        return found
