r"""Activations by name, and AdaReLU, which begins as the identity and learns its two slopes.

ReLU loses rank as layers are stacked, tanh keeps it (report, section 2.1); the identity shows what the nonlinearity
itself does.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.registry import Registry

BREAK = "Luan et al.: Break the Ceiling, NeurIPS 2019"
TRAINING = "Luan et al.: Training Matters, 2020"


class AdaReLU(nn.Module):
    r"""The adaptive ReLU of report 2.2.

    .. math::
        f(x_i) = \beta_i x_i \text{ for } x_i > 0, \qquad f(x_i) = \alpha_i x_i \text{ otherwise.}

    Both slopes are learned and begin at 1, so a network starts linear, which is what the degree-aware
    initialisations assume, and becomes nonlinear by training.

    Args:
        channels: Number of features for slopes of their own (channel-wise), or nothing for one pair (channel-shared).

    Shapes:
        ``[..., channels]`` to the same.

    Example:
        >>> AdaReLU()(torch.tensor([-1.0, 2.0]))
        tensor([-1.,  2.], grad_fn=<MulBackward0>)
    """

    def __init__(self, channels: int | None = None) -> None:
        super().__init__()
        shape = () if channels is None else (channels,)
        self.alpha = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.ones(shape))

    def reset_parameters(self) -> None:
        """Back to the identity."""
        nn.init.ones_(self.alpha)
        nn.init.ones_(self.beta)

    def forward(self, x: Tensor) -> Tensor:
        if self.alpha.dim() and x.shape[-1:] != self.alpha.shape:
            raise InputError(
                f"Got features of shape {list(x.shape)} for AdaReLU of {self.alpha.shape[0]} channels.",
                f"Expected [..., {self.alpha.shape[0]}]; AdaReLU() without channels takes any width.",
            )
        return torch.where(x > 0, self.beta, self.alpha) * x  # fewer bytes than two products to choose from

    def extra_repr(self) -> str:
        return "channel-shared" if self.alpha.dim() == 0 else f"channel-wise, {self.alpha.shape[0]}"


@dataclass(frozen=True)
class Activation:
    """An activation by name.

    Args:
        name: Its name.
        build: Makes the module for a number of channels.
        gain: What it leaves of the second moment of a symmetric signal, and its derivative of that of a gradient:
            1 for those that begin as the identity, 1/2 for ReLU; nothing where the size of the signal decides.
        citation: Where it was introduced or studied.
        aliases: Other names.
    """

    name: str
    build: Callable[[int], nn.Module]
    gain: float | None = None
    citation: str = BREAK
    aliases: tuple[str, ...] = ()


ACTIVATIONS: Registry[Activation] = Registry("activation")
for _entry in (
    Activation("relu", lambda _: nn.ReLU(), gain=0.5),
    Activation("tanh", lambda _: nn.Tanh()),
    Activation("identity", lambda _: nn.Identity(), gain=1.0, aliases=("linear", "none")),
    Activation("adarelu", AdaReLU, 1.0, TRAINING, aliases=("adarelu-channel-wise",)),
    Activation("adarelu-shared", lambda _: AdaReLU(), 1.0, TRAINING, aliases=("adarelu-channel-shared",)),
    Activation("elu", lambda _: nn.ELU()),
    Activation("selu", lambda _: nn.SELU()),
    Activation("leaky-relu", lambda _: nn.LeakyReLU(), gain=(1 + 0.01**2) / 2),
    Activation("sigmoid", lambda _: nn.Sigmoid()),
    Activation("hardshrink", lambda _: nn.Hardshrink()),
    Activation("softshrink", lambda _: nn.Softshrink()),
    Activation("tanhshrink", lambda _: nn.Tanhshrink()),
):
    ACTIVATIONS.add(_entry)


ActivationLike: TypeAlias = str | nn.Module | Callable[[Tensor], Tensor]
"""What layers and models take as an activation: a name of ``ACTIVATIONS``, a module, or a function of a tensor."""


class Function(nn.Module):
    """A plain function as a module."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)

    def extra_repr(self) -> str:
        return getattr(self.function, "__name__", repr(self.function))


def activation(given: ActivationLike, channels: int) -> nn.Module:
    """The activation for features of this width.

    Args:
        given: A name of ``ACTIVATIONS``, a module, or a function of a tensor. A module is copied, so every layer of a
            model learns parameters of its own.
        channels: The width of the features.

    Example:
        >>> activation("adarelu", 16)
        AdaReLU(channel-wise, 16)
        >>> activation(torch.sin, 16)
        Function(sin)
    """
    if channels < 0:
        raise InputError(f"Got {channels} channels.", "Expected 0 or more.")
    if isinstance(given, str):
        return ACTIVATIONS[given].build(channels)
    if isinstance(given, nn.Module):
        return copy.deepcopy(given)
    if isinstance(given, type):
        raise InputError(
            f"Got the class {given.__name__} as activation.", f"Pass a module: {given.__name__}()."
        )
    if not callable(given):
        raise InputError(
            f"Got {given!r} as activation.",
            f"Expected a module, a function of a tensor, or one of {', '.join(ACTIVATIONS.names)}.",
        )
    return Function(given)
