from __future__ import annotations

import copy
import io
import pickle

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from tests.strategies import Graph, graphs
from torch import Tensor, nn
from torch_geometric.nn import SimpleConv
from torch_geometric.utils import to_scipy_sparse_matrix

from allpass.errors import InputError
from allpass.graph import LinearMap, Operator

PATH = torch.tensor([[0, 1], [1, 2]])


@given(graphs())
def test_edges_are_messages_as_in_pyg(graph: Graph) -> None:
    A = graph.operator()
    torch.testing.assert_close(A.to_dense(), torch.from_numpy(graph.dense))
    weight = (
        torch.ones(graph.edge_index.shape[1]).double() if graph.edge_weight is None else graph.edge_weight
    )
    if graph.x.shape[1] and graph.num_nodes:
        torch.testing.assert_close(A @ graph.x, SimpleConv("sum")(graph.x, graph.edge_index, weight))
    reversed_flow = Operator.from_edge_index(
        graph.edge_index, graph.edge_weight, graph.num_nodes, flow="target_to_source", dtype=torch.float64
    )
    theirs = to_scipy_sparse_matrix(graph.edge_index, weight, graph.num_nodes)
    np.testing.assert_allclose(reversed_flow.to_dense().numpy(), theirs.toarray())
    torch.testing.assert_close(reversed_flow.to_dense(), A.T.to_dense())


@given(graphs())
def test_round_trips(graph: Graph) -> None:
    A = graph.operator()
    assert (A.T @ (A @ graph.x)).shape == graph.x.shape  # with all that is kept in place
    for again in (
        Operator.from_scipy(A.to_scipy()),
        Operator.from_sparse(A.to_sparse()),
        Operator.from_sparse(A.to_sparse().to_sparse_coo()),
        Operator.from_edge_index(A.edge_index, A.values, graph.num_nodes),
        A.T.T,
        pickle.loads(pickle.dumps(A)),
        copy.deepcopy(A),
    ):
        assert again.shape == A.shape
        assert torch.equal(again.edge_index, A.edge_index)
        assert torch.equal(again.values, A.values)
    want = sp.csr_array(graph.dense)
    assert A.nnz == want.nnz
    np.testing.assert_array_equal(A.pattern.col.numpy(), want.indices)


@given(graphs(duplicates=False))
def test_networkx_in_its_own_order(graph: Graph) -> None:
    theirs = nx.DiGraph()
    theirs.add_nodes_from(f"node {i}" for i in range(graph.num_nodes))
    weights = [1.0] * graph.edge_index.shape[1] if graph.edge_weight is None else graph.edge_weight.tolist()
    for (u, v), w in zip(graph.edge_index.T.tolist(), weights, strict=True):
        theirs.add_edge(f"node {u}", f"node {v}", weight=w)
    ours = Operator.from_networkx(theirs, dtype=torch.float64)
    np.testing.assert_array_equal(ours.to_dense().numpy(), graph.dense)


def test_networkx_graphs_of_every_kind() -> None:
    several = nx.MultiGraph([(0, 1), (0, 1), (1, 1)])
    want = nx.to_numpy_array(several)
    np.testing.assert_array_equal(Operator.from_networkx(several).to_dense().numpy(), want)
    karate = nx.karate_club_graph()
    ours = Operator.from_networkx(karate)
    np.testing.assert_array_equal(ours.to_dense().numpy(), nx.to_numpy_array(karate))
    assert ours.is_symmetric()
    assert Operator.from_networkx(nx.Graph()).shape == (0, 0)


def test_scipy_matrices_of_every_shape_and_type() -> None:
    dense = np.array([[0, 2, 0], [1, 0, 3]])
    for matrix in (
        sp.coo_array(dense),
        sp.csc_matrix(dense),
        sp.csr_array(dense.astype(bool)),
        sp.csr_array(dense),
    ):
        A = Operator.from_scipy(matrix)
        assert A.dtype == torch.float32
        np.testing.assert_array_equal(A.to_dense().numpy(), matrix.toarray())
    assert Operator.from_scipy(sp.csr_array(dense), dtype=torch.float64).dtype == torch.float64
    unsorted = sp.csr_array((np.array([1.0, 2.0, 4.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    assert Operator.from_scipy(unsorted).to_scipy().toarray().tolist() == [[2.0, 0.0, 5.0]]
    assert unsorted.indices.tolist() == [2, 0, 2]


def test_values_take_the_type_asked_for() -> None:
    assert Operator.from_edge_index(PATH).dtype == torch.get_default_dtype()
    assert Operator.from_edge_index(PATH, torch.ones(2).double()).dtype == torch.float64
    assert Operator.from_edge_index(PATH, torch.tensor([1, 2])).values.tolist() == [1.0, 2.0]
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        A = Operator.from_edge_index(PATH, torch.ones(2), dtype=dtype)
        assert A.dtype == A.to(torch.float32).to(dtype).dtype == dtype
    assert Operator.from_edge_index(PATH.int()).shape == (3, 3)


@given(graphs())
def test_sums_diagonal_symmetry_and_scaling(graph: Graph) -> None:
    A, D = graph.operator(), graph.dense
    np.testing.assert_array_equal(A.row_sums.numpy(), D.sum(1))
    np.testing.assert_array_equal(A.diagonal.numpy(), np.diag(D))
    assert A.is_symmetric() == bool((D == D.T).all())
    f = torch.linspace(1, 2, graph.num_nodes, dtype=torch.float64)
    np.testing.assert_allclose(A.scale_rows(f).to_dense().numpy(), np.diag(f.numpy()) @ D)
    np.testing.assert_allclose(A.scale_columns(f).to_dense().numpy(), D @ np.diag(f.numpy()))
    np.testing.assert_allclose(A.scale(f, 2 * f).to_dense().numpy(), np.diag(f) @ D @ np.diag(2 * f))
    assert A.scale(f, f).is_symmetric() == A.is_symmetric()
    np.testing.assert_allclose(A.plus_diagonal(f).to_dense().numpy(), D + np.diag(f.numpy()))
    np.testing.assert_array_equal(A.symmetrized().to_dense().numpy(), np.maximum(D, D.T))


def test_a_rectangle_is_not_symmetric_and_has_a_diagonal() -> None:
    A = Operator.from_scipy(sp.csr_array(np.arange(6.0).reshape(2, 3)))
    assert not A.is_symmetric()
    assert A.diagonal.tolist() == [0.0, 4.0]
    assert A.T.shape == (3, 2)
    assert (A @ torch.ones(3, dtype=torch.float64)).tolist() == [3.0, 12.0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precisions_do_all_that_is_not_a_product(dtype: torch.dtype) -> None:
    A = Operator.from_edge_index(PATH, torch.tensor([1.0, 2.0]), dtype=dtype)
    assert A.symmetrized().to_dense().tolist() == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
    assert A.plus_diagonal(torch.ones(3, dtype=dtype)).to_dense().diagonal().tolist() == [1, 1, 1]
    assert A.to_scipy().toarray().tolist() == [[0, 0, 0], [1, 0, 0], [0, 2, 0]]
    sparse = torch.eye(3, dtype=dtype).to_sparse()
    assert torch.equal((A @ sparse).to_dense(), A.to_dense())


def test_an_operator_shares_no_memory_with_its_exports_and_source() -> None:
    source = sp.csr_array(np.ones((2, 2)))
    A = Operator.from_scipy(source)
    source.data[:] = 7
    exported = A.to_scipy()
    exported.data[:] = 9
    assert A.to_dense().tolist() == [[1, 1], [1, 1]]
    weight = torch.ones(2)
    B = Operator.from_edge_index(PATH, weight)
    weight.mul_(5)
    assert B.values.tolist() == [1.0, 1.0]


def test_with_values_shares_the_pattern_and_follows_edge_index() -> None:
    A = Operator.from_edge_index(torch.tensor([[2, 0, 1], [0, 1, 2]]))
    v = torch.tensor([10.0, 20.0, 30.0])
    gated = A.with_values(v)
    assert gated.pattern is A.pattern
    want = torch.zeros(3, 3)
    want[A.edge_index[1], A.edge_index[0]] = v
    assert torch.equal(gated.to_dense(), want)


def test_learnable_values_keep_their_gradient_everywhere() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1, 1], [1, 2, 1]]), dtype=torch.float64)
    v = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    x = torch.ones(3, 1, dtype=torch.float64)
    factors = torch.ones(3, dtype=torch.float64)
    gated = A.with_values(v)
    outputs = [
        gated @ x, gated.T @ x, gated.complement() @ x, gated**2 @ x, gated.row_sums, gated.diagonal,
        gated.scale_rows(factors) @ x, gated.scale(factors, factors) @ x, gated.to(torch.float32) @ x.float(),
    ]  # fmt: skip
    for output in outputs:
        assert torch.autograd.grad(output.sum(), v, retain_graph=True)[0].abs().sum() > 0
    for _ in range(2):
        (gated.T @ x).sum().backward()  # the transpose is no leftover of an earlier graph
    scaled = A.scale_rows(v) @ x
    assert torch.autograd.grad(scaled.sum(), v)[0].tolist() == A.row_sums.tolist()


def test_what_is_asked_for_twice_is_computed_once() -> None:
    A = Operator.from_edge_index(PATH)
    assert A.T is A.T
    assert A.T.T is A
    assert A.row_sums is A.row_sums
    assert A.to(torch.float32) is A
    assert A.to("cpu") is A


class Exported(nn.Module):
    """What a layer does with its operator, all of it."""

    def __init__(self, op: LinearMap, gates: Operator) -> None:
        super().__init__()
        self.op, self.gates = op, gates
        self.values = nn.Parameter(torch.linspace(0.5, 1.5, gates.nnz))
        self.linear = nn.Linear(2, 3)

    def forward(self, x: Tensor) -> Tensor:
        gated = self.gates.with_values(self.values.sigmoid())
        high = self.op.complement() @ self.linear(x)
        return high + gated @ high + gated.T @ high + self.op.T @ high


def test_export_reloads_and_gives_the_same_numbers() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1, 2, 2], [1, 2, 0, 2]]), torch.tensor([0.5, 1, 2, 3]))
    module, x = Exported(A, A), torch.randn(3, 2, generator=torch.Generator().manual_seed(0))
    written = io.BytesIO()
    torch.export.save(torch.export.export(module, (x,), strict=False), written)
    written.seek(0)
    loaded = torch.export.load(written).module()
    torch.testing.assert_close(loaded(x), module(x))
    torch.testing.assert_close(A.T.to_dense(), A.to_dense().T)  # the export left nothing of itself behind
    assert type(A.pattern.row) is Tensor


def test_repr() -> None:
    assert repr(Operator.from_edge_index(PATH)) == "Operator(3 x 3, 2 entries, torch.float32, cpu)"


@given(graphs(min_nodes=1, weighted=True))
def test_gradients_flow_through_edge_weights_and_added_loops(graph: Graph) -> None:
    N = graph.num_nodes
    loops = torch.linspace(1, 2, N, dtype=torch.float64, requires_grad=True)
    weight = graph.edge_weight.clone().requires_grad_()
    op = Operator.from_edge_index(graph.edge_index, weight, N).plus_diagonal(loops)
    source, target = graph.edge_index
    dense = torch.zeros(N, N, dtype=torch.float64).index_put((target, source), weight, accumulate=True)
    dense = dense + loops.diag()
    x = torch.randn(N, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    torch.testing.assert_close(op @ x, dense @ x)
    found = torch.autograd.grad((op @ x).square().sum(), (weight, loops))
    wanted = torch.autograd.grad((dense @ x).square().sum(), (weight, loops))
    torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("rows", [2, 4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_signal_of_too_few_or_too_many_nodes_is_refused(rows: int, dtype: torch.dtype) -> None:
    op = Operator.from_edge_index(torch.tensor([[0, 1], [1, 2]]), dtype=dtype)
    with pytest.raises(InputError, match=rf"signal of shape \[{rows}, 2\] for a map of shape"):
        op @ torch.ones(rows, 2, dtype=dtype)


LEARNABLE = Operator.from_edge_index(PATH).with_values(torch.ones(2))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Operator.from_edge_index(PATH.float()),
            r"torch.float32.*Expected integers of shape \[2, E\]",
        ),
        (lambda: Operator.from_edge_index(PATH.bool()), "torch.bool"),
        (lambda: Operator.from_edge_index(torch.zeros(3, 2).long()), r"shape \[3, 2\]"),
        (lambda: Operator.from_edge_index(torch.zeros(2).long()), r"shape \[2\]"),
        (lambda: Operator.from_edge_index(PATH, torch.ones(3)), r"edge_weight of shape \[3\] for 2 edges"),
        (lambda: Operator.from_edge_index(PATH, torch.ones(2, 1)), r"edge_weight of shape \[2, 1\]"),
        (lambda: Operator.from_edge_index(PATH, num_nodes=2), "edge to node 2 in a graph of 2 nodes.*0 to 1"),
        (lambda: Operator.from_edge_index(PATH - 1), "edge to node -1"),
        (lambda: Operator.from_edge_index(PATH[:, :0], num_nodes=-1), "num_nodes = -1"),
        (lambda: Operator.from_edge_index(PATH, flow="both"), "flow 'both'.*source_to_target"),  # type: ignore[arg-type]
        (lambda: Operator.from_edge_index(PATH, dtype=torch.int64), "torch.int64.*floating-point"),
        (lambda: Operator.from_edge_index(PATH).with_values(torch.ones(3)), r"\[3\] for 2 entries"),
        (lambda: Operator.from_edge_index(PATH).with_values(torch.ones(2, 2)), r"\[2, 2\] for 2 entries"),
        (
            lambda: Operator.from_edge_index(PATH).with_values(torch.ones(2, device="meta")),
            "on meta .* on cpu",
        ),
        (lambda: Operator.from_edge_index(PATH).scale_rows(torch.ones(4)), r"\[4\].*Expected \[3\]"),
        (lambda: Operator.from_edge_index(PATH).plus_diagonal(torch.ones(2)), r"\[2\].*Expected \[3\]"),
        (lambda: Operator.from_edge_index(PATH, -torch.ones(2)).symmetrized(), "2 negative edge weights"),
        (lambda: LEARNABLE.symmetrized(), "learnable values"),
        (lambda: LEARNABLE @ torch.eye(3).to_sparse(), "learnable values.*dense signal"),
    ],
)
def test_mistakes_are_named(make: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()  # type: ignore[operator]


@pytest.mark.gpu
def test_building_and_asking_on_cuda() -> None:
    edges = torch.tensor([[0, 1, 2, 2, 2], [1, 2, 0, 2, 2]])
    weight = torch.tensor([0.5, 1, 2, 3, 4])
    here, there = (
        Operator.from_edge_index(edges, weight),
        Operator.from_edge_index(edges.cuda(), weight.cuda()),
    )
    for one, two in (
        (here, there), (here.T, there.T), (here.symmetrized(), there.symmetrized()),
        (here.plus_diagonal(torch.ones(3)), there.plus_diagonal(torch.ones(3).cuda())),
    ):  # fmt: skip
        torch.testing.assert_close(two.to("cpu").to_dense(), one.to_dense())
    torch.testing.assert_close(there.row_sums.cpu(), here.row_sums)
    torch.testing.assert_close(there.diagonal.cpu(), here.diagonal)
    sparse = torch.eye(3).to_sparse()
    torch.testing.assert_close((there @ sparse.cuda()).to_dense().cpu(), here.to_dense())
    with pytest.raises(InputError, match="on cpu for a map on cuda"):
        there @ torch.ones(3)


def test_a_symmetrized_operator_is_its_own_transpose() -> None:
    A = Operator.from_edge_index(
        torch.tensor([[0, 1, 2], [1, 2, 2]]), torch.tensor([1.0, 2.0, 3.0])
    ).symmetrized()
    assert A.T is A
    assert A.is_symmetric()
    dense = A.to_dense()
    assert torch.equal(dense, dense.T)
    assert copy.deepcopy(A).is_symmetric()


def test_take_rows_are_the_rows() -> None:
    generator = torch.Generator().manual_seed(0)
    A = Operator.from_edge_index(torch.randint(0, 9, (2, 30), generator=generator), num_nodes=9)
    nodes = torch.tensor([7, 0, 3])
    assert torch.equal(A.take_rows(nodes).to_dense(), A.to_dense()[nodes])
    assert A.take_rows(torch.zeros(0, dtype=torch.long)).shape == (0, 9)
