from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from allpass.data.readers import npz
from allpass.data.readers.npz import csr_keys, csr_parts, read_npz
from allpass.errors import DataError, MissingFileError, UnsafeFileError


def header_only(shape: tuple[int, ...], descr: str = "<f8") -> bytes:
    """The start of an npy file that claims ``shape`` and holds four bytes."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": shape})
    return stream.getvalue() + b"1234"


def archive(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in members.items():
            target.writestr(f"{name}.npy", content)
    return path


@pytest.fixture
def good(tmp_path) -> Path:
    path = tmp_path / "good.npz"
    np.savez_compressed(path, a=np.arange(5), b=np.eye(2, dtype=np.float32), c=np.array(["x", "yy"]))
    return path


def test_reads_what_numpy_wrote(good):
    with np.load(good) as reference:
        arrays = read_npz(good)
        assert set(arrays) == set(reference.files)
        for key, value in arrays.items():
            assert value.dtype == reference[key].dtype
            np.testing.assert_array_equal(value, reference[key])


def test_reads_only_what_is_asked(good, tmp_path):
    assert set(read_npz(good, ("a",))) == {"a"}
    mixed = tmp_path / "mixed.npz"
    np.savez(mixed, a=np.arange(3), text=np.array([{"run": "me"}], dtype=object))
    assert read_npz(mixed, ("a",))["a"].tolist() == [0, 1, 2]


def test_python_objects_are_refused(tmp_path):
    path = tmp_path / "objects.npz"
    np.savez(path, labels=np.array([1, None], dtype=object))
    with pytest.raises(UnsafeFileError, match=r"'labels' of objects.npz holds Python objects"):
        read_npz(path)


def test_a_missing_array_is_named_beside_those_found(good):
    with pytest.raises(DataError, match=r"no array edges.*Found: a, b, c"):
        read_npz(good, ("a", "edges"))


def test_a_missing_file(tmp_path):
    with pytest.raises(MissingFileError, match="does not exist"):
        read_npz(tmp_path / "none.npz")


@pytest.mark.parametrize("shape", [(10**10 // 8,), (10**6, 10**6), (2**62, 2**62)])
def test_a_header_that_claims_gigabytes_is_refused_before_allocating(tmp_path, shape, monkeypatch):
    monkeypatch.setattr(npz.npy, "read_array", lambda *_, **__: pytest.fail("the array was read"))
    path = archive(tmp_path / "bomb.npz", x=header_only(shape))
    with pytest.raises(UnsafeFileError, match=r"claims [\d,]+ bytes and holds at most"):
        read_npz(path)


def test_a_directory_that_lies_as_well_is_refused(tmp_path, monkeypatch):
    """The claim agrees with the size that the archive's own directory states: only the packing gives it away."""
    monkeypatch.setattr(npz.npy, "read_array", lambda *_, **__: pytest.fail("the array was read"))
    content = header_only((10**9 // 4,))
    path = archive(tmp_path / "bomb.npz", x=content)
    data = path.read_bytes()
    true_size, false_size = struct.pack("<I", len(content)), struct.pack("<I", 2 * 10**9 + 1000)
    assert data.count(true_size) == 2
    path.write_bytes(data.replace(true_size, false_size))
    with pytest.raises(UnsafeFileError, match=r"claims to hold 2,000,000,000"):
        read_npz(path)


def test_more_than_the_most_is_refused(good, monkeypatch):
    monkeypatch.setattr(npz, "SMALL_BYTES", 50)
    monkeypatch.setattr(npz, "MOST_EXPANSION", 0.01)
    with pytest.raises(UnsafeFileError, match=r"claims to hold .* numpy\.savez"):
        read_npz(good)


@pytest.mark.parametrize(("method", "name"), [(zipfile.ZIP_BZIP2, "bzip2"), (zipfile.ZIP_LZMA, "lzma")])
def test_members_that_cannot_be_unpacked_in_parts_are_refused(tmp_path, method, name):
    """Their decompressors give everything at once: 1.4 kB of bzip2 can become gigabytes."""
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(10))
    with zipfile.ZipFile(tmp_path / "a.npz", "w", method) as archive:
        archive.writestr("x.npy", buffer.getvalue())
    with pytest.raises(UnsafeFileError, match=f"'x' of a.npz is compressed by {name}"):
        read_npz(tmp_path / "a.npz")


def test_zeros_behind_deflate_are_bounded(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", x=np.zeros(2**25 + 2**20))
    with pytest.raises(UnsafeFileError, match="claims to hold 276,824,064"):
        read_npz(tmp_path / "a.npz")


@pytest.mark.parametrize("kind", ["i1", "?", "f2"])
def test_small_values_count_as_what_they_become(tmp_path, kind):
    """Edges of one byte each took 3 GB as whole numbers."""
    np.savez_compressed(tmp_path / "a.npz", edge_index=np.zeros((2, 2**25 + 1), kind))
    with pytest.raises(UnsafeFileError, match=r"claims to hold [25]\d\d,\d{3},\d{3}"):
        read_npz(tmp_path / "a.npz")


def test_a_truncated_file_is_damaged_at_every_length(good, tmp_path):
    whole = good.read_bytes()
    cut = tmp_path / "cut.npz"
    for length in range(0, len(whole), 23):
        cut.write_bytes(whole[:length])
        with pytest.raises(DataError, match=r"cut.npz is not a readable npz file"):
            read_npz(cut)


def test_flipped_bytes_never_escape_as_another_error(good, tmp_path):
    whole = bytearray(good.read_bytes())
    path = tmp_path / "flipped.npz"
    for position in range(0, len(whole), 7):
        changed = whole.copy()
        changed[position] ^= 0xFF
        path.write_bytes(changed)
        try:
            read_npz(path)
        except DataError:
            continue


@pytest.mark.parametrize("content", [b"", b"plain text", b"\x93NUMPY broken", header_only((-3,))])
def test_a_broken_member_is_damaged(tmp_path, content):
    with pytest.raises(DataError):
        read_npz(archive(tmp_path / "broken.npz", x=content))


def test_a_plain_file_is_no_archive(tmp_path):
    path = tmp_path / "array.npz"
    with path.open("wb") as stream:
        np.save(stream, np.arange(3))
    with pytest.raises(DataError, match="not a readable npz file"):
        read_npz(path)


class TestCsr:
    def test_round_trip(self):
        matrix = sp.random_array((5, 7), density=0.4, rng=np.random.default_rng(0), format="csr")
        arrays = {f"x_{part}": getattr(matrix, part) for part in ("data", "indices", "indptr")}
        arrays["x_shape"] = np.array(matrix.shape)
        assert set(arrays) == set(csr_keys("x"))
        np.testing.assert_array_equal(csr_parts(arrays, "x").toarray(), matrix.toarray())

    @pytest.mark.parametrize(
        ("part", "value"),
        [("indices", [9, 0]), ("indices", [-1, 0]), ("indptr", [0, 5]), ("indptr", [0, 1]), ("shape", [1])],
    )
    def test_inconsistent_parts_are_refused(self, part, value):
        arrays = {
            "x_data": np.ones(2),
            "x_indices": np.array([0, 1]),
            "x_indptr": np.array([0, 1, 2]),
            "x_shape": np.array([2, 2]),
        }
        arrays[f"x_{part}"] = np.array(value)
        with pytest.raises(DataError, match="sparse matrix 'x' is inconsistent"):
            csr_parts(arrays, "x")


@pytest.mark.parametrize("size", ["True", "2.0", "-1", "'a'", "99999999999999999999"])
def test_a_size_that_is_none_is_refused(tmp_path, size):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({size},), }}".encode().ljust(117) + b"\n"
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header + bytes(16))
    with pytest.raises(DataError, match=r"a\.npz"):
        read_npz(tmp_path / "a.npz")
