from __future__ import annotations

import torch
from torch_geometric.data import Data

from allpass.data.fingerprint import fingerprint


def graph(**changes: object) -> Data:
    parts = {
        "edge_index": torch.tensor([[0, 1], [1, 0]]),
        "x": torch.tensor([[0.0, 1.0], [2.0, 0.0]]),
        "y": torch.tensor([0, 1]),
        "num_nodes": 2,
    }
    return Data(**(parts | changes))


def test_equal_content_has_equal_hash_whatever_its_name():
    assert fingerprint(graph(name="a")) == fingerprint(
        graph(name="b", train_mask=torch.tensor([True, False]))
    )


def test_every_part_counts():
    variants = [
        graph(),
        graph(edge_index=torch.tensor([[0], [1]])),
        graph(edge_weight=torch.ones(2)),
        graph(x=torch.tensor([[0.0, 1.0], [2.0, 1e-7]])),
        graph(x=torch.tensor([[0.0, 1.0, 2.0, 0.0]]).reshape(2, 2).double()),
        graph(x=torch.tensor([[0.0], [1.0]])),
        graph(y=torch.tensor([1, 0])),
        graph(y=None),
        graph(num_nodes=3),
        graph(x=graph().x.to_sparse_csr()),
        graph(x=graph().x.to_sparse_coo()),
    ]
    assert len({fingerprint(variant) for variant in variants}) == len(variants)


def test_memory_layout_does_not_count():
    x = torch.arange(6.0).reshape(2, 3)
    assert fingerprint(graph(x=x)) == fingerprint(graph(x=x.T.contiguous().T))


def test_sparse_coo_is_hashed_in_its_canonical_form():
    once = torch.sparse_coo_tensor(torch.tensor([[0], [1]]), torch.tensor([2.0]), (2, 2))
    twice = torch.sparse_coo_tensor(torch.tensor([[0, 0], [1, 1]]), torch.tensor([1.0, 1.0]), (2, 2))
    assert fingerprint(graph(x=once)) == fingerprint(graph(x=twice))


def test_an_empty_graph_has_one_too():
    assert len(fingerprint(Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=0))) == 64
