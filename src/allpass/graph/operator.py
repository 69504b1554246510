"""The sparse linear map everything stands on; the only place that knows how a matrix is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from allpass.errors import InputError
from allpass.graph.functions import autocasts, is_plain
from allpass.graph.linear import LinearMap
from allpass.graph.pattern import Pattern, outside
from allpass.graph.spmm import fixed_product, gather_product, multiply, product

Flow = Literal["source_to_target", "target_to_source"]
ResultT = TypeVar("ResultT")
_INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


class Operator(LinearMap):
    r"""An immutable sparse matrix :math:`A \in \mathbb{R}^{M \times N}` that acts on node signals.

    The rules, each stated once:

    * **Direction.** An edge is a message: ``u -> v`` with weight w adds ``w * x[u]`` to row v, so
      :math:`A_{vu} = w`, as in PyG. ``flow="target_to_source"`` reads edges the other way (:math:`A_{uv} = w`,
      the report's notation). For an undirected graph both are the same.
    * **Weights.** An edge without a weight has weight 1. Entries stored twice are added, as matrices do.
    * **Self-loops and isolated nodes** stay as they are: an Operator never adds, drops or symmetrises.

    ``op @ x`` takes x of shape ``[N]`` or ``[N, F]``, dense or sparse (a sparse x gives a sparse product). It has
    exact gradients in x, and in the values of :meth:`with_values`, and runs as one product under
    ``torch.func.vmap``.

    Example:
        >>> A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 2]]))
        >>> A @ torch.tensor([1.0, 10.0, 100.0])
        tensor([ 0.,  1., 10.])
        >>> A.complement() @ torch.tensor([1.0, 10.0, 100.0])
        tensor([ 1.,  9., 90.])
    """

    def __init__(self, pattern: Pattern, values: Tensor, *, _learnable: bool = False) -> None:
        if not values.is_floating_point():
            raise InputError(
                f"Got values of {values.dtype}.", "Expected floating-point numbers: name one in dtype."
            )
        self.pattern = pattern
        self.values = values
        self._learnable = _learnable or values.requires_grad
        self._kept: dict[str, Any] = {}

    @classmethod
    def from_edge_index(
        cls,
        edge_index: Tensor,
        edge_weight: Tensor | None = None,
        num_nodes: int | None = None,
        *,
        flow: Flow = "source_to_target",
        dtype: torch.dtype | None = None,
    ) -> Operator:
        """From PyG's ``edge_index``.

        Args:
            edge_index: ``[2, E]`` integers, sources above targets.
            edge_weight: ``[E]``, or nothing for weight 1. Gradients flow through weights that require one.
            num_nodes: Number of nodes; by default the largest index plus one.
            flow: Which way an edge carries the signal.
            dtype: Type of the values; by default that of the weights, else torch's default.
        """
        size = _check_edges(edge_index, edge_weight, num_nodes)
        if flow not in get_args(Flow):
            raise InputError(f"Got the flow {flow!r}.", f"Expected one of {', '.join(get_args(Flow))}.")
        if edge_weight is not None and edge_weight.requires_grad:
            plain = cls.from_edge_index(
                edge_index, None, num_nodes, flow=flow, dtype=dtype or edge_weight.dtype
            )
            return plain.with_edge_weight(edge_index, edge_weight, flow=flow)
        row, col = edge_index.flip(0) if flow == "source_to_target" else edge_index
        if dtype is None:
            floating = edge_weight is not None and edge_weight.is_floating_point()
            dtype = edge_weight.dtype if floating and edge_weight is not None else torch.get_default_dtype()
        values = (
            torch.ones(row.shape[0], dtype=dtype, device=row.device) if edge_weight is None else edge_weight
        )
        return cls._from_entries(row, col, values.to(dtype), (size, size))

    @classmethod
    def from_scipy(cls, matrix: Any, *, dtype: torch.dtype | None = None) -> Operator:
        """From a SciPy sparse matrix or array of any shape, taken as it is: ``op @ x`` is ``matrix @ x``."""
        csr = sp.csr_array(matrix, copy=True)
        csr.sum_duplicates()
        values = torch.from_numpy(csr.data)
        wanted = dtype or (values.dtype if values.is_floating_point() else torch.get_default_dtype())
        M, N = csr.shape
        pattern = Pattern(torch.from_numpy(csr.indptr), torch.from_numpy(csr.indices), (M, N))
        return cls(pattern, values.to(wanted))

    @classmethod
    def from_networkx(
        cls, graph: Any, weight: str = "weight", *, dtype: torch.dtype | None = None
    ) -> Operator:
        """From a NetworkX graph in its own node order; an edge u -> v is a message from u to v."""
        import networkx as nx

        if graph.number_of_nodes() == 0:
            return cls.from_scipy(sp.csr_array((0, 0)), dtype=dtype)
        matrix = nx.to_scipy_sparse_array(graph, weight=weight, dtype=np.float64, format="csr")
        return cls.from_scipy(matrix.T, dtype=dtype or torch.get_default_dtype())

    @classmethod
    def from_sparse(cls, x: Tensor) -> Operator:
        """From a sparse torch tensor (COO, CSR or CSC), for example sparse node features."""
        csr = (
            x.detach().coalesce().to_sparse_csr()
            if x.layout == torch.sparse_coo
            else x.detach().to_sparse_csr()
        )
        M, N = csr.shape
        return cls(Pattern(csr.crow_indices(), csr.col_indices(), (M, N)), csr.values())

    @classmethod
    def diagonal_of(cls, values: Tensor) -> Operator:
        """The diagonal matrix with these values."""
        N = values.shape[0]
        index = torch.arange(N + 1, device=values.device)
        return cls(Pattern(index, index[:-1], (N, N)), values)

    @classmethod
    def _from_entries(cls, row: Tensor, col: Tensor, values: Tensor, shape: tuple[int, int]) -> Operator:
        """Sorted and summed from entries in any order; linear time on a CPU through SciPy's counting sort."""
        if row.device.type != "cpu":
            coo = torch.sparse_coo_tensor(torch.stack([row, col]), values, shape).coalesce()
            return cls.from_sparse(coo)
        index = np.int32 if max(*shape, row.shape[0]) < 2**31 else np.int64
        places = (row.numpy().astype(index, copy=False), col.numpy().astype(index, copy=False))
        csr = sp.coo_array((_numbers(values), places), shape=shape).tocsr()
        return cls.from_scipy_owned(csr, values.dtype)

    @classmethod
    def from_scipy_owned(cls, csr: Any, dtype: torch.dtype) -> Operator:
        """From a canonical CSR array that nobody else will change, without a copy."""
        M, N = csr.shape
        pattern = Pattern(torch.from_numpy(csr.indptr), torch.from_numpy(csr.indices), (M, N))
        return cls(pattern, torch.from_numpy(csr.data).to(dtype))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": {}}  # what is derived is quicker made anew than copied

    @property
    def shape(self) -> tuple[int, int]:
        return self.pattern.shape

    @property
    def dtype(self) -> torch.dtype:
        return self.values.dtype

    @property
    def device(self) -> torch.device:
        return self.pattern.device

    @property
    def nnz(self) -> int:
        """Number of stored entries."""
        return self.pattern.nnz

    @property
    def is_constant(self) -> bool:
        return not self._learnable

    @property
    def has_negative(self) -> bool:
        """Whether a value is below 0; reads the values, unless a subclass knows."""
        return bool((self.values.detach() < 0).any())

    @property
    def T(self) -> Operator:
        return self.derived("T", self._transpose)

    def _transpose(self) -> Operator:
        transposed, order = self.pattern.transposition
        result = Operator(transposed, self.values.index_select(0, order), _learnable=self._learnable)
        if not self._learnable:
            result._kept["T"] = self
        return result

    def derived(self, name: str, compute: Callable[[], ResultT]) -> ResultT:
        """``compute()``, once: whatever follows from the operator alone is kept with it under ``name``.

        Learnable values belong to the transformation that made them, so nothing is kept of them. What is computed
        lives as long as the operator and is made again after a copy.
        """
        if self._learnable:
            return compute()
        if name not in self._kept:
            self._kept[name] = outside(compute, self.device)
        return self._kept[name]

    def with_values(self, values: Tensor) -> Operator:
        """The same places with other values ``[E]`` (in row order), differentiable and batchable in them.

        Attention, edge gates, dropout on sparse features and learned adjacencies all stand on this. The values
        belong to the entries :attr:`edge_index` lists.
        """
        if values.dim() != 1 or values.shape[0] != self.nnz:
            raise InputError(
                f"Got values of shape {list(values.shape)} for {self.nnz} entries.", f"Expected [{self.nnz}]."
            )
        if values.device != self.device:
            raise InputError(
                f"Got values on {values.device} for a map on {self.device}.",
                "Move one of them with .to(device).",
            )
        return Operator(self.pattern, values, _learnable=True)

    def with_edge_weight(
        self, edge_index: Tensor, edge_weight: Tensor, *, flow: Flow = "source_to_target"
    ) -> Operator:
        """The same places with the weights of the edges it was built from, in their order, differentiable in them.

        Weights of an edge that is given twice are added.
        """

        def places() -> Tensor:
            row, col = edge_index.flip(0) if flow == "source_to_target" else edge_index
            stored = self.pattern.row * self.shape[1] + self.pattern.col
            return torch.searchsorted(stored, row * self.shape[1] + col)

        start = edge_weight.new_zeros(self.nnz)
        return self.with_values(start.index_add(0, self.derived("places of edges", places), edge_weight))

    def detached(self) -> Operator:
        """The same numbers as constants: what is derived from them is kept, and no gradient flows through them."""
        return Operator(self.pattern, self.values.detach())

    def to(self, target: torch.device | torch.dtype | str) -> Operator:
        if isinstance(target, torch.dtype):
            if target == self.dtype:
                return self
            return self.derived(f"to {target}", lambda: self._revalued(self.values.to(target)))
        if torch.device(target) == self.device:
            return self
        return Operator(self.pattern.to(target), self.values.to(target), _learnable=self._learnable)

    @property
    def edge_index(self) -> Tensor:
        """The entries as PyG edges ``[2, E]`` in row order: an entry (v, u) is the message u -> v."""
        return torch.stack([self.pattern.col.long(), self.pattern.row])

    @property
    def row_sums(self) -> Tensor:
        """A 1: the weighted degree of every row, ``[M]``."""
        return self.derived("row_sums", self._row_sums)

    def _row_sums(self) -> Tensor:
        return self.values.new_zeros(self.shape[0]).index_add(0, self.pattern.row, self.values)

    @property
    def diagonal(self) -> Tensor:
        """The self-loop weights, ``[min(M, N)]``."""
        return self.derived("diagonal", self._diagonal)

    def _diagonal(self) -> Tensor:
        on = (self.pattern.row == self.pattern.col).nonzero().squeeze(1)
        result = self.values.new_zeros(min(self.shape))
        return result.index_add(0, self.pattern.row[on], self.values[on])

    def is_symmetric(self) -> bool:
        """Whether A equals its transpose, entry by entry."""
        if self.shape[0] != self.shape[1]:
            return False
        other = self.T
        return bool(
            torch.equal(self.pattern.crow, other.pattern.crow)
            and torch.equal(self.pattern.col, other.pattern.col)
            and torch.equal(self.values, other.values)
        )

    def scale_rows(self, factors: Tensor) -> Operator:
        """diag(factors) A, for factors ``[M]``."""
        rows = _checked(factors, self.shape[0]).index_select(0, self.pattern.row)
        return self._revalued(self.values * rows)

    def scale_columns(self, factors: Tensor) -> Operator:
        """A diag(factors), for factors ``[N]``."""
        columns = _checked(factors, self.shape[1]).index_select(0, self.pattern.col)
        return self._revalued(self.values * columns)

    def scale(self, rows: Tensor, columns: Tensor) -> Operator:
        """diag(rows) A diag(columns); with equal factors a symmetric A stays symmetric to the last bit."""
        # Backwards this is index_add, which takes a fraction of what an indexed tensor does.
        left = _checked(rows, self.shape[0]).index_select(0, self.pattern.row)
        right = _checked(columns, self.shape[1]).index_select(0, self.pattern.col)
        return self._revalued(self.values * (left * right))

    def _revalued(self, values: Tensor) -> Operator:
        return Operator(self.pattern, values, _learnable=self._learnable)

    def plus_diagonal(self, values: Tensor) -> Operator:
        """A + diag(values), merged into one stored matrix; zeros are not stored."""
        _checked(_checked(values, self.shape[0]), self.shape[1])
        if self._learnable:
            merged, entries, loops = self.pattern.with_diagonal
            total = values.new_zeros(merged.nnz).index_add(0, loops, values)
            return Operator(merged, total.index_add(0, entries, self.values), _learnable=True)
        if self.device.type == "cpu" and self.dtype in (torch.float32, torch.float64):
            merged = self._csr_view() + sp.diags_array(values.numpy(), format="csr")
            return Operator.from_scipy_owned(merged, self.dtype)
        loops = torch.arange(self.shape[0], device=self.device)
        row, col = torch.cat([self.pattern.row, loops]), torch.cat([self.pattern.col.long(), loops])
        return Operator._from_entries(row, col, torch.cat([self.values, values]), self.shape)

    def symmetrized(self) -> Operator:
        """max(A, A^T), entry by entry: a symmetric matrix stays as it is, a one-way edge becomes two-way."""
        self._must_be_constant("symmetrized")
        if bool((self.values < 0).any()):
            raise InputError(
                f"Got {int((self.values < 0).sum())} negative edge weights where a one-way edge meets no edge, 0.",
                "Expected weights of 0 or more; add both directions yourself.",
            )
        csr = self.to("cpu")._csr_view()
        result = Operator.from_scipy_owned(sp.csr_array(csr.maximum(csr.T)), self.dtype).to(self.device)
        result._kept["T"] = result  # no need to sort the entries again to find this out
        return result

    def take_rows(self, nodes: Tensor) -> Operator:
        """The rows of these nodes alone, ``[S, N]``, for nodes ``[S]``."""
        self._must_be_constant("take_rows")
        chosen = sp.csr_array(self.to("cpu")._csr_view()[nodes.cpu().numpy()])
        return Operator.from_scipy_owned(chosen, self.dtype).to(self.device)

    def _must_be_constant(self, verb: str) -> None:
        if self._learnable:
            raise InputError(
                f"Got an operator with learnable values, whose gradient {verb} would lose.",
                "Change the pattern first, then call with_values; or multiply a dense signal.",
            )

    def _csr_view(self) -> Any:
        """The same memory as a SciPy array (half precisions as float32); whoever asks must not change it."""
        parts = (_numbers(self.values), self.pattern.col.numpy(), self.pattern.crow.numpy())
        return sp.csr_array(parts, shape=self.shape)

    def to_scipy(self) -> Any:
        """A ``scipy.sparse.csr_array`` that shares no memory."""
        return self.to("cpu")._csr_view().copy()

    def to_sparse(self) -> Tensor:
        """A sparse CSR tensor that shares the operator's memory."""
        return self.derived("sparse", lambda: self.pattern.filled(self.values))

    def __matmul__(self, x: Tensor) -> Tensor:
        dense = getattr(x, "layout", None) is torch.strided
        if dense and not self._learnable and is_plain(x) and not autocasts(x.device.type):
            try:  # on a small graph checking first would cost as much as the product
                return multiply(self.pattern, self.values, x)
            except RuntimeError:
                self._check(x)
                raise
        return super().__matmul__(x)

    def _apply(self, x: Tensor) -> Tensor:
        if x.layout != torch.strided:
            return self._apply_sparse(x)
        if torch.compiler.is_exporting():
            return gather_product(self.pattern, self.values, x)
        if self._learnable:
            return product(self.pattern, self.values, x)
        return fixed_product(self, x)

    def _apply_sparse(self, x: Tensor) -> Tensor:
        self._must_be_constant("a product with a sparse signal")
        if x.device.type == "cpu":
            result = self._csr_view() @ Operator.from_sparse(x)._csr_view()
            result.sort_indices()
            return Operator.from_scipy_owned(result, self.dtype).to_sparse()
        return torch.sparse.mm(self.to_sparse(), Operator.from_sparse(x).to_sparse())

    def __repr__(self) -> str:
        return f"Operator({self.shape[0]} x {self.shape[1]}, {self.nnz} entries, {self.dtype}, {self.device})"


def _numbers(values: Tensor) -> np.ndarray:
    """As NumPy; SciPy has no half precision."""
    return (values.float() if values.dtype in (torch.float16, torch.bfloat16) else values).detach().numpy()


def _checked(factors: Tensor, size: int) -> Tensor:
    """``factors``, when it has one number for each node."""
    if factors.shape != (size,):
        raise InputError(
            f"Got numbers of shape {list(factors.shape)} for the nodes of the map.",
            f"Expected [{size}]: one for each.",
        )
    return factors


def _check_edges(edge_index: Tensor, edge_weight: Tensor | None, num_nodes: int | None) -> int:
    """Complain about malformed edges; otherwise the number of nodes."""
    _check_tensor("edge_index", edge_index)
    if edge_weight is not None:
        _check_tensor("edge_weight", edge_weight)
    if edge_index.dim() != 2 or edge_index.shape[0] != 2 or edge_index.dtype not in _INTEGERS:
        raise InputError(
            f"Got edge_index of shape {list(edge_index.shape)} and type {edge_index.dtype}.",
            "Expected integers of shape [2, E]: sources above targets.",
        )
    if edge_weight is not None and edge_weight.shape != (edge_index.shape[1],):
        raise InputError(
            f"Got edge_weight of shape {list(edge_weight.shape)} for {edge_index.shape[1]} edges.",
            "Expected one number for each edge.",
        )
    if num_nodes is not None and num_nodes < 0:
        raise InputError(f"Got num_nodes = {num_nodes}.", "Expected 0 or more.")
    if edge_index.shape[1] == 0:
        return num_nodes or 0
    low, high = (int(end) for end in edge_index.aminmax())
    size = high + 1 if num_nodes is None else num_nodes
    if low < 0 or high >= size:
        raise InputError(
            f"Got an edge to node {low if low < 0 else high} in a graph of {size} nodes.",
            f"Node indices run from 0 to {size - 1}; check num_nodes.",
        )
    return size


def _check_tensor(name: str, part: object) -> None:
    if not isinstance(part, Tensor):
        raise InputError(
            f"Got {name} of type {type(part).__name__}.", "Expected a tensor: torch.as_tensor(...)."
        )
