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
_ONE = 2**32


class Dropout(nn.Module):
    r"""Sets each element to 0 with probability p while training and divides the others by 1 - p.

    The state is three buffers of whole numbers, which no change of precision (``.half()``) touches: ``cut`` (p times
    2^32), ``key`` (two words) and ``step`` (the number of training forwards done, advanced in place). They are not
    saved with the weights. ``torch.func`` stacks them like any buffer, and then every replica has its own rate and
    its own masks.

    Args:
        p: Probability of a zero, from 0 to 1.

    Example:
        >>> layer = Dropout(0.5)
        >>> seed_dropout(layer, 0)
        >>> layer(torch.ones(2, 5))
        tensor([[0., 2., 0., 0., 0.],
                [0., 0., 0., 0., 2.]])
        >>> layer.eval()(torch.ones(1, 2))
        tensor([[1., 1.]])
    """

    cut: Tensor
    key: Tensor
    step: Tensor

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.register_buffer("cut", torch.tensor(rate_to_cut(p)), persistent=False)
        words = torch.randint(-(2**31), 2**31, (2,)).int()
        self.register_buffer("key", words, persistent=False)
        self.register_buffer("step", torch.zeros((), dtype=torch.int32), persistent=False)

    def forward(self, x: Features) -> Features:
        x = as_features(x)
        if not self.training:
            return x
        self.step.add_(1)  # no number comes from the host, so a CUDA graph captures and replays it
        start = _mix(self.key[0] + self.step * _GOLDEN, 0)
        if isinstance(x, Operator):
            return x.with_values(x.values * self._factors(_spread_entries(x) + start, x.dtype))
        return x * self._factors(_spread(x, start), x.dtype).reshape(x.shape)

    def _factors(self, spread: Tensor, dtype: torch.dtype) -> Tensor:
        """0 or 1 / (1 - p) for each element."""
        wide = torch.promote_types(dtype, torch.float32)  # 2^32 is beyond half precision
        threshold = (self.cut - 2**31).clamp(max=2**31 - 1).int()
        kept = (_ONE - self.cut).to(wide)
        scale = torch.where(kept > 0, _ONE / kept, kept).to(dtype)  # 0 at p = 1
        return (_mix(spread, self.key[1]) >= threshold) * scale

    def extra_repr(self) -> str:
        return "p per replica" if self.cut.dim() or self.cut.is_meta else f"p={self.cut.item() / _ONE:g}"


def rate_to_cut(p: float) -> int:
    """What the buffer ``cut`` of :class:`Dropout` holds for the rate p: how many of the 2^32 hashes give a zero.

    Example:
        >>> rate_to_cut(0.5) == 2**31
        True
    """
    if not 0 <= p <= 1:
        raise InputError(f"Got the dropout rate {p}.", "Expected a probability, from 0 to 1.")
    return round(p * _ONE)


def seed_dropout(module: nn.Module, seed: int) -> None:
    """Give every :class:`Dropout` in ``module`` a key of its own that follows from ``seed``, and go back to step 0."""
    layers = [part for part in module.modules() if isinstance(part, Dropout)]
    for number, layer in enumerate(layers):
        start = _mix(torch.tensor(seed & 0x7FFFFFFF, dtype=torch.int32), 0)
        words = _mix(torch.tensor([1, 2], dtype=torch.int32) * _GOLDEN + start, number)
        layer.key.copy_(words)
        layer.step.zero_()


def set_dropout(module: nn.Module, p: float) -> None:
    """Set the rate of every :class:`Dropout` in ``module``."""
    for part in module.modules():
        if isinstance(part, Dropout):
            part.cut.fill_(rate_to_cut(p))


def _mix(word: Tensor, second: Tensor | int) -> Tensor:
    """MurmurHash3's finaliser on 32-bit words, with a second word of the key added on the way."""
    h = _folded(word, 16).mul_(_MIX_1).add_(second)
    return _folded(_folded(h, 13).mul_(_MIX_2), 16)


def _folded(word: Tensor, bits: int) -> Tensor:
    """The word xor itself shifted right, in one new tensor; the mask takes out the sign that torch's shift repeats."""
    return (word >> bits).bitwise_and_((1 << (32 - bits)) - 1).bitwise_xor_(word)


def _spread(x: Tensor, start: Tensor) -> Tensor:
    """``start`` + index times golden ratio, modulo 2^32, for every element as ``[rows, columns]``."""
    columns = x.shape[-1] if x.dim() else 1
    rows = x.numel() // max(columns, 1)
    down = torch.arange(rows, dtype=torch.int32, device=x.device) * _wrapped(columns * _GOLDEN)
    along = torch.arange(columns, dtype=torch.int32, device=x.device) * _GOLDEN
    return (down + start).unsqueeze(1) + along


def _spread_entries(x: Operator) -> Tensor:
    """Index times golden ratio, modulo 2^32, for every stored entry: the index it has in the dense matrix."""

    def compute() -> Tensor:
        flat = x.pattern.row * x.shape[1] + x.pattern.col.long()
        return ((flat + 2**31) % _ONE - 2**31).int() * _GOLDEN

    return x.derived("spread entries", compute)


def _wrapped(number: int) -> int:
    """As a signed 32-bit number."""
    return (number + 2**31) % _ONE - 2**31
