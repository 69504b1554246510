from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from allpass.data import load
from allpass.data.account import Account
from allpass.data.tables.columns import Encoder, Features, Wishes
from allpass.data.tables.given import encode_as
from allpass.errors import DataError, InputError


def learnt(frame: pd.DataFrame, nan: str = "median", **named: list[str]) -> Features:
    encoder = Encoder(Account(), nan=nan, max_categories=50, wishes=Wishes(**named))
    return encoder.encode(frame, list(frame.columns))


def again(
    frame: pd.DataFrame, before: Features, account: Account | None = None, *, fill: bool = True
) -> Features:
    notes = Account() if account is None else account
    return encode_as(frame, list(frame.columns), before.encodings, notes, fill=fill)


def dense(features: Features) -> np.ndarray:
    x = features.matrix()
    return x.toarray() if sp.issparse(x) else x


FIRST = pd.DataFrame(
    {
        "age": np.arange(40) % 7 + 0.5,
        "when": [f"{k % 28 + 1}/02/2024" for k in range(40)],
        "kind": ["x", "y"] * 20,
        "bio": [f"some words about thing{k % 4} here" for k in range(40)],
    }
)


def test_the_same_table_has_the_same_features() -> None:
    rng = np.random.default_rng(0)
    for seed in range(5):
        frame = FIRST.copy()
        for name in ("age", "when", "kind", "bio"):
            frame.loc[rng.random(40) < 0.1 * seed, name] = None
        before = learnt(frame, text=["bio"])
        assert again(frame.sample(frac=1, axis=1, random_state=seed), before).names == before.names
        np.testing.assert_array_equal(dense(again(frame, before)), dense(before))


def test_dates_and_words_are_read_as_before() -> None:
    before = learnt(FIRST, text=["bio"])
    few = pd.DataFrame(
        {"when": ["03/02/2024", "04/02/2024"], "bio": ["thing1 thing9", None], "age": [1, 2], "kind": "y"}
    )
    found = again(few, before)
    x, place = dense(found), {name: k for k, name in enumerate(found.names)}
    assert x[:, place["when"]].tolist() == [1706918400.0, 1707004800.0]  # the 3rd and the 4th
    assert x[0, place["bio: thing1"]] == 1
    assert not x[1, [k for name, k in place.items() if name.startswith("bio: ")]].any()


def test_numbers_written_with_commas_are_read_as_before(tmp_path: Path) -> None:
    """By itself 1.234 would be a little more than one."""
    (tmp_path / "e.csv").write_text("source;target\na;b\nb;c\nc;a")
    (tmp_path / "n.csv").write_text("id;sales;label\na;1.234,5;x\nb;7,25;y\nc;;x")
    first = load(edges=tmp_path / "e.csv", nodes=tmp_path / "n.csv")
    assert first.x[:, 0].tolist() == [1234.5, 7.25, 620.875]
    (tmp_path / "n.csv").write_text("id;sales\na;1.234\nb;2.345\nc;NA")
    second = load(edges=tmp_path / "e.csv", nodes=tmp_path / "n.csv", encodings=first.encodings)
    assert second.x.tolist() == [[1234, 0], [2345, 0], [620.875, 1]]
    (tmp_path / "n.csv").write_text("id;sales\na;12.5\nb;0.5\nc;1")
    third = load(edges=tmp_path / "e.csv", nodes=tmp_path / "n.csv", encodings=first.encodings)
    assert third.x.tolist() == [[620.875, 1], [620.875, 1], [1, 0]]
    assert "words-among-numbers" in third.account


def test_what_is_strange_is_filled_and_noted() -> None:
    before = learnt(FIRST, text=["bio"])
    few = pd.DataFrame({"age": [30, None, 2], "kind": ["x", "z", None], "bio": "", "new": [1, 2, 3]})
    account = Account()
    found = again(few, before, account)
    x, place = dense(found), {name: k for k, name in enumerate(found.names)}
    assert found.names == before.names
    assert x[:, place["age"]].tolist() == [30, np.median(FIRST["age"]), 2]
    days = (pd.to_datetime(FIRST["when"], format="%d/%m/%Y") - pd.Timestamp(0)) / pd.Timedelta(seconds=1)
    assert x[:, place["when"]].tolist() == [days.median()] * 3
    assert x[:, [place["kind=x"], place["kind=y"]]].tolist() == [[1, 0], [0, 0], [0, 0]]
    assert {note.code: note.what for note in account} == {
        "unseen-values": "1 value of 'kind' did not occur in the training: 'z'. Its 0/1 columns are all 0 there.",
        "filled-as-trained": "2 missing values were filled as in the training, in 'age', 'kind'.",
        "absent-columns": "1 column of the training is not in the table and was filled like missing values: 'when'.",
        "unknown-columns": "1 column was not used in the training and was left out: 'new'.",
    }
    assert [(role.column, role.role) for role in found.roles][-1] == ("new", "left out")


@pytest.mark.parametrize(("nan", "fill"), [("median", 2.0), ("mean", 11 / 3), ("zero", 0.0), ("error", 2.0)])
def test_the_fill_is_that_of_the_training(nan: str, fill: float) -> None:
    before = learnt(pd.DataFrame({"age": [1.0, 2.0, 8.0]}), nan)
    assert dense(again(pd.DataFrame({"age": [None, 90.0]}), before)).ravel().tolist() == [fill, 90]
    assert np.isnan(dense(again(pd.DataFrame({"age": [None, 90.0]}), before, fill=False))[0, 0])


def test_gaps_of_the_training_have_their_column() -> None:
    before = learnt(pd.DataFrame({"age": [1.0, None, 3.0], "team": ["a", None, "b"]}))
    new = pd.DataFrame({"age": [7.0, None], "team": ["c", None]})
    assert before.names == ["age", "age is missing", "team=a", "team=b", "team is missing"]
    assert dense(again(new, before)).tolist() == [[7, 0, 0, 0, 0], [2, 1, 0, 0, 1]]
    assert dense(again(new[["age"]], before))[:, -1].tolist() == [1, 1]


def test_numbers_and_truth_are_the_same_values_in_any_type() -> None:
    before = learnt(
        pd.DataFrame({"flag": [True, False], "code": [2, 5], "half": [1.5, 2.0]}), categories=["code", "half"]
    )
    same = pd.DataFrame({"flag": ["True", None], "code": [2.0, None], "half": [2.0, 1.5]})
    assert dense(again(same, before)).tolist() == [[1, 1, 0, 0, 1], [0.5, 0, 0, 1, 0]]


def test_a_table_with_none_of_the_columns_is_refused() -> None:
    before = learnt(FIRST[["age"]])
    with pytest.raises(DataError, match="has none of the columns that the model was trained on: 'age'"):
        again(pd.DataFrame({"height": [1.0]}), before)
    with pytest.raises(DataError, match=r"'age' holds 1 infinite value; the first is in row 2"):
        again(pd.DataFrame({"age": [1.0, np.inf]}), before)


def test_id_and_label_are_those_of_the_training() -> None:
    edges = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
    nodes = pd.DataFrame({"acct": ["a", "b", "c"], "class": [3.5, 5, 1], "bad": ["no", "yes", "no"]})
    data = load(edges=edges, nodes=nodes, label="bad", id_column="acct", numbers="class")
    swapped = nodes[["bad", "class", "acct"]].assign(id=[7, 8, 9])
    found = load(edges=edges, nodes=swapped, encodings=data.encodings)
    assert found.fingerprint == data.fingerprint
    assert found.node_ids == ["a", "b", "c"]
    assert found.encodings == data.encodings
    bare = load(edges=edges, nodes=nodes.drop(columns="bad"), encodings=data.encodings)
    assert bare.y is None
    assert bare.x.equal(data.x)
    with pytest.raises(InputError, match="Got label='class'; the model was trained on the label 'bad'"):
        load(edges=edges, nodes=nodes, encodings=data.encodings, label="class")


def test_numbers_to_predict_stay_numbers() -> None:
    edges = pd.DataFrame({"source": [0, 1], "target": [1, 2]})
    nodes = pd.DataFrame({"id": [0, 1, 2], "x": [0.5, 1.5, 2.5], "y": [1, 2, 2]})
    data = load(edges=edges, nodes=nodes, task="regression")
    assert load(edges=edges, nodes=nodes, encodings=data.encodings).y.tolist() == [1, 2, 2]
    named = load(edges=edges, nodes=nodes, missing_labels="2")
    assert load(edges=edges, nodes=nodes, encodings=named.encodings).y.tolist() == [0, -1, -1]


def test_a_few_times_keep_the_precision_of_the_training() -> None:
    edges = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
    nodes = pd.DataFrame(
        {"id": ["a", "b", "c"], "at": [f"2024-05-01T10:00:0{k}" for k in range(3)], "label": ["x", "y", "x"]}
    )
    data = load(edges=edges, nodes=nodes)
    one = load(edges=edges[:0], nodes=nodes[1:2], encodings=data.encodings)
    assert one.x.equal(data.x[1:2])
