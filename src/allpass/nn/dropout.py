r"""Dropout whose masks are a function of a key, a step and an element, and of nothing else.

The keep-or-drop decision of element i is a hash of (key, step, i). So the same seed gives the same masks on every
device, for every number of replicas trained together, for dense and for sparse features, and whatever other random
numbers are drawn in between. The rate is a tensor: replicas trained together may each have their own.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.operator import Operator
from allpass.nn.inputs import Features, as_features

_GOLDEN = -1640531527  # 2^32 / golden ratio, as a signed 32-bit number: neighbouring indices become far ones
_MIX_1, _MIX_2 = -2048144789, -1028477387  # the multipliers of MurmurHash3's finaliser


class Dropout(nn.Module):
    r"""Sets each element to 0 with probability p while training and divides the others by 1 - p.

    The state is two buffers: ``rate`` (p) and ``key`` (two words and the number of steps done, which a training
    forward advances in place). They are not saved with the weights. ``torch.func`` stacks them like any buffer, and
    then every replica has its own rate and its own masks.

    Args:
        p: Probability of a zero, from 0 to 1.

    Example:
        >>> layer = Dropout(0.5)
        >>> seed_dropout(layer, 0)
        >>> layer(torch.ones(2, 5))
        tensor([[2., 2., 0., 2., 2.],
                [0., 2., 0., 0., 2.]])
        >>> layer.eval()(torch.ones(1, 2))
        tensor([[1., 1.]])
    """

    rate: Tensor
    key: Tensor

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise InputError(f"Got the dropout rate {p}.", "Expected a probability, from 0 to 1.")
        self.register_buffer("rate", torch.tensor(float(p), dtype=torch.float64), persistent=False)
        words = torch.randint(-(2**31), 2**31, (2,))
        self.register_buffer("key", torch.cat([words, words.new_zeros(1)]).int(), persistent=False)

    def forward(self, x: Features) -> Features:
        x = as_features(x)
        if not self.training:
            return x
        self.key += _UNIT.to(self.key.device)
        if isinstance(x, Operator):
            return x.with_values(x.values * self._factors(_flat_index(x), x.dtype))
        index = torch.arange(x.numel(), dtype=torch.int32, device=x.device)
        return x * self._factors(index, x.dtype).reshape(x.shape)

    def _factors(self, index: Tensor, dtype: torch.dtype) -> Tensor:
        """0 or 1 / (1 - p) for each element."""
        threshold = (self.rate * 2.0**32 - 2.0**31).clamp(max=2.0**31 - 1).to(torch.int32)
        scale = torch.where(self.rate < 1, 1 / (1 - self.rate), torch.zeros_like(self.rate)).to(dtype)
        return (_hash(index, self.key) >= threshold) * scale

    def extra_repr(self) -> str:
        return f"p={self.rate.item():g}" if self.rate.dim() == 0 else "p per replica"


_UNIT = torch.tensor([0, 0, 1], dtype=torch.int32)


def seed_dropout(module: nn.Module, seed: int) -> None:
    """Give every :class:`Dropout` in ``module`` a key of its own that follows from ``seed``, and go back to step 0."""
    layers = [part for part in module.modules() if isinstance(part, Dropout)]
    for number, layer in enumerate(layers):
        source = torch.tensor([seed & 0x7FFFFFFF, number, 0], dtype=torch.int32)
        words = _hash(torch.tensor([1, 2], dtype=torch.int32), source)
        with torch.no_grad():
            layer.key.copy_(torch.cat([words, torch.zeros(1, dtype=torch.int32)]))


def set_dropout(module: nn.Module, p: float) -> None:
    """Set the rate of every :class:`Dropout` in ``module``."""
    for part in module.modules():
        if isinstance(part, Dropout):
            part.rate.fill_(p)


def _hash(index: Tensor, key: Tensor) -> Tensor:
    """A 32-bit hash of (key, index): one multiplication spreads the index, then MurmurHash3's finaliser mixes."""
    start = _scramble(key[0] + key[2] * _GOLDEN)
    h = index * _GOLDEN + start
    h = (h ^ _shift(h, 16)) * _MIX_1 + key[1]
    h = (h ^ _shift(h, 13)) * _MIX_2
    return h ^ _shift(h, 16)


def _scramble(word: Tensor) -> Tensor:
    word = (word ^ _shift(word, 16)) * _MIX_1
    word = (word ^ _shift(word, 13)) * _MIX_2
    return word ^ _shift(word, 16)


def _shift(word: Tensor, bits: int) -> Tensor:
    """Right shift that brings in zeros; torch's own repeats the sign."""
    return (word >> bits) & ((1 << (32 - bits)) - 1)


def _flat_index(x: Operator) -> Tensor:
    """The place of every stored entry in the dense matrix, row by row, modulo 2^32."""

    def compute() -> Tensor:
        flat = x.pattern.row * x.shape[1] + x.pattern.col.long()
        return ((flat + 2**31) % 2**32 - 2**31).int()

    return x.derived("flat index", compute)
