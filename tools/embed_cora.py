"""Make ``src/allpass/data/embedded/cora.npz`` from the wheel of ``graphdatascience`` (Apache-2.0), which ships Cora.

Usage:
    python tools/embed_cora.py graphdatascience-2.2-py3-none-any.whl
"""

from __future__ import annotations

import argparse
import io
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

TARGET = Path(__file__).resolve().parents[1] / "src" / "allpass" / "data" / "embedded" / "cora.npz"
FOLDER = "graphdatascience/resources/cora"
# The wheel numbers the seven subjects in its own order; Planetoid's order is used everywhere else in the field.
SUBJECTS = (
    "Neural Networks",
    "Rule Learning",
    "Reinforcement Learning",
    "Probabilistic Methods",
    "Theory",
    "Genetic Algorithms",
    "Case Based",
)
PLANETOID_ORDER = (
    "Theory",
    "Reinforcement Learning",
    "Genetic Algorithms",
    "Neural Networks",
    "Probabilistic Methods",
    "Case Based",
    "Rule Learning",
)


def arrays_of(wheel: Path) -> dict[str, np.ndarray]:
    """Ids, labels, citations and words, in the order of the wheel's node table."""
    with zipfile.ZipFile(wheel) as archive:
        nodes, links = (
            pd.read_parquet(io.BytesIO(archive.read(f"{FOLDER}/cora_{table}.parquet.gzip")))
            for table in ("nodes", "rels")
        )
    position = pd.Series(np.arange(len(nodes)), index=nodes["nodeId"])
    words = np.stack(nodes["features"].to_list()).astype(bool)
    number = np.array([PLANETOID_ORDER.index(name) for name in SUBJECTS], dtype=np.int8)
    edges = np.stack([position[links[end]].to_numpy() for end in ("sourceNodeId", "targetNodeId")])
    edges = edges[:, np.lexsort(edges[::-1])]
    return {
        "node_ids": nodes["nodeId"].to_numpy(np.int32),
        "y": number[nodes["subject"].to_numpy()],
        "edges": edges.astype(np.int16),
        "x_indices": words.nonzero()[1].astype(np.int16),
        "x_indptr": np.concatenate([[0], words.sum(axis=1).cumsum()]).astype(np.int32),
        "x_shape": np.array(words.shape, dtype=np.int32),
    }


def main() -> None:
    """Write the file and say what is in it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path, help="the wheel of graphdatascience")
    arrays = arrays_of(parser.parse_args().wheel)
    fresh = TARGET.with_suffix(".new.npz")
    np.savez_compressed(fresh, allow_pickle=False, **arrays)
    fresh.replace(TARGET)
    size, nodes, links = TARGET.stat().st_size, arrays["y"].size, arrays["edges"].shape[1]
    print(f"{TARGET.name}: {size:,} bytes, {nodes:,} nodes, {links:,} citations")


if __name__ == "__main__":
    main()
