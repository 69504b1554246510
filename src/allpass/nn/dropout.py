r"""Dropout whose masks are a function of a seed, a step and an element, and of nothing else.

The keep-or-drop decision of element i is a hash of (key, i), and the key steps on by itself. So the same seed gives the
same masks on every device, for every number of replicas trained together, for dense and for sparse features, and
whatever other random numbers are drawn in between. The rate is held in tensors: replicas may each have their own.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.graph.pattern import outside
from allpass.nn.inputs import Features, as_features

_SPREAD = -7046029254386353131  # 2^64 / golden ratio, signed: neighbouring indices become far ones
_MIX = -4658895280553007687  # the first multiplier of the splitmix64 generator, signed
_FEW = 2**16
_STEP, _SHIFT = 6364136223846793005, 1442695040888963407  # a full-period generator modulo 2^64 (Knuth)


class Dropout(nn.Module):
    r"""Sets each element to 0 with probability p while training and divides the others by 1 - p.

    The state is three buffers, which are not saved with the weights: ``threshold`` and ``scale`` hold the rate, and
    ``key`` the place in the stream of masks, which a training forward advances in place. ``torch.func`` stacks them
    like any buffer, and then every replica has its own rate and its own masks. No number comes from the host, so a
    CUDA graph captures and replays it.

    Args:
        p: Probability of a zero, from 0 to 1.

    Example:
        >>> layer = Dropout(0.5)
        >>> seed_dropout(layer, 0)
        >>> layer(torch.ones(2, 5))
        tensor([[0., 0., 2., 0., 2.],
                [0., 0., 0., 2., 2.]])
        >>> layer.eval()(torch.ones(1, 2))
        tensor([[1., 1.]])
    """

    threshold: Tensor
    scale: Tensor
    key: Tensor

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        threshold, scale = rate_buffers(p)
        self.register_buffer("threshold", threshold, persistent=False)
        self.register_buffer("scale", scale, persistent=False)
        self.register_buffer("key", torch.randint(-(2**63), 2**63 - 1, ()), persistent=False)

    def forward(self, x: Features) -> Features:
        x = as_features(x)
        if not self.training:
            return x
        step_key(self.key)
        if isinstance(x, Operator):
            return x.with_values(x.values * self._factors(_spread_entries(x), x.dtype))
        return x * self._dense_factors(x.numel(), x.device, x.dtype).reshape(x.shape)

    def kept(self, count: int) -> Tensor:
        """Which of ``count`` elements the last training forward kept, bool ``[count]``."""
        return hashed(spread_indices(count, self.key.device), self.key) >= self.threshold

    def _dense_factors(self, count: int, device: torch.device, dtype: torch.dtype) -> Tensor:
        """The factors of elements 0, 1, 2, ...; on a CPU in parts that stay in the cache, with the same bits."""
        if count <= _FEW or device.type != "cpu":
            return self._factors(spread_indices(count, device), dtype)
        spread, scale, parts = spread_indices(_FEW, device), self.scale.to(dtype), []
        for start in range(0, count, _FEW):
            key = self.key + _signed(start * _SPREAD)
            parts.append((hashed(spread[: count - start], key) >= self.threshold) * scale)
        return torch.cat(parts)

    def _factors(self, spread: Tensor, dtype: torch.dtype) -> Tensor:
        """0 or 1 / (1 - p) for each element."""
        return (hashed(spread, self.key) >= self.threshold) * self.scale.to(dtype)

    def extra_repr(self) -> str:
        several = self.threshold.dim() or self.threshold.is_meta
        return "p per replica" if several else f"p={self.threshold.item() / 2**64 + 0.5:.6g}"


def rate_buffers(p: float) -> tuple[Tensor, Tensor]:
    """The buffers ``threshold`` and ``scale`` of :class:`Dropout` for a rate.

    Example:
        >>> rate_buffers(0.75)
        (tensor(4611686018427387904), tensor(4., dtype=torch.float64))
    """
    if not 0 <= p <= 1:
        raise InputError(f"Got the dropout rate {p}.", "Expected a probability, from 0 to 1.")
    threshold = min(round(p * 2**64) - 2**63, 2**63 - 1)
    return torch.tensor(threshold), torch.tensor(1 / (1 - p) if p < 1 else 0.0, dtype=torch.float64)


def seed_dropout(module: nn.Module, seed: int) -> None:
    """Give every :class:`Dropout` in ``module`` a key of its own that follows from ``seed``."""
    layers = [part for part in module.modules() if isinstance(part, Dropout)]
    for number, layer in enumerate(layers):
        digest = hashlib.blake2b(f"{seed} {number}".encode(), digest_size=8).digest()
        layer.key.fill_(int.from_bytes(digest, "little", signed=True))


def set_dropout(module: nn.Module, p: float) -> None:
    """Set the rate of every :class:`Dropout` in ``module``."""
    threshold, scale = rate_buffers(p)
    for part in module.modules():
        if isinstance(part, Dropout):
            part.threshold.copy_(threshold)
            part.scale.copy_(scale)


def step_key(key: Tensor) -> Tensor:
    """The next key of a stream of masks, in place."""
    return key.mul_(_STEP).add_(_SHIFT)


def hashed(spread: Tensor, key: Tensor) -> Tensor:
    """64-bit hashes of spread-out indices under a key; the upper bits are the good ones."""
    h = spread + key
    return h.bitwise_xor_(h >> 32).mul_(_MIX)


def _signed(number: int) -> int:
    """A number modulo 2^64 as a signed one, as torch adds them."""
    return (number + 2**63) % 2**64 - 2**63


def spread_indices(count: int, device: torch.device) -> Tensor:
    """The spread-out indices 0, 1, 2, ...; few of them are kept, as making them takes as long as hashing them."""
    if count > _FEW or device.type != "cpu":
        return torch.arange(count, device=device).mul_(_SPREAD)
    return _kept_indices(count)


@lru_cache(maxsize=8)
def _kept_indices(count: int) -> Tensor:
    return outside(lambda: torch.arange(count).mul_(_SPREAD), torch.device("cpu"))


def _spread_entries(x: Operator) -> Tensor:
    """The spread-out index of every stored entry: the one it has in the dense matrix."""

    def compute() -> Tensor:
        M, N = x.shape
        counts = x.pattern.crow.diff()
        starts = torch.arange(M, device=x.device).mul_(N).mul_(_SPREAD)
        rows = torch.repeat_interleave(starts, counts, output_size=x.nnz)
        return rows.add_(x.pattern.col.long().mul_(_SPREAD))

    return x.derived("spread entries", compute)
