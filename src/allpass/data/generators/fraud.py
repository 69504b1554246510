"""Accounts that pay each other, a few of them fraudulent: rare positives, heterophilous links and missing labels."""

from __future__ import annotations

import numpy as np
from torch_geometric.data import Data

from allpass.data.arguments import share, whole_number
from allpass.data.generators.form import finish, streams
from allpass.data.generators.sampling import Ints, draw_distinct, unpack
from allpass.errors import InputError

_COLUMNS = ("age_days", "mean_amount", "payments_per_week", "night_share", "devices")
_FRAUD = np.array([-0.4, 0.4, 0.1, 0.4, 0.1])  # shift of each column, in its deviations
_MULE = -_FRAUD / 4
_CENTRE = np.array([6.0, 4.0, 1.5, -2.0, 0.5])
_SPREAD = np.array([1.0, 0.8, 0.7, 0.6, 0.5])


def fraud_payments(
    num_accounts: int = 5000,
    *,
    fraud: float = 0.04,
    unlabelled: float = 0.1,
    ring_size: int = 10,
    mules_per_ring: int = 4,
    payments_to_mules: int = 2,
    customers: int = 12,
    payments: int = 3,
    seed: int = 0,
) -> Data:
    """A payment network in which fraudsters work in rings and pay mules rather than each other.

    Every account pays ``payments`` random others. A fraudster also pays some mules of its ring: ordinary accounts,
    labelled 0, that pass the money on and have customers of their own. So a fraudster's links lead to honest accounts,
    and two fraudsters of a ring meet two steps apart. An edge leads from payer to payee.

    The five features (age of the account, amounts and habits, all positive and skewed) predict fraud only weakly. Mules
    are shifted the other way, so the mean over an account and its neighbours says less than their difference.

    Args:
        num_accounts: Number of accounts.
        fraud: Share of fraudulent accounts, class 1.
        unlabelled: Share of accounts whose label is missing (-1), drawn from all.
        ring_size: Fraudsters in a ring; the last ring takes the rest.
        mules_per_ring: Mules of each ring.
        payments_to_mules: How many of them each fraudster pays.
        customers: Random accounts that pay each mule.
        payments: Random payees of every account.
        seed: Where the random numbers start; the features have a stream of their own.

    Example:
        >>> data = fraud_payments(500, fraud=0.1, unlabelled=0)
        >>> data.y.bincount().tolist()
        [450, 50]
    """
    N = whole_number("num_accounts", num_accounts, least=2)
    size = whole_number("ring_size", ring_size, least=1)
    each = whole_number("mules_per_ring", mules_per_ring)
    count, hidden = round(share("fraud", fraud) * N), round(share("unlabelled", unlabelled) * N)
    rings = -(-count // size)
    M = rings * each
    if count + M > N:
        raise InputError(
            f"{count} fraudsters and {M} mules do not fit into {N} accounts.",
            "Take more accounts, a smaller share of fraud, or fewer mules.",
        )
    rng, feature_rng = streams(seed)
    order = rng.permutation(N)
    fraudsters, mules = order[:count], order[count : count + M]
    payer, payee = _draw("payments", payments, N, N - 1, rng)
    payee += payee >= payer  # nobody pays itself
    member, mule = _draw("payments_to_mules", payments_to_mules, count, each, rng)
    bought, customer = _draw("customers", customers, M, N - 1, rng)
    customer += customer >= mules[bought]
    edges = [
        (payer, payee),
        (fraudsters[member], mules[member // size * each + mule]),
        (customer, mules[bought]),
    ]
    keys = np.unique(np.concatenate([one * N + other for one, other in edges]))
    y = np.zeros(N, dtype=np.int64)
    y[fraudsters] = 1
    shift = np.zeros((N, len(_COLUMNS)))
    shift[fraudsters], shift[mules] = _FRAUD, _MULE
    y[rng.permutation(N)[:hidden]] = -1
    recipe = {
        "num_accounts": N,
        "fraud": fraud,
        "unlabelled": unlabelled,
        "ring_size": size,
        "mules_per_ring": each,
        "payments_to_mules": payments_to_mules,
        "customers": customers,
        "payments": payments,
        "seed": seed,
    }
    z = feature_rng.standard_normal(shift.shape) + shift
    x = np.exp(_CENTRE + _SPREAD * z).round(3).astype(np.float32)  # rounded: exp differs between processors
    return finish(
        "fraud_payments",
        unpack(keys, N),
        y,
        x,
        recipe=recipe,
        feature_names=_COLUMNS,
        class_names=("legit", "fraud"),
    )


def _draw(name: str, each: int, rows: int, pool: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """``each`` distinct numbers below ``pool`` for every row."""
    if whole_number(name, each) > pool:
        raise InputError(
            f"Got {name}={each} where there are {pool} accounts to choose from.", f"Take at most {pool}."
        )
    return draw_distinct(np.full(rows, each), np.full(rows, pool), rng)
