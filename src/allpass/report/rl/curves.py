"""Learning curves with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from allpass.report.canvas import canvas, in_style, legend
from allpass.report.theme import light

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]


@in_style
def learning_curves(curves: Mapping[str, tuple[Array, Array, Array]]) -> Figure:
    """Steps of each episode by learner: the mean over seeds as a line, its 95% interval as a band.

    Args:
        curves: Mean, lower and upper end by name, ``[episodes]`` each; at most two.
    """
    figure, axes = canvas(3.2, 7.0)
    for (name, (mean, low, high)), role in zip(curves.items(), ("low", "high"), strict=False):
        episode = np.arange(1, len(mean) + 1)
        axes.fill_between(episode, np.maximum(low, 1), high, color=light(role), alpha=0.2, linewidth=0)
        axes.plot(episode, mean, color=light(role), label=name, linewidth=1.4)
    axes.locator_params(axis="x", integer=True)
    axes.set(xlabel="episode", ylabel="steps", yscale="log", xlim=(1, None))
    bottom, top = axes.get_ylim()
    ticks = [tick for power in range(7) for tick in (10**power, 3 * 10**power) if bottom <= tick <= top]
    axes.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(axis="y")
    legend(figure, [[axes]])
    return figure
