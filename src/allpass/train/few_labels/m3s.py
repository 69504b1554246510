"""A self-check of what a network believes: clusters of its outputs, named by the nearest class."""

from __future__ import annotations

import torch
from sklearn.cluster import KMeans
from torch import Tensor
from torch.nn import functional as F

from allpass.train.few_labels.expansion import Labels


def aligned(outputs: Tensor, labels: Labels, *, clusters: int = 200, seed: int = 0) -> Tensor:
    r"""The class of every node by clustering, bool ``[N, C]`` (DeepCluster with alignment: Sun, Lin, Zhu, AAAI 2020).

    The outputs are cut into clusters by k-means; a cluster with centre :math:`\nu_l` is given the class whose labelled
    nodes have the nearest mean :math:`\mu_m`:

    .. math::
        c_l = \arg\min_m \lVert \mu_m - \nu_l \rVert^2

    Args:
        outputs: What a network says of every node, ``[N, C]``.
        labels: What it was told.
        clusters: How many clusters; fewer where there are fewer nodes.
        seed: Where k-means begins.
    """
    points = F.normalize(outputs.detach().double(), dim=1)
    wanted = min(clusters, len(points.unique(dim=0)))
    found = KMeans(wanted, n_init=1, random_state=seed).fit(points.numpy())
    told = labels.one_hot(outputs.shape[1]).double()
    means = (told.T @ points) / told.sum(0).unsqueeze(1)  # NaN of a class that nobody shows
    distances = torch.cdist(torch.from_numpy(found.cluster_centers_), means).nan_to_num(nan=torch.inf)
    classes = distances.argmin(1)[torch.from_numpy(found.labels_).long()]
    return F.one_hot(classes, outputs.shape[1]).bool()
