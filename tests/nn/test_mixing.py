from __future__ import annotations

import math

import pytest
import torch
from torch.func import functional_call, vmap

from allpass.errors import InputError
from allpass.nn import ChannelMixing


@pytest.fixture
def channels():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(6, 3, 4, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("temperature", [None, 0.5])
@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_node_by_node(channels, temperature, scale):
    mixing = ChannelMixing(3, 4, temperature=temperature, scale=scale).double()
    T = 3.0 if temperature is None else temperature
    out = mixing(channels)
    for i in range(6):
        scores = [
            1 / (1 + math.exp(-float(H[i] @ mixing.score[c].detach())))
            for c, H in enumerate(channels.unbind(1))
        ]
        mixed = [sum(scores[k] * float(mixing.mix[k, c].detach()) for k in range(3)) / T for c in range(3)]
        total = sum(math.exp(value) for value in mixed)
        alpha = [math.exp(value) / total for value in mixed]
        assert mixing.weights[i].tolist() == pytest.approx(alpha)
        wanted = scale * sum(a * H[i] for a, H in zip(alpha, channels.unbind(1), strict=True))
        torch.testing.assert_close(out[i], wanted)


def test_weights_are_a_distribution_and_need_no_gradient(channels):
    mixing = ChannelMixing(3, 4).double()
    assert mixing.weights is None
    mixing(channels)
    torch.testing.assert_close(mixing.weights.sum(1), torch.ones(6, dtype=torch.float64))
    assert not mixing.weights.requires_grad


def test_a_high_temperature_gives_the_mean(channels):
    mixing = ChannelMixing(3, 4, temperature=1e9).double()
    torch.testing.assert_close(mixing(channels), channels.mean(1), atol=1e-7, rtol=0)
    summed = ChannelMixing(3, 4, temperature=1e9, scale=3).double()
    torch.testing.assert_close(summed(channels), channels.sum(1), atol=1e-7, rtol=0)


def test_layer_norm_is_on_the_scores_alone(channels):
    plain, normed = ChannelMixing(3, 4).double(), ChannelMixing(3, 4, layer_norm=True).double()
    normed.load_state_dict(plain.state_dict(), strict=False)
    scaled = 100 * channels + 7
    normed(channels)
    before = normed.weights
    normed(scaled)
    torch.testing.assert_close(
        normed.weights, before, atol=1e-4, rtol=0
    )  # blind to shift and scale, up to eps
    out = normed(scaled)
    wanted = sum(normed.weights[:, c : c + 1] * H for c, H in enumerate(scaled.unbind(1)))
    torch.testing.assert_close(out, wanted)  # but the mixture has them


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_number_of_parameters(count):
    assert sum(p.numel() for p in ChannelMixing(count, 5).parameters()) == count * 5 + count**2
    assert (
        sum(p.numel() for p in ChannelMixing(count, 5, layer_norm=True).parameters()) == count * 15 + count**2
    )


def test_one_channel_comes_back(channels):
    torch.testing.assert_close(ChannelMixing(1, 4).double()(channels[:, :1]), channels[:, 0])


def test_beginnings():
    torch.manual_seed(0)
    mixing = ChannelMixing(3, 2000, layer_norm=True)
    assert 0.99 < float(mixing.score.detach().abs().max()) <= 1
    assert float(mixing.mix.detach().abs().max()) <= 3**-0.5
    assert torch.equal(mixing.gain, torch.ones(3, 2000))
    assert not mixing.shift.any()


def test_nothing_is_kept_of_a_batch(channels):
    mixing = ChannelMixing(3, 4).double()
    state = {name: torch.stack([p, p]) for name, p in mixing.named_parameters()}
    out = vmap(lambda parameters: functional_call(mixing, parameters, (channels,)))(state)
    assert mixing.weights is None
    torch.testing.assert_close(out[1], mixing(channels))


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan])
def test_temperatures_that_make_no_sense(temperature):
    with pytest.raises(InputError, match="Got the temperature"):
        ChannelMixing(3, 4, temperature=temperature)


@pytest.mark.parametrize("layer_norm", [False, True])
def test_derivatives_of_first_and_second_order(channels, layer_norm):
    mixing = ChannelMixing(3, 4, temperature=0.7, scale=3, layer_norm=layer_norm).double()
    names, values = zip(*mixing.named_parameters(), strict=True)

    def run(H, *parameters):
        return functional_call(mixing, dict(zip(names, parameters, strict=True)), (H,))

    inputs = (channels.requires_grad_(), *values)
    assert torch.autograd.gradcheck(run, inputs)
    assert torch.autograd.gradgradcheck(run, inputs)


def test_large_signals_go_channel_by_channel_and_give_the_same():
    torch.manual_seed(0)
    mixing, H = ChannelMixing(3, 32).double(), torch.randn(1000, 3, 32, dtype=torch.float64)
    assert H.numel() > 2**16
    rows = torch.cat([mixing(part) for part in H.split(100)])
    torch.testing.assert_close(mixing(H), rows)
    weight = torch.randn(1000, 32, dtype=torch.float64)
    wanted = torch.autograd.grad((rows * weight).sum(), list(mixing.parameters()))
    found = torch.autograd.grad((mixing(H) * weight).sum(), list(mixing.parameters()))
    torch.testing.assert_close(found, wanted)
