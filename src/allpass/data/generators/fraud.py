"""A table of payments in which a few accounts are fraudulent: weak features, telling neighbours, missing labels."""

from __future__ import annotations

import numpy as np
from torch_geometric.data import Data

from allpass.data.account import Account
from allpass.data.arguments import share, whole_number
from allpass.data.draft import Draft, assemble
from allpass.data.generators.form import streams
from allpass.data.generators.sampling import Ints
from allpass.errors import InputError

FEATURES = ("days_open", "mean_amount", "night_share", "countries", "logins")
_RING = 10  # frauds that share their mules
_MULES = 4  # of a ring
_THROUGH = 0.6  # of the payments of a fraud that go to a mule, and of those of a mule that go to a fraud


def fraud_payments(
    accounts: int = 5000,
    *,
    fraud: float = 0.04,
    unlabelled: float = 0.1,
    payments: float = 6.0,
    seed: int = 0,
) -> Data:
    """Accounts that pay each other, a few of them fraudulent.

    Frauds hide: they seldom pay each other. Rings of ten share four mules, which are honest by their label; most
    payments of a fraud go to these, and most payments of a mule to the frauds of its ring. So neighbours of a fraud are
    of the other class, and accounts with the same neighbours are of the same. Other payments go to popular accounts.
    Features differ a little: frauds are newer, pay more at night, and to more countries.

    Args:
        accounts: How many accounts.
        fraud: The share of frauds.
        unlabelled: The share of accounts without a label.
        payments: The mean number of payments that an account makes. Those to itself are left out, and those to the same
            account are one edge.
        seed: Where the random numbers start; the features have a stream of their own.

    Example:
        >>> data = fraud_payments(500, seed=1)
        >>> data.class_names, [int((data.y == c).sum()) for c in (-1, 0, 1)]
        (['legit', 'fraud'], [50, 434, 16])
    """
    N = whole_number("accounts", accounts, least=100)
    if not payments >= 1:
        raise InputError(f"Got payments={payments!r}.", "Pass a mean number of 1 or more.")
    frauds = round(share("fraud", fraud, above_zero=True) * N)
    hidden = round(share("unlabelled", unlabelled) * N)
    rng, feature_rng = streams(seed)
    order = rng.permutation(N)
    rings = max(round(frauds / _RING), 1)
    if frauds < 1 or frauds + _MULES * rings > N:
        raise InputError(
            f"Got fraud={fraud!r} of {N:,} accounts: {frauds:,} frauds and their {_MULES * rings:,} mules.",
            "Pass a share with one fraud or more that leaves room for them, such as fraud=0.04.",
        )
    crooks, mules = order[:frauds], order[frauds : frauds + _MULES * rings]
    y = np.zeros(N, dtype=np.int64)
    y[crooks] = 1
    edge_index = _payments(rng, N, crooks, mules, rings, payments)
    x = _features(feature_rng, y)
    known = y.copy()
    known[rng.choice(N, hidden, replace=False)] = -1
    account = Account()
    account.add(
        "generated",
        N,
        f"{N:,} accounts and {edge_index.shape[1]:,} payments drawn by fraud_payments(fraud={fraud:g}, "
        f"unlabelled={unlabelled:g}, payments={payments:g}, seed={seed}).",
    )
    draft = Draft(
        num_nodes=N,
        edge_index=edge_index,
        x=x,
        y=known,
        feature_names=list(FEATURES),
        class_names=["legit", "fraud"],
        account=account,
    )
    return assemble(draft, name="fraud_payments", source="generator")


def _payments(
    rng: np.random.Generator, N: int, crooks: Ints, mules: Ints, rings: int, payments: float
) -> Ints:
    """Who pays whom, each pair once, ``[2, E]``."""
    payer = np.repeat(np.arange(N), 1 + rng.poisson(payments - 1, N))
    popularity = rng.lognormal(sigma=1.0, size=N)
    payee = rng.choice(N, len(payer), p=popularity / popularity.sum())
    ring = np.full(N, -1)
    for members in (crooks, mules):
        ring[members] = np.arange(len(members)) % rings
    through = rng.random(len(payer)) < _THROUGH
    for number in range(rings):
        sides = (crooks[ring[crooks] == number], mules[ring[mules] == number])
        for ours, theirs in (sides, sides[::-1]):
            mine = through & np.isin(payer, ours)
            payee[mine] = rng.choice(theirs, int(mine.sum()))
    return np.unique(np.stack([payer, payee])[:, payer != payee], axis=1)


def _features(rng: np.random.Generator, y: Ints) -> np.typing.NDArray[np.float32]:
    """Five columns of different scale, ``[N, 5]``."""
    N = len(y)
    columns = (
        rng.exponential(np.where(y == 1, 700, 900)).round(),
        rng.lognormal(np.where(y == 1, 3.2, 3.0), 1.0).round(2),
        rng.beta(np.where(y == 1, 1.4, 1.2), 6.0, N).round(3),
        1 + rng.poisson(np.where(y == 1, 1.2, 1.0)),
        rng.poisson(40, N),
    )
    return np.stack(columns, axis=1).astype(np.float32)
