from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from allpass.data.readers.snap import TWITCH_COLUMNS, read_musae, read_twitch_gamer
from allpass.errors import DataError

FEATURES = """views,mature,life_time,created_at,updated_at,numeric_id,dead_account,language,affiliate
7879,1,969,2016-02-16,2018-10-12,0,0,EN,1
500,0,2699,2011-05-19,2018-10-08,1,0,DE,1
382502,1,3149,2010-02-27,2018-10-12,2,1,EN,0
"""
EDGES = "numeric_id_1,numeric_id_2\n0,1\n2,1\n"


def twitch(folder: Path, features: str = FEATURES, edges: str = EDGES) -> dict[str, Path]:
    (folder / "twitch-gamer_feat.csv").write_text(features)
    (folder / "twitch-gamer_edges.csv").write_text(edges)
    return {path.name: path for path in folder.iterdir()}


class TestTwitch:
    def test_features_are_those_of_linkx(self, tmp_path):
        draft = read_twitch_gamer(twitch(tmp_path))
        raw = np.array(
            [
                [7879, 969, 20160216, 20181012, 0, 0, 1],
                [500, 2699, 20110519, 20181008, 0, 1, 1],
                [382502, 3149, 20100227, 20181012, 1, 0, 0],
            ],
            dtype=np.float64,
        )
        expected = (raw - raw.mean(axis=0)) / raw.std(axis=0, ddof=1)
        np.testing.assert_allclose(draft.x, expected, rtol=1e-5)
        assert draft.feature_names == list(TWITCH_COLUMNS)
        assert draft.y is not None
        assert draft.y.tolist() == [1, 0, 1]
        assert draft.edge_index.T.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]

    def test_the_archive_of_snap_gives_the_same(self, tmp_path):
        reference = read_twitch_gamer(twitch(tmp_path))
        with zipfile.ZipFile(tmp_path / "twitch_gamers.zip", "w") as target:
            target.writestr("large_twitch_features.csv", FEATURES)
            target.writestr("large_twitch_edges.csv", EDGES)
        draft = read_twitch_gamer({"twitch_gamers.zip": tmp_path / "twitch_gamers.zip"})
        np.testing.assert_array_equal(draft.x, reference.x)
        np.testing.assert_array_equal(draft.edge_index, reference.edge_index)

    @pytest.mark.parametrize(
        ("features", "edges"),
        [
            (FEATURES.replace("mature", "grown"), EDGES),
            (FEATURES.replace("969", "many"), EDGES),
            (FEATURES.replace("2016-02-16", "yesterday"), EDGES),
            (FEATURES.replace("2018-10-08,1,", "2018-10-08,5,"), EDGES),
            (FEATURES, EDGES + "0,9\n"),
            (FEATURES, EDGES + "0,1,2\n"),
            (FEATURES, EDGES + "a,b\n"),
            (FEATURES, "n\n1\n"),
        ],
    )
    def test_damaged_tables(self, tmp_path, features, edges):
        with pytest.raises(DataError):
            read_twitch_gamer(twitch(tmp_path, features, edges))


def musae(
    folder: Path, features: object, edges: str = "id_1,id_2\n0,2\n2,1\n", target: str = ""
) -> dict[str, Path]:
    path = folder / "git_web_ml.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("git_web_ml/musae_git_edges.csv", edges)
        archive.writestr("git_web_ml/musae_git_features.json", json.dumps(features))
        archive.writestr(
            "git_web_ml/musae_git_target.csv", target or "id,name,ml_target\n0,a,0\n1,b,1\n2,c,1\n"
        )
    return {path.name: path}


class TestMusae:
    def test_reads_all_parts(self, tmp_path):
        draft = read_musae(musae(tmp_path, {"0": [1, 3], "1": [], "2": [0, 0]}))
        assert draft.x.tolist() == [[0, 1, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0]]
        assert draft.y is not None
        assert draft.y.tolist() == [0, 1, 1]
        assert draft.edge_index.T.tolist() == [[0, 2], [1, 2], [2, 0], [2, 1]]

    @pytest.mark.parametrize("features", [[1, 2], {"9": [1]}, {"0": ["x"]}, {"0": [-1, 2]}, {}])
    def test_damaged_features(self, tmp_path, features):
        with pytest.raises(DataError):
            read_musae(musae(tmp_path, features))

    @pytest.mark.parametrize(
        "target", ["id,name\n0,a\n", "id,name,ml_target\n0,a,?\n", "id,name,ml_target\n7,a,1\n"]
    )
    def test_damaged_labels(self, tmp_path, target):
        with pytest.raises(DataError):
            read_musae(musae(tmp_path, {"0": [1]}, "id_1,id_2\n0,0\n", target))
