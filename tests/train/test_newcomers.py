from __future__ import annotations

import copy
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file
from tests.train.cards import change, read_card
from tests.train.trainings import graph
from tests.train.weeks import NEW, OLD, Weeks, keep, write_weeks
from torch_geometric.data import Data

from allpass import load_checkpoint
from allpass.data import load, splits
from allpass.errors import AllpassError, DataError, InputError
from allpass.sealed import CheckpointError
from allpass.train import Trained, checkpoint
from allpass.train.fit import fit

pytestmark = pytest.mark.usefixtures("unrecorded")

MODELS = {
    "acm-gcn": {},
    "gcn": {},
    "mlp-2": {},
    "h2gcn": {},
    "sage with labels": {"label_input": True},
    "label-propagation": {},
    "trees": {},
    "trees without labels": {"label_input": False},
    "correct-and-smooth": {},
}


@pytest.fixture(scope="module")
def weeks(tmp_path_factory) -> Weeks:
    return write_weeks(tmp_path_factory.mktemp("weeks"))


@pytest.fixture(scope="module")
def kept(weeks: Weeks) -> Path:
    return keep("acm-gcn", load(weeks.old, drop="opened", text="note"), weeks.folder / "kept")


def _full(trained: Trained, weeks: Weeks) -> Data:
    """Both weeks read as one graph."""
    return load(weeks.everything, encodings=trained.encodings)


@pytest.mark.parametrize("words", MODELS)
def test_new_nodes_get_the_numbers_of_the_full_pass_on_the_enlarged_graph(weeks, tmp_path, words):
    trained = load_checkpoint(keep(words.split()[0], weeks.old, tmp_path / "kept", **MODELS[words]))
    full = _full(trained, weeks)
    x, adjacency, given = trained.inputs(full)
    if given:  # the labels of the training, and nothing of the new nodes
        labels = torch.cat([trained.labels, torch.full((NEW,), -1)])
        given = {"labels": labels, "mask": labels >= 0}
    with torch.no_grad():
        expected = trained.network(x, adjacency, **given)[OLD:].double().softmax(1)
    found = trained.probabilities(new=weeks.new, edges=weeks.links)
    assert found.shape == (NEW, 2)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-7)
    alone = trained.probabilities(new=weeks.new)
    assert torch.equal(alone, found) == (words == "mlp-2")


@pytest.mark.parametrize("directed", [True, False])
def test_weights_directions_and_numbers(tmp_path, directed):
    weeks = write_weeks(tmp_path, numbers=True, weights=True)
    data = load(weeks.old)
    (split,) = splits(Data(y=torch.zeros(OLD, dtype=torch.long)), "random", count=1)
    (replica,) = fit("sage", data, split, stop="fixed", epochs=5, undirected=not directed)
    trained = Trained.of(replica, data).with_graph(data)
    trained = load_checkpoint(checkpoint.save(trained, tmp_path / "kept"))
    expected = trained.outputs(_full(trained, weeks))[OLD:]
    found = trained.read(new=weeks.new, edges=weeks.links)
    torch.testing.assert_close(trained.outputs(found)[found.asked], expected)
    np.testing.assert_allclose(
        trained.predict(new=weeks.new, edges=weeks.links), expected[:, 0].numpy(), rtol=1e-5
    )
    pd.read_csv(weeks.links).drop(columns="weight").to_csv(tmp_path / "bare.csv", index=False)
    with pytest.raises(
        InputError, match="The edges of the training have weights, and the edges of the new nodes have none"
    ):
        trained.predict(new=weeks.new, edges=tmp_path / "bare.csv")


def test_words_gaps_and_strange_values_are_noted_and_what_was_left_out_stays_out(weeks, kept):
    trained = load_checkpoint(kept)
    assert trained.training_graph.x.layout == load(weeks.old, drop="opened", text="note").x.layout
    data = trained.read(new=weeks.new, edges=weeks.links)
    codes = {note.code for note in data.account}
    assert codes == {"unseen-values", "filled-as-trained", "unknown-columns"}
    assert data.x.shape == (OLD + NEW, trained.in_channels)
    assert not [name for name in trained.feature_names if name.startswith("opened")]
    full = _full(trained, weeks)
    assert torch.equal(data.x.to_dense(), full.x.to_dense())
    assert torch.equal(trained.outputs(data), trained.outputs(full))


@pytest.mark.parametrize("layout", [torch.sparse_csr, torch.strided])
def test_sparse_features_and_nodes_without_ids(tmp_path, layout):
    data = graph()
    data.x = data.x * (data.x > 0.9)
    data.x = data.x if layout == torch.strided else data.x.to_sparse_csr()
    trained = load_checkpoint(keep("gcn", data, tmp_path / "kept"))
    assert trained.training_graph.x.layout == layout
    (file,) = (tmp_path / "kept").glob("graph-*")
    assert "x/rows" in load_file(file)
    assert torch.equal(trained.outputs(trained.training_graph), trained.outputs(data))
    rows = torch.rand(2, 5).round(decimals=3)
    new = pd.DataFrame(rows.numpy().astype(str), columns=list("vwxyz")).astype(float)
    new.insert(0, "id", ["one", "two"])
    found = trained.read(new=new, edges=pd.DataFrame({"source": ["one", "7"], "target": ["3", "two"]}))
    full = copy.copy(data)
    full.x, full.num_nodes = torch.cat([data.x.to_dense(), rows]), 62
    full.edge_index = torch.cat([data.edge_index, torch.tensor([[60, 7], [3, 61]])], dim=1)
    torch.testing.assert_close(trained.outputs(found), trained.outputs(full))


@pytest.mark.parametrize("how", ["degree", "identity", "position"])
def test_features_of_the_structure_follow_from_the_enlarged_graph_or_are_refused(weeks, tmp_path, how):
    data = load(weeks.old, features_from=how)
    trained = load_checkpoint(keep("gcn", data, tmp_path / "kept"))
    new = pd.read_csv(weeks.new)[["id"]]
    if how == "degree":
        full = load(weeks.everything, label=False, features_from=how)
        found = trained.read(new=new, edges=weeks.links)
        torch.testing.assert_close(trained.outputs(found)[OLD:], trained.outputs(full)[OLD:])
        return
    with pytest.raises(
        InputError, match=r"trained with a column for each of its 90 nodes|trained on positions in one"
    ):
        trained.predict(new=new, edges=weeks.links)


def test_the_same_table_in_another_order_is_aligned_by_id(weeks, tmp_path):
    nodes = pd.read_csv(weeks.old / "nodes.csv").sample(frac=1, random_state=0)
    edges = pd.read_csv(weeks.old / "edges.csv").sample(frac=1, random_state=1)
    for model in ("linkx", "label-propagation", "structure-trees", "acm-gcn+"):
        data = load(weeks.old)
        trained = load_checkpoint(keep(model, data, tmp_path / model))
        expected = dict(zip(data.node_ids, trained.outputs(data).tolist(), strict=True))
        mixed = load(edges=edges, nodes=nodes, encodings=trained.encodings)
        for name, found in zip(mixed.node_ids, trained.outputs(mixed).tolist(), strict=True):
            assert found == pytest.approx(expected[name], rel=1e-4, abs=1e-5)
        bare = checkpoint.load(checkpoint.save(trained.with_graph(None), tmp_path / "bare"))
        with pytest.raises(InputError, match=r"not those of the training, or in another order.*--no-graph"):
            bare.predict(mixed)


@pytest.mark.parametrize("model", ["linkx", "structure-trees", "acm-gcn+"])
def test_models_with_weights_for_each_node_refuse_new_ones(weeks, tmp_path, model):
    trained = load_checkpoint(keep(model, weeks.old, tmp_path / "kept"))
    with pytest.raises(
        InputError,
        match=rf"^'{re.escape(model)}' has weights for each of the 90 nodes of its training; 'a90' is not among them",
    ):
        trained.predict(new=weeks.new, edges=weeks.links)


def test_known_nodes_in_the_new_table_get_its_features(weeks, kept):
    trained = load_checkpoint(kept)
    new = pd.read_csv(weeks.new)
    old = pd.read_csv(weeks.old / "nodes.csv").drop(columns="label").iloc[[5]]
    old["mean_amount"] = 1234.0
    data = trained.read(new=pd.concat([new, old]), edges=weeks.links)
    assert data.num_nodes == OLD + NEW
    assert data.asked.tolist() == [*range(OLD, OLD + NEW), 5]
    column = trained.feature_names.index("mean_amount")
    assert data.x.to_dense()[5, column] == 1234
    assert "1 node of the new table is in the training graph already" in [*data.account][-1].what
    assert len(trained.predict(new=pd.concat([new, old]), edges=weeks.links)) == NEW + 1


def test_edges_to_nobody_are_refused_or_dropped(weeks, kept):
    trained, links = load_checkpoint(kept), pd.read_csv(weeks.links)
    strange = pd.concat([links, pd.DataFrame({"source": ["a90", "zz"], "target": ["who", "a91"]})])
    with pytest.raises(
        DataError, match=r"^2 edges lead to 2 nodes that are neither new nor in the training: 'who', 'zz'\."
    ):
        trained.predict(new=weeks.new, edges=strange)
    expected = trained.probabilities(new=weeks.new, edges=links)
    (note,) = [
        n
        for n in trained.read(new=weeks.new, edges=strange, unknown_nodes="drop").account
        if n.code == "unknown-nodes"
    ]
    assert note.what.endswith("'who', 'zz'; they were left out.")
    (note,) = [n for n in trained.read(new=weeks.new).account if n.code == "isolated"]
    assert note.what == "12 new nodes have no edge: the model sees their own features alone."
    assert torch.equal(trained.probabilities(new=weeks.new, edges=strange, unknown_nodes="drop"), expected)
    nobody = pd.DataFrame({"source": ["who", "zz"], "target": ["zz", "who"]})
    for mode in ("error", "drop"):
        with pytest.raises(
            DataError, match=r"No edge leads to a new node or to one of the training.*such as 'who'"
        ):
            trained.predict(new=weeks.new, edges=nobody, unknown_nodes=mode)
    with pytest.raises(InputError, match="Expected 'error' or 'drop'"):
        trained.predict(new=weeks.new, edges=links, unknown_nodes="add")


def test_the_next_week_as_a_graph_of_its_own_points_to_new(weeks, kept):
    trained = load_checkpoint(kept)
    with pytest.raises(InputError, match=r"pass the node table with new= in place of nodes="):
        trained.predict(nodes=weeks.new, edges=weeks.links)
    alone = trained.read(nodes=weeks.new, edges=weeks.links, unknown_nodes="drop")
    assert alone.num_nodes == NEW
    new = set(weeks.new_ids)
    links = pd.read_csv(weeks.links)
    assert alone.num_edges == (links.source.isin(new) & links.target.isin(new)).sum()


def test_what_is_missing_or_too_much_is_told_in_one_sentence(weeks, kept, tmp_path):
    trained, new = load_checkpoint(kept), pd.read_csv(weeks.new)
    cases: list[tuple[type[AllpassError], str, dict[str, object]]] = [
        (InputError, "has no id column 'id'; it has 'age_days'", {"new": new.drop(columns="id")}),
        (InputError, "Did you mean 'idd'", {"new": new.rename(columns={"id": "idd"})}),
        (InputError, "Got label='country'; the model was trained on the label 'label'", {"label": "country"}),
        (InputError, "Got both nodes= and new=", {"nodes": weeks.new}),
        (InputError, "Got edges= but no nodes, whose features", {"new": None}),
        (
            InputError,
            "Got undirected= but no graph to read",
            {"new": None, "edges": None, "undirected": True},
        ),
        (InputError, "The option 'features' does not apply to new nodes", {"features": "country"}),
        (InputError, "The option 'wight' does not apply to new nodes", {"wight": True}),
        (DataError, "has none of the columns that the model was trained on", {"new": new[["id"]]}),
        (
            DataError,
            "1 node id stands in several rows of the table of new nodes: 'a90'",
            {"new": new.iloc[[0, 0]]},
        ),
        (DataError, "There are no rows in the table of new nodes", {"new": new.iloc[:0]}),
    ]
    for kind, told, words in cases:
        with pytest.raises(kind, match=told) as raised:
            trained.predict(**{"new": weeks.new, "edges": weeks.links, **words})
        assert len(str(raised.value)) <= 300
    bare = load_checkpoint(checkpoint.save(trained.with_graph(None), tmp_path / "bare"))
    with pytest.raises(InputError, match="was kept without the graph of its training"):
        bare.predict(new=weeks.new, edges=weeks.links)
    expected = trained.probabilities(new=weeks.new, edges=weeks.links)
    base = load(weeks.old, encodings=trained.encodings)
    assert torch.equal(bare.probabilities(base, new=weeks.new, edges=weeks.links), expected)


def test_a_model_that_reads_labels_finds_them_in_a_graph_that_is_given_again(weeks, tmp_path):
    trained = load_checkpoint(keep("label-propagation", weeks.old, tmp_path / "kept"))
    bare = load_checkpoint(checkpoint.save(trained.with_graph(None), tmp_path / "bare"))
    again = load(weeks.old, encodings=trained.encodings)
    expected = trained.table(new=weeks.new, edges=weeks.links)
    pd.testing.assert_frame_equal(bare.table(again, new=weeks.new, edges=weeks.links), expected)
    with pytest.raises(InputError, match="are not those of the training, or in another order"):
        bare.predict(nodes=pd.read_csv(weeks.new), edges=weeks.links, unknown_nodes="drop")
    with pytest.raises(
        InputError, match="reads the labels of its training nodes, and none of these is in the data"
    ):
        trained.predict(nodes=pd.read_csv(weeks.new), edges=weeks.links, unknown_nodes="drop")


def test_new_labels_may_be_repeated_and_unknown_classes_are_noted(weeks, kept):
    trained, new = load_checkpoint(kept), pd.read_csv(weeks.new)
    new["label"] = ["fraud", None] * (NEW // 2)
    found = trained.table(new=new, edges=weeks.links)
    assert found.labelled.tolist() == [True, False] * (NEW // 2)
    assert not found.in_training.any()
    assert trained.table(new=new, edges=weeks.links, only_unlabelled=True).id.tolist() == weeks.new_ids[1::2]
    expected = trained.probabilities(new=weeks.new, edges=weeks.links)
    assert torch.equal(trained.probabilities(new=new, edges=weeks.links), expected)
    new["label"] = ["odd", "fraud"] * (NEW // 2)
    data = trained.read(new=new, edges=weeks.links)
    assert "unknown-classes" in data.account
    assert not trained.table(new=new, edges=weeks.links).labelled.any()


def test_the_graph_of_the_training_comes_back(weeks, kept):
    trained, data = load_checkpoint(kept), load(weeks.old, drop="opened", text="note")
    found = trained.training_graph
    assert torch.equal(found.x.to_dense(), data.x.to_dense())
    assert torch.equal(found.edge_index, data.edge_index)
    assert torch.equal(found.y, data.y)
    assert found.node_ids == data.node_ids
    assert found.fingerprint == data.fingerprint
    table = trained.table()
    assert table.id.tolist() == data.node_ids
    assert table.in_training.tolist() == (trained.sets == 1).tolist()
    assert table.labelled.tolist() == (data.y >= 0).tolist()
    assert set(trained.table(only_unlabelled=True).id) == {
        name for name, y in zip(data.node_ids, data.y.tolist(), strict=True) if y < 0
    }


def test_a_damaged_graph_is_told_when_it_is_needed(weeks, kept, tmp_path):
    folder = checkpoint.save(load_checkpoint(kept), tmp_path / "copy")
    file = folder / read_card(folder)["files"]["graph"]["name"]
    assert set(load_file(file)) >= {"edge_index", "y", "node_ids"}
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    trained = load_checkpoint(folder)
    assert len(trained.predict(_full(trained, weeks))) == OLD + NEW
    with pytest.raises(CheckpointError, match="is damaged, or of another checkpoint"):
        trained.predict(new=weeks.new)
    file.unlink()
    with pytest.raises(CheckpointError, match=r"it has no graph-.*\.safetensors"):
        trained.predict(new=weeks.new)
    other = checkpoint.save(load_checkpoint(keep("gcn", graph(), tmp_path / "other")), tmp_path / "again")
    graph_file = read_card(other)["files"]["graph"]
    (other / graph_file["name"]).replace(folder / graph_file["name"])
    change(folder, files={**read_card(folder)["files"], "graph": graph_file})
    with pytest.raises(CheckpointError, match="is no graph that fits it"):
        load_checkpoint(folder).predict(new=weeks.new)


def test_whole_numbers_as_ids_may_be_written_with_a_point(tmp_path):
    """As pandas writes them where a cell was empty."""
    trained = load_checkpoint(keep("gcn", graph(), tmp_path / "kept"))
    (tmp_path / "new.csv").write_text("id,v,w,x,y,z\n70.0,1,2,3,4,5\n71.0,0,0,1,1,0\n")
    (tmp_path / "links.csv").write_text("source,target\n70,3\n4.0,71\n")
    found = trained.read(new=tmp_path / "new.csv", edges=tmp_path / "links.csv")
    assert found.node_ids[-2:] == ["70", "71"]
    assert found.edge_index[:, -2:].tolist() == [[60, 4], [3, 61]]
