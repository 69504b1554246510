from __future__ import annotations

import pytest
import torch
import torch_geometric.nn as pyg

from allpass.errors import InputError
from allpass.nn.dropout import seed_dropout
from allpass.nn.gat import GATConv
from allpass.testing.subjects import examples


def twin(layer: GATConv) -> pyg.GATConv:
    """PyG's layer with the same weights."""
    other = pyg.GATConv(
        layer.in_channels,
        layer.out_channels,
        layer.heads,
        layer.concat,
        negative_slope=layer.negative_slope,
        add_self_loops=layer.self_loops,
        bias=layer.bias is not None,
    ).double()
    with torch.no_grad():
        other.lin.weight.copy_(layer.weight.T)
        other.att_dst.copy_(layer.target.T.unsqueeze(0))
        other.att_src.copy_(layer.source.T.unsqueeze(0))
        if layer.bias is not None:
            other.bias.copy_(layer.bias.normal_())
    return other


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("concat", [True, False])
@pytest.mark.parametrize("self_loops", [True, False])
def test_equals_pyg(heads, concat, self_loops):
    layer = GATConv(5, 4, heads=heads, concat=concat, self_loops=self_loops, negative_slope=0.1).double()
    other = twin(layer)
    for example in examples():
        wanted = other(example.x, example.edge_index)
        torch.testing.assert_close(layer(example.x, example.edge_index), wanted)


def test_its_attention_can_be_read():
    example = examples()[2]  # loops that the graph has are attended to once
    layer = GATConv(5, 4, heads=2).double()
    edges, alpha = layer.attention(example.x, example.operator)
    _, (theirs, wanted) = twin(layer)(example.x, example.edge_index, return_attention_weights=True)
    dense = torch.zeros(2, 13, 13, 2, dtype=torch.float64)
    dense[0, edges[0], edges[1]] = alpha
    dense[1, theirs[0], theirs[1]] = wanted
    torch.testing.assert_close(dense[0], dense[1])


def test_the_score_bias_of_the_authors_code_shifts_scores_inside_the_activation():
    example = examples()[0]
    layer = GATConv(5, 4, heads=2, score_bias=True).double()
    plain = GATConv(5, 4, heads=2).double()
    plain.load_state_dict({k: v for k, v in layer.state_dict().items() if k != "score_bias"})
    torch.testing.assert_close(layer(example.x, example.operator), plain(example.x, example.operator))
    with torch.no_grad():
        layer.score_bias.fill_(0.5)
    assert not torch.allclose(layer(example.x, example.operator), plain(example.x, example.operator))
    with torch.no_grad():
        layer.score_bias.fill_(
            1e3
        )  # above 0 everywhere: LeakyReLU is the identity, and softmax forgets the shift
        linear = GATConv(5, 4, heads=2, negative_slope=1.0).double()
        linear.load_state_dict(plain.state_dict())
    torch.testing.assert_close(layer(example.x, example.operator), linear(example.x, example.operator))


def test_dropout_drops_coefficients_while_training():
    example = examples()[0]
    layer = GATConv(5, 4, dropout=0.5, bias=False).double()
    kept = layer.eval()(example.x, example.operator)
    layer.train()
    mean = torch.zeros_like(kept)
    for seed in range(400):
        seed_dropout(layer, seed)
        mean += layer(example.x, example.operator).detach() / 400
    assert not torch.allclose(layer(example.x, example.operator), kept)
    torch.testing.assert_close(mean, kept.detach(), atol=0.35, rtol=0)


def test_parameters():
    layer = GATConv(7, 4, heads=3)
    assert sum(p.numel() for p in layer.parameters()) == 3 * 4 * (7 + 2 + 1)


def test_bad_input():
    with pytest.raises(InputError, match="heads = 0"):
        GATConv(3, 4, heads=0)
