"""Features made from the structure: what they hold, what is said of them, and on which graphs they mean something."""

from __future__ import annotations

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

from allpass.data import FEATURES_FROM, load, save_npz, with_structural_features
from allpass.data.structural import (
    POSITIONS,
    check_same_nodes,
    has_features,
    made_by,
    with_constant_feature,
    with_features_like,
)
from allpass.errors import DataError, InputError, UnknownNameError
from allpass.graph import ROLES, Operator, node_roles, spectral_positions


def karate(**options: object) -> Data:
    return load("karate", **options)


def undirected(data: Data) -> Operator:
    return Operator.from_edge_index(data.edge_index, None, data.num_nodes).symmetrized()


def test_identity_is_a_sparse_unit_matrix_named_after_the_nodes() -> None:
    data = load(nx.path_graph(["a", "b", "c"]), features_from="identity")
    assert data.x.layout == torch.sparse_csr
    assert torch.equal(data.x.to_dense(), torch.eye(3))
    assert data.feature_names == ["is node a", "is node b", "is node c"]


def test_degree_and_position_are_those_of_the_graph() -> None:
    data = karate(features_from="degree")
    assert torch.equal(data.x, node_roles(undirected(data)))
    assert tuple(data.feature_names) == ROLES
    data = karate(features_from="position")
    assert torch.equal(data.x, spectral_positions(undirected(data), POSITIONS))
    assert len(data.feature_names) == data.x.shape[1]


@pytest.mark.parametrize("how", FEATURES_FROM)
def test_direction_weights_loops_and_copies_change_nothing(how: str) -> None:
    plain = karate()
    once = plain.edge_index[:, plain.edge_index[0] < plain.edge_index[1]]
    loops = torch.arange(34).repeat(2, 1)
    edges = torch.cat([once, loops], dim=1)
    other = Data(edge_index=edges, edge_weight=torch.rand(edges.shape[1]), num_nodes=34)
    found = load(other, features_from=how).x.to_dense()
    assert torch.allclose(found, karate(features_from=how).x.to_dense(), atol=1e-4)


@pytest.mark.parametrize("how", FEATURES_FROM)
def test_every_way_leaves_a_note_and_another_fingerprint(how: str) -> None:
    plain, data = karate(), karate(features_from=how)
    (note,) = (note for note in data.account if note.code == "features-from")
    assert f"features_from={how!r}" in note.what
    assert note.what.endswith(".")
    assert note.count == data.x.shape[1]
    assert "no-features" not in data.account
    assert data.fingerprint != plain.fingerprint
    assert plain.get("x") is None
    assert load(data).fingerprint == data.fingerprint


def test_features_that_were_there_are_replaced_and_said() -> None:
    graph = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), x=torch.ones(3, 7), num_nodes=3)
    data = load(graph, features_from="degree")
    assert data.x.shape == (3, 5)
    (note,) = (note for note in data.account if note.code == "features-from")
    assert "They replace 7 features of the data." in note.what


def test_every_target_takes_it(tmp_path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    file = save_npz(karate(), tmp_path / "karate.npz")
    for target in (tmp_path, file, "karate", nx.path_graph(3), Data(edge_index=torch.tensor([[0], [1]]))):
        assert load(target, features_from="degree").x.shape[1] == 5


def test_a_file_keeps_made_features(tmp_path) -> None:
    for how in FEATURES_FROM:
        data = karate(features_from=how)
        again = load(save_npz(data, tmp_path / f"{how}.npz"))
        assert again.fingerprint == data.fingerprint
        assert made_by(again.feature_names) == how


def test_unknown_ways_and_graphs_without_edges() -> None:
    with pytest.raises(UnknownNameError, match=r"features_from='degrees'. Did you mean 'degree'"):
        karate(features_from="degrees")
    bare = Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=3)
    assert load(bare, features_from="degree").x.tolist() == [[0.0] * 5] * 3
    with pytest.raises(DataError, match="no edges, so its nodes have no positions"):
        with_structural_features(bare, "position")


def test_who_made_features_is_known_by_their_names() -> None:
    for how in FEATURES_FROM:
        assert made_by(karate(features_from=how).feature_names) == how
    assert made_by(None) == made_by([]) == made_by(["age", "is node 3"]) == ""
    assert made_by(["position x", "position y"]) == ""


def test_a_graph_without_features_gets_a_constant_that_is_made_again() -> None:
    bare = load("karate")
    filled = with_constant_feature(bare)
    assert filled.x.tolist() == [[1.0]] * 34
    assert filled.fingerprint == bare.fingerprint
    assert bare.x is None
    assert made_by(filled.feature_names) == "constant"
    assert with_constant_feature(filled) is filled
    assert torch.equal(with_features_like(bare, filled.feature_names).x, filled.x)
    assert with_features_like(bare, ["age"]) is bare
    none = with_structural_features(bare, "degree")
    none.x = none.x[:, :0]
    assert not has_features(none)
    assert with_constant_feature(none).x.shape == (34, 1)


def test_positions_and_nodes_belong_to_one_graph() -> None:
    whole, part = karate(), load(nx.path_graph(34))
    names = {
        (how, k): with_structural_features(data, how).feature_names
        for how in FEATURES_FROM
        for k, data in enumerate((whole, part))
    }
    for how in FEATURES_FROM:
        check_same_nodes(names[how, 0], names[how, 0])
    check_same_nodes(names["degree", 1], names["degree", 0])
    check_same_nodes(names["identity", 1][::-1], names["identity", 0])
    with pytest.raises(InputError, match="positions in one graph"):
        check_same_nodes(names["position", 1], names["position", 0])
    with pytest.raises(InputError, match="positions in one graph"):
        check_same_nodes(None, names["position", 0])
    with pytest.raises(InputError, match=r"for each of its 34 nodes\. It does not know '34'\."):
        check_same_nodes(["is node 34", *names["identity", 0]], names["identity", 0])
    with pytest.raises(InputError, match="4 nodes of them are missing"):
        check_same_nodes(names["identity", 0][4:], names["identity", 0])
