from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat

from allpass.data.readers import mat, npz
from allpass.data.readers.mat import read_mat
from allpass.errors import DataError, MissingFileError, UnsafeFileError


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "data.mat"
    savemat(path, {"A": sp.csc_array(np.eye(3)), "label": np.arange(3)}, do_compression=True)
    return path


def test_reads_what_scipy_wrote(path):
    values = read_mat(path)
    assert set(values) == {"A", "label"}
    assert sp.issparse(values["A"])
    assert read_mat(path, ("label",))["label"].ravel().tolist() == [0, 1, 2]


def test_a_missing_variable_is_named_beside_those_found(path):
    with pytest.raises(DataError, match=r"no variable local_info.*Found: A, label"):
        read_mat(path, ("local_info",))


def test_a_missing_file(tmp_path):
    with pytest.raises(MissingFileError):
        read_mat(tmp_path / "none.mat")


def test_a_claim_beyond_the_most_is_refused(path, monkeypatch):
    monkeypatch.setattr(mat, "most_bytes", lambda _: 10)
    with pytest.raises(UnsafeFileError, match="claims to hold 24"):
        read_mat(path)


def test_a_header_that_claims_gigabytes_is_refused_before_allocating(tmp_path):
    path = tmp_path / "bomb.mat"
    savemat(path, {"x": np.zeros((1234567, 1))[:3]})
    data = path.read_bytes()
    sizes = np.array([3, 1], dtype="<i4").tobytes()
    assert data.count(sizes) == 1
    path.write_bytes(data.replace(sizes, np.array([2**31 - 1, 5], dtype="<i4").tobytes()))
    with pytest.raises(UnsafeFileError, match="claims to hold 85,899,345,880"):
        read_mat(path)


def test_a_truncated_file_is_damaged(path):
    whole = path.read_bytes()
    for length in range(0, len(whole) - 1, len(whole) // 6):
        path.write_bytes(whole[:length])
        try:
            read_mat(path, ("A", "label"))
        except DataError:
            continue
        pytest.fail(f"{length} of {len(whole)} bytes were read without complaint")


@pytest.mark.parametrize("content", [b"", b"text", b"\x89HDF\r\n\x1a\n" + bytes(600)])
def test_other_files(tmp_path, content):
    (tmp_path / "x.mat").write_bytes(content)
    with pytest.raises(DataError, match="not a readable mat file"):
        read_mat(tmp_path / "x.mat")


def test_cells_of_single_texts_and_numbers_are_text(tmp_path):
    cells = np.empty((3, 1), dtype=object)
    cells[:, 0] = ["a", "b", 3.0]
    savemat(tmp_path / "x.mat", {"label": cells})
    assert read_mat(tmp_path / "x.mat")["label"].ravel().tolist() == ["a", "b", "3.0"]


@pytest.mark.parametrize("kind", ["struct", "cell"])
def test_nested_variables_are_named(tmp_path, kind):
    nested = np.empty(2, dtype=object)
    nested[:] = [np.arange(3), "a"]
    savemat(tmp_path / "x.mat", {"A": np.eye(2), "inner": {"a": 1} if kind == "struct" else nested})
    with pytest.raises(DataError, match=f"'inner' of x.mat is a {kind} with parts of its own"):
        read_mat(tmp_path / "x.mat")
    assert read_mat(tmp_path / "x.mat", ["A"])["A"].shape == (2, 2)


def test_a_crash_of_the_parser_is_a_damaged_file(path, tmp_path, monkeypatch):
    child = tmp_path / "child.py"
    child.write_text("import os; os.abort()")
    monkeypatch.setattr(mat.mat_child, "__file__", str(child))
    with pytest.raises(DataError, match="not a readable mat file: the parser crashed"):
        read_mat(path)


def test_memory_is_bounded(tmp_path, monkeypatch):
    """What the parser may take follows from the size of the file."""
    savemat(tmp_path / "x.mat", {"x": np.zeros((3000, 3000))}, do_compression=True)
    monkeypatch.setattr(npz, "SMALL_BYTES", 2**20)
    with pytest.raises(UnsafeFileError, match="claims to hold 72,000,000"):
        read_mat(tmp_path / "x.mat")
