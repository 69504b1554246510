from __future__ import annotations

import importlib.util
import io
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "embed_cora.py"


def test_the_tables_of_the_wheel_become_arrays(tmp_path):
    pytest.importorskip("pyarrow")
    spec = importlib.util.spec_from_file_location("embed_cora", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)

    nodes = pd.DataFrame({"nodeId": [30, 10, 20], "subject": [0, 6, 4], "features": [[0, 1], [1, 1], [0, 0]]})
    links = pd.DataFrame({"sourceNodeId": [20, 30], "targetNodeId": [10, 20]})
    wheel = tmp_path / "toy.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, table in (("nodes", nodes), ("rels", links)):
            stream = io.BytesIO()
            table.to_parquet(stream)
            archive.writestr(f"{script.FOLDER}/cora_{name}.parquet.gzip", stream.getvalue())
    arrays = script.arrays_of(wheel)
    assert arrays["node_ids"].tolist() == [30, 10, 20]
    assert [script.PLANETOID_ORDER[label] for label in arrays["y"]] == [
        "Neural Networks",
        "Case Based",
        "Theory",
    ]
    assert arrays["edges"].tolist() == [[0, 2], [2, 1]]
    assert arrays["x_indptr"].tolist() == [0, 1, 3, 3]
    assert arrays["x_indices"].tolist() == [1, 0, 1]
    np.testing.assert_array_equal(arrays["x_shape"], [3, 2])
