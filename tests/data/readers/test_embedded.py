from __future__ import annotations

from importlib import resources

import numpy as np

from allpass.data.readers.embedded import read_embedded_cora


def test_cora_comes_with_the_package():
    draft = read_embedded_cora()
    assert draft.num_nodes == 2708
    assert draft.x.shape == (2708, 1433)
    assert set(np.unique(draft.x)) == {0, 1}
    assert draft.edge_index.shape == (2, 10556)
    assert draft.y is not None
    assert np.bincount(draft.y).tolist() == [351, 217, 418, 818, 426, 298, 180]
    assert draft.node_ids is not None
    assert len(set(draft.node_ids)) == 2708


def test_it_is_small_and_its_origin_is_stated():
    folder = resources.files("allpass.data") / "embedded"
    assert len((folder / "cora.npz").read_bytes()) < 400_000
    notice = (folder / "NOTICE").read_text()
    assert "graphdatascience" in notice
    assert "Apache License, Version 2.0" in notice
