"""How sure a mean is, and whether two models differ on the same splits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from allpass.data.splits import Split
from allpass.errors import InputError

EXACT = 20
"""Up to so many pairs all flips of the signs are tried: half a million, in milliseconds."""

FLIPS = 9_999
"""How many flips are drawn where there are more pairs than that."""


TELLING = 3
"""So many values it takes for an interval or a p-value that tells anything."""


@dataclass(frozen=True)
class Estimate:
    """The mean of a sample, and where the true mean lies.

    One value has no interval, a sample with a NaN no mean, and one with an infinite value no interval: those numbers
    are NaN. Where all values are equal the interval has no width.

    Args:
        mean: The mean.
        low: The lower end of its interval.
        high: The upper end.
        count: How many values there are.
        deviation: The sample's standard deviation, which divides by n - 1.
        population: The population's, which divides by n; many papers print it.
        confidence: How often such an interval holds the true mean.
    """

    mean: float
    low: float
    high: float
    count: int
    deviation: float
    population: float
    confidence: float

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def to_dict(self) -> dict[str, float | None]:
        """The numbers by name; one that JSON lacks is None."""
        return {name: value if math.isfinite(value) else None for name, value in vars(self).items()}


@dataclass(frozen=True)
class Difference(Estimate):
    """The mean of paired differences with its interval, and how likely such a mean is where nothing differs.

    Args:
        p_value: Of the paired t test, two-sided; NaN of one pair. Where all differences are equal it is 1 if they are
            0 and 0 otherwise: trust the other one there.
        p_flipped: Of the test that flips the signs of the differences, two-sided: it assumes no distribution.
    """

    p_value: float
    p_flipped: float

    @property
    def telling(self) -> bool:
        """Whether the p-values tell anything: it takes three pairs, and differences that are not all the same."""
        return self.count >= TELLING and self.deviation > 1e-9 * max(1.0, abs(self.mean))


def estimate(values: ArrayLike, *, confidence: float = 0.95, overlap: float = 0.0) -> Estimate:
    r"""The mean of a sample with its interval by Student's t.

    .. math::
        \bar x \pm t_{n - 1} \, s \sqrt{\frac{1}{n} + \rho}

    Args:
        values: A score of each split.
        confidence: How often such an interval holds the true mean.
        overlap: :math:`\rho`, see :func:`overlap_of`. At 0 the interval is of the mean over all splits of *this*
            graph, of which the splits are a fair draw. Above 0 it is of the mean over graphs of this kind: splits of
            one graph share their nodes, so their scores lean the same way, and an interval that takes them for
            independent is too narrow for that (Nadeau and Bengio, 2003).

    Example:
        >>> found = estimate([0.80, 0.84, 0.82, 0.86])
        >>> f"{found.mean:.3f} from {found.low:.3f} to {found.high:.3f}"
        '0.830 from 0.789 to 0.871'
    """
    return _student(_sample(values, "values"), confidence, overlap)


def paired(
    first: ArrayLike, second: ArrayLike, *, confidence: float = 0.95, overlap: float = 0.0
) -> Difference:
    """By how much the first of two models is ahead on the same splits, and how sure that is.

    Args:
        first: A score of each split.
        second: The other's, in the same order.
        confidence: How often the interval holds the true difference.
        overlap: As of :func:`estimate`, for the interval and ``p_value``; flipping signs cannot correct for it.

    Example:
        >>> found = paired([0.80, 0.84, 0.82, 0.86], [0.78, 0.83, 0.79, 0.84])
        >>> f"{found.mean:.3f}, p = {found.p_value:.3f} and {found.p_flipped:.3f}"
        '0.020, p = 0.016 and 0.125'
    """
    ours, theirs = _sample(first, "first"), _sample(second, "second")
    if len(ours) != len(theirs):
        raise InputError(
            f"Got {len(ours)} and {len(theirs)} values; pairs need as many of both.",
            "Pass a score of each for every split, in the same order.",
        )
    with np.errstate(invalid="ignore"):
        differences = np.where(np.isfinite(ours - theirs), ours - theirs, np.nan)
    found = _student(differences, confidence, overlap)
    p_value, p_flipped = _student_p(differences, overlap), _flipped_p(differences)
    return Difference(**vars(found), p_value=p_value, p_flipped=p_flipped)


def overlap_of(splits: Sequence[Split]) -> float:
    """The factor of Nadeau and Bengio: test nodes over training nodes, the mean over the splits.

    Example:
        >>> import torch
        >>> mask = torch.arange(10)
        >>> overlap_of([Split(mask < 6, (mask >= 6) & (mask < 7), mask >= 7, "mine")])
        0.5
    """
    if not splits:
        raise InputError("Got no splits.", "Pass those that the scores are of.")
    ratios = [int(split.test.sum()) / max(int(split.train.sum()), 1) for split in splits]
    return float(np.mean(ratios))


def welch(first: float, first_count: int, second: float, second_count: int) -> float:
    """The degrees of freedom of a difference of two independent means, by Welch and Satterthwaite.

    Args:
        first: The squared standard error of one mean.
        first_count: How many values it is of.
        second: That of the other.
        second_count: How many values that is of.

    Example:
        >>> welch(0.2, 10, 0.2, 10), welch(0.2, 10, 0.0, 10)
        (18.0, 9.0)
    """
    return (first + second) ** 2 / (first**2 / (first_count - 1) + second**2 / (second_count - 1))


def holm(p_values: ArrayLike) -> list[float]:
    """P-values of several comparisons, raised so that the chance of any false alarm keeps below the level.

    The smallest of m is multiplied by m, the next by m - 1, and so on, none smaller than the one before (Holm, 1979).
    A NaN stays one, and counts among the m.

    Example:
        >>> holm([0.04, 0.01, 0.03])
        [0.06, 0.03, 0.06]
    """
    given = _sample(p_values, "p_values")
    if ((given < 0) | (given > 1)).any():
        raise InputError("Got a p-value outside of 0 to 1.", "Pass probabilities.")
    order = np.argsort(given)  # NaN come last
    factors = len(given) - np.arange(len(given))
    raised = np.minimum(np.maximum.accumulate(given[order] * factors), 1.0)
    adjusted = np.empty_like(given)
    adjusted[order] = raised
    return [float(value) for value in adjusted]


@np.errstate(invalid="ignore")  # of infinite values
def _student(values: NDArray[np.float64], confidence: float, overlap: float) -> Estimate:
    if not 0 < confidence < 1:
        raise InputError(f"Got confidence = {confidence}.", "Expected a share between 0 and 1, such as 0.95.")
    n, mean = len(values), float(values.mean())
    reach = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * _error(values, overlap)
    population = float(values.std())
    return Estimate(mean, mean - reach, mean + reach, n, _deviation(values), population, confidence)


def _error(values: NDArray[np.float64], overlap: float) -> float:
    if not 0 <= overlap < math.inf:
        raise InputError(f"Got overlap = {overlap}.", "Expected test over training nodes, or 0.")
    return _deviation(values) * math.sqrt(1 / len(values) + overlap)


def _deviation(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan


def _student_p(differences: NDArray[np.float64], overlap: float) -> float:
    mean, error = float(differences.mean()), _error(differences, overlap)
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * special.stdtr(len(differences) - 1, -abs(mean) / error))


def _flipped_p(differences: NDArray[np.float64]) -> float:
    """The share of sign flips whose sum is at least as far from 0 as the one that was found."""
    if np.isnan(differences).any():
        return math.nan
    n, total = len(differences), abs(float(differences.sum()))
    if n <= EXACT:
        sums = differences[:1]  # its own sign may stay: turning all of them turns the sum
        for difference in differences[1:]:
            sums = np.concatenate([sums + difference, sums - difference])
    else:
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(FLIPS, n))
        sums = np.append(signs @ differences, total)  # what was found is a flip too
    near = total - 1e-12 * float(np.abs(differences).sum())  # rounding must not break a tie
    return float(np.mean(np.abs(sums) >= near))


def _sample(values: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} holds what is no number: {error}.", "Pass numbers.") from error
    if array.ndim != 1 or not array.size:
        raise InputError(
            f"{name} has the shape {list(array.shape)}.", "Expected one number or more in a row."
        )
    return array
