r"""Potential-based shaping: rewards that speed learning up and leave the optimal policies as they are.

.. math::
    F(s, s') = \gamma \phi(s') - \phi(s), \qquad \phi(\text{terminal}) = 0

(`Ng, Harada and Russell, ICML 1999 <https://dl.acm.org/doi/10.5555/645528.657613>`_). Along an episode F sums to
:math:`\gamma^T \phi(s_T) - \phi(s_0)`, which no policy can change where the end has potential 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def shaping_reward(now: Any, then: Any, terminated: Any, discount: Any) -> NDArray[np.float64]:
    r""":math:`F = \gamma \phi(s') - \phi(s)`.

    Args:
        now: :math:`\phi(s)`, ``[T]``.
        then: :math:`\phi(s')`, ``[T]``; counts as 0 where ``terminated``, but not where an episode was cut short.
        terminated: Whether s' is terminal, ``[T]``.
        discount: :math:`\gamma`, a number or ``[T]``.
    """
    ended = np.asarray(terminated, dtype=bool)
    return np.where(ended, 0.0, np.asarray(discount) * np.asarray(then)) - np.asarray(now)
