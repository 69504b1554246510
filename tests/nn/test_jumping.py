from __future__ import annotations

import pytest
import torch
import torch_geometric.nn as pyg
from torch.func import functional_call, grad, stack_module_state, vmap

from allpass.errors import InputError
from allpass.nn.jumping import BidirectionalLSTM, JumpingKnowledge


def layers(count: int = 3, nodes: int = 6, width: int = 4) -> list[torch.Tensor]:
    return list(torch.randn(count, nodes, width, dtype=torch.float64))


def give(lstm: torch.nn.LSTM, ours: BidirectionalLSTM) -> None:
    """Our weights to torch's module: they are stored transposed there, and b is the sum of two."""
    with torch.no_grad():
        for way, suffix in enumerate(("l0", "l0_reverse")):
            getattr(lstm, f"weight_ih_{suffix}").copy_(ours.weight[way].T)
            getattr(lstm, f"weight_hh_{suffix}").copy_(ours.recurrent[way].T)
            getattr(lstm, f"bias_hh_{suffix}").copy_(ours.bias[way] - getattr(lstm, f"bias_ih_{suffix}"))


def test_the_lstm_equals_torch():
    ours = BidirectionalLSTM(4, 5).double()
    theirs = torch.nn.LSTM(4, 5, bidirectional=True).double()
    give(theirs, ours)
    x = torch.stack(layers())
    torch.testing.assert_close(ours(x), theirs(x)[0])


def test_equals_pyg():
    given = layers()
    for mode in ("cat", "max"):
        wanted = pyg.JumpingKnowledge(mode)(given)
        assert torch.equal(JumpingKnowledge(mode)(given), wanted)
    ours = JumpingKnowledge("lstm", 4, 3).double()
    theirs = pyg.JumpingKnowledge("lstm", 4, 3).double()
    give(theirs.lstm, ours.lstm)
    with torch.no_grad():
        theirs.att.weight.copy_(ours.score.unsqueeze(0))  # its bias stays: softmax cancels it
    given = [x.requires_grad_() for x in given]
    out, wanted = ours(given), theirs(given)
    torch.testing.assert_close(out, wanted)
    for mine, other in zip(
        torch.autograd.grad(out.square().sum(), given),
        torch.autograd.grad(wanted.square().sum(), given),
        strict=True,
    ):
        torch.testing.assert_close(mine, other)


def test_batches_equal_the_loop():
    modules = [JumpingKnowledge("lstm", 4, 3, lstm_channels=2).double() for _ in range(3)]
    stacked, buffers = stack_module_state(modules)
    given = layers()

    def loss(parameters, state, xs):
        return functional_call(modules[0], (parameters, state), (xs,)).square().sum()

    found = vmap(grad(loss), (0, 0, None))(stacked, buffers, given)
    for number, module in enumerate(modules):
        module(given).square().sum().backward()
        for name, parameter in module.named_parameters():
            assert parameter.grad.any()
            torch.testing.assert_close(found[name][number], parameter.grad)


def test_modes_without_weights_batch():
    given = torch.randn(3, 2, 6, 4)  # replicas, layers, nodes, features
    for mode in ("cat", "max"):
        jump = JumpingKnowledge(mode)
        batched = vmap(lambda xs, jump=jump: jump(xs.unbind(0)))(given)
        assert torch.equal(batched, torch.stack([jump(list(xs)) for xs in given]))


def test_parameters():
    H = 4 * 3 // 2
    wanted = 2 * 4 * H * (4 + H + 1) + 2 * H
    assert sum(p.numel() for p in JumpingKnowledge("lstm", 4, 3).parameters()) == wanted


def test_bad_input():
    with pytest.raises(InputError, match="mode 'sum'"):
        JumpingKnowledge("sum")
    with pytest.raises(InputError, match="channels = None and num_layers = 3"):
        JumpingKnowledge("lstm", num_layers=3)
    with pytest.raises(InputError, match=r"shapes \[2, 3\], \[2, 4\]"):
        JumpingKnowledge("max")([torch.zeros(2, 3), torch.zeros(2, 4)])
    with pytest.raises(InputError, match="no layers"):
        JumpingKnowledge("cat")([])
