from __future__ import annotations

import pickle
from collections import OrderedDict, defaultdict
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from allpass.data.readers.unpickle import as_csr, read_pickle, read_pickled_npy
from allpass.errors import DataError, MissingFileError, UnsafeFileError


def dumped(folder: Path, value: object, protocol: int = 3) -> Path:
    path = folder / "value.pkl"
    path.write_bytes(pickle.dumps(value, protocol=protocol))
    return path


class RunsCode:
    """Unpickled as usual, this makes a file."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self):
        return Path.touch, (self.target,)


class RunsCommand:
    def __reduce__(self):
        import os

        return os.system, ("true",)


@pytest.mark.parametrize(
    "array", [np.arange(6, dtype=np.int32).reshape(2, 3), np.eye(3)[:, ::-1], np.zeros((0, 4)), np.array(2.5)]
)
def test_arrays(tmp_path, array):
    read = read_pickle(dumped(tmp_path, array))
    assert read.dtype == array.dtype
    np.testing.assert_array_equal(read, array)


def test_sparse_matrices(tmp_path):
    matrix = sp.csr_matrix(np.array([[0, 1.5], [2, 0]], dtype=np.float32))
    np.testing.assert_array_equal(
        as_csr(read_pickle(dumped(tmp_path, matrix)), "m").toarray(), matrix.toarray()
    )
    np.testing.assert_array_equal(as_csr(read_pickle(dumped(tmp_path, np.eye(2))), "m").toarray(), np.eye(2))


def test_lists_and_dictionaries(tmp_path):
    graph = defaultdict(list, {0: [1, 2], 1: [0]})
    assert read_pickle(dumped(tmp_path, graph)) == graph
    assert read_pickle(dumped(tmp_path, {"a": [1, "b", None, (2.5,)]})) == {"a": [1, "b", None, (2.5,)]}


def test_names_of_python_2_and_of_old_and_new_numpy(tmp_path):
    path = tmp_path / "old.pkl"
    path.write_bytes(b"ccollections\ndefaultdict\np0\n(c__builtin__\nlist\np1\ntp2\nRp3\n.")
    assert read_pickle(path) == {}
    new = pickle.dumps(np.arange(3), protocol=3)
    module = b"numpy._core.multiarray" if b"numpy._core" in new else b"numpy.core.multiarray"
    for name in (b"numpy._core.multiarray", b"numpy.core.multiarray"):
        path.write_bytes(new.replace(module, name))
        assert read_pickle(path).tolist() == [0, 1, 2]


@pytest.mark.parametrize("protocol", range(6))
def test_code_is_never_run(tmp_path, protocol):
    target = tmp_path / "made-by-the-pickle"
    path = dumped(tmp_path, {"harmless": [1], "x": RunsCode(target)}, protocol)
    with pytest.raises(UnsafeFileError, match=r"value.pkl asks for .*, which could run code"):
        read_pickle(path)
    assert not target.exists()
    pickle.loads(path.read_bytes())
    assert target.exists(), "the pickle of this test does nothing"


@pytest.mark.parametrize(
    "value", [RunsCommand(), OrderedDict(), np.float64(1), Path("x"), sp.coo_matrix(np.eye(2)), print]
)
def test_every_other_global_is_named(tmp_path, value):
    with pytest.raises(UnsafeFileError, match=r"asks for [\w.]+\.\w+"):
        read_pickle(dumped(tmp_path, value))


def test_builtins_are_not_admitted_under_any_name(tmp_path):
    path = tmp_path / "eval.pkl"
    for module in (b"builtins", b"__builtin__", b"os", b"numpy", b"scipy.sparse"):
        path.write_bytes(b"c" + module + b"\neval\n(S'1'\ntR.")
        with pytest.raises(UnsafeFileError, match="eval"):
            read_pickle(path)


def test_a_sparse_matrix_cannot_claim_memory(tmp_path):
    path = tmp_path / "huge.pkl"
    path.write_bytes(b"cscipy.sparse\ncsr_matrix\n((I1000000000000\nI5\nttR.")
    with pytest.raises(DataError, match="damaged"):
        read_pickle(path)
    path.write_bytes(b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I1000000000000\ntS'b'\ntR.")
    with pytest.raises(DataError, match="damaged"):
        read_pickle(path)


def test_a_matrix_with_indices_out_of_range_is_refused(tmp_path):
    matrix = sp.csr_matrix(np.eye(2))
    matrix.indices[1] = 7
    with pytest.raises(DataError, match="inconsistent"):
        as_csr(read_pickle(dumped(tmp_path, matrix)), "m")
    with pytest.raises(DataError, match="holds list, not a matrix"):
        as_csr([1], "m")


def test_a_truncated_pickle_is_damaged_at_every_length(tmp_path):
    value = {"x": sp.csr_matrix(np.eye(3)), "y": np.arange(4), "g": defaultdict(list, {0: [1]})}
    path = dumped(tmp_path, value)
    whole = path.read_bytes()
    for length in range(0, len(whole), 5):
        path.write_bytes(whole[:length])
        with pytest.raises(DataError, match=r"value.pkl is damaged"):
            read_pickle(path)


def test_flipped_bytes_never_escape_as_another_error(tmp_path):
    path = dumped(tmp_path, {"x": sp.csr_matrix(np.eye(3)), "y": np.arange(4)})
    whole = bytearray(path.read_bytes())
    for position in range(0, len(whole), 3):
        changed = whole.copy()
        changed[position] ^= 0x15
        path.write_bytes(changed)
        try:
            read_pickle(path)
        except DataError:
            continue


def test_a_missing_file(tmp_path):
    for read in (read_pickle, read_pickled_npy):
        with pytest.raises(MissingFileError):
            read(tmp_path / "none")


class TestPickledNpy:
    def test_lists_of_node_sets(self, tmp_path):
        splits = [{"train": np.array([0, 2]), "valid": np.array([1]), "test": np.array([3])}]
        np.save(tmp_path / "s.npy", np.array(splits, dtype=object), allow_pickle=True)
        read = read_pickled_npy(tmp_path / "s.npy")
        assert [sorted(split) for split in read] == [["test", "train", "valid"]]
        np.testing.assert_array_equal(read[0]["train"], [0, 2])

    def test_code_is_never_run(self, tmp_path):
        target = tmp_path / "made"
        np.save(tmp_path / "s.npy", np.array([RunsCode(target)], dtype=object), allow_pickle=True)
        with pytest.raises(UnsafeFileError):
            read_pickled_npy(tmp_path / "s.npy")
        assert not target.exists()

    def test_other_files_are_refused(self, tmp_path):
        np.save(tmp_path / "numbers.npy", np.arange(3))
        with pytest.raises(DataError, match="not Python objects"):
            read_pickled_npy(tmp_path / "numbers.npy")
        (tmp_path / "text.npy").write_text("nothing")
        with pytest.raises(DataError, match="no npy file"):
            read_pickled_npy(tmp_path / "text.npy")
