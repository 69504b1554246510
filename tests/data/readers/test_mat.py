from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat

from allpass.data.readers import mat
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
    monkeypatch.setattr(mat, "MOST_BYTES", 10)
    monkeypatch.setattr(mat.io, "loadmat", lambda *_, **__: pytest.fail("it was loaded"))
    with pytest.raises(UnsafeFileError, match="claims to hold 24"):
        read_mat(path)


def test_a_header_that_claims_gigabytes_is_refused_before_allocating(tmp_path, monkeypatch):
    monkeypatch.setattr(mat.io, "loadmat", lambda *_, **__: pytest.fail("it was loaded"))
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
    for length in range(0, len(whole) - 1, 17):
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
