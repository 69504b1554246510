from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import Graph, graphs
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from allpass.errors import InputError, UnknownNameError
from allpass.graph import MATRICES, Operator, add_self_loops, components, matrix
from allpass.graph.matrices import SelfLoops, degree_power

AFFINITIES = ("A_rw", "A_sym", "A_hat_rw", "A_hat_sym")


def inverse_power(degrees: np.ndarray, exponent: float) -> np.ndarray:
    return np.diag([d**exponent if d > 0 else 0.0 for d in degrees])


def by_definition(A: np.ndarray, self_loops: str) -> dict[str, np.ndarray]:
    """The ten matrices of a dense adjacency, formula by formula."""
    I = np.eye(len(A))
    loops = I if self_loops == "add" else np.diag((np.diag(A) == 0).astype(float))
    A_hat, d, d_hat = A + loops, A.sum(1), (A + loops).sum(1)
    named = {
        "A": A,
        "A_rw": inverse_power(d, -1) @ A,
        "A_sym": inverse_power(d, -0.5) @ A @ inverse_power(d, -0.5),
        "A_hat_rw": inverse_power(d_hat, -1) @ A_hat,
        "A_hat_sym": inverse_power(d_hat, -0.5) @ A_hat @ inverse_power(d_hat, -0.5),
        "L": np.diag(d) - A,
    }
    return named | {name.replace("A", "L", 1): I - named[name] for name in AFFINITIES}


@pytest.mark.parametrize("stored", [True, False])
@given(graph=graphs(), self_loops=st.sampled_from(["add", "remaining"]))
def test_the_ten_matrices_are_their_definitions(stored: bool, graph: Graph, self_loops: SelfLoops) -> None:
    A = graph.operator()
    want = by_definition(graph.dense, self_loops)
    assert set(want) == set(MATRICES.names)
    for name, dense in want.items():
        ours = matrix(A, name, self_loops=self_loops, stored=stored).to_dense().numpy()
        np.testing.assert_allclose(ours, dense, rtol=1e-13, atol=1e-13, err_msg=name)


@given(graphs(duplicates=False))
def test_gcn_norm_of_pyg_is_the_remaining_form(graph: Graph) -> None:
    edges, weights = gcn_norm(
        graph.edge_index, graph.edge_weight, graph.num_nodes, add_self_loops=True, dtype=torch.float64
    )
    theirs = torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.float64)
    theirs.index_put_((edges[1], edges[0]), weights, accumulate=True)
    ours = matrix(graph.operator(), "A_hat_sym", self_loops="remaining")
    torch.testing.assert_close(ours.to_dense(), theirs)
    assert torch.equal(
        add_self_loops(graph.operator(), "remaining").diagonal > 0, torch.ones(graph.num_nodes) > 0
    )


@given(graphs(min_nodes=1, directed=False, self_loops=False, duplicates=False))
def test_networkx_has_the_same_laplacians(graph: Graph) -> None:
    theirs = nx.from_numpy_array(graph.dense)
    nodes = range(graph.num_nodes)
    A = graph.operator()
    np.testing.assert_allclose(
        matrix(A, "L").to_dense().numpy(), nx.laplacian_matrix(theirs, nodes).toarray(), atol=1e-13
    )
    # NetworkX gives an isolated node 0 on the diagonal, here it has 1, so that A_sym + L_sym = I.
    isolated = np.diag((graph.dense.sum(1) == 0).astype(float))
    np.testing.assert_allclose(
        matrix(A, "L_sym").to_dense().numpy(),
        nx.normalized_laplacian_matrix(theirs, nodes).toarray() + isolated,
        atol=1e-13,
    )


@given(graphs(min_nodes=1, directed=False))
def test_spectra_are_related_as_the_theory_says(graph: Graph) -> None:
    A = graph.operator()
    found = components(A)
    for hat in ("", "_hat"):
        sym = matrix(A, f"L{hat}_sym").to_dense()
        rw = matrix(A, f"L{hat}_rw").to_dense()
        frequencies, U = torch.linalg.eigh(sym)
        assert frequencies.min() > -1e-12
        assert frequencies.max() < 2 + 1e-12
        np.testing.assert_allclose(
            np.sort(np.linalg.eigvals(rw.numpy()).real), frequencies.numpy(), atol=1e-7
        )
        degrees = (add_self_loops(A) if hat else A).row_sums
        u = degree_power(degrees, -0.5).unsqueeze(1) * U + U * (degrees == 0).unsqueeze(1)
        torch.testing.assert_close(rw @ u, u * frequencies, rtol=0, atol=1e-10)
        if hat:
            assert frequencies.max() < 2 - 1e-6
        else:
            with_edges = A.row_sums.new_zeros(found.count).index_add(0, found.membership, A.row_sums) > 0
            reaches_two = int((frequencies > 2 - 1e-9).sum())
            assert reaches_two == int((found.bipartite & with_edges).sum())


@given(graphs())
def test_affinity_and_laplacian_add_up_to_the_identity(graph: Graph) -> None:
    A = graph.operator()
    for name in AFFINITIES:
        total = matrix(A, name) + matrix(A, name.replace("A", "L", 1))
        torch.testing.assert_close(total @ graph.x, graph.x, rtol=0, atol=1e-12)


@given(graphs(directed=False))
def test_a_symmetric_graph_has_symmetric_matrices_to_the_last_bit(graph: Graph) -> None:
    for name in ("A_sym", "A_hat_sym"):
        built = matrix(graph.operator(torch.float32), name)
        assert isinstance(built, Operator)
        assert built.is_symmetric()


@given(graphs())
def test_random_walks_average(graph: Graph) -> None:
    A = graph.operator()
    ones = torch.ones(graph.num_nodes, dtype=torch.float64)
    torch.testing.assert_close(matrix(A, "A_hat_rw") @ ones, ones)
    torch.testing.assert_close(matrix(A, "A_rw") @ ones, (A.row_sums > 0).double())


def test_high_pass_matrices_are_never_stored() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]))
    for name in ("L_rw", "L_sym", "L_hat_rw", "L_hat_sym"):
        assert not isinstance(matrix(A, name), Operator)


def test_a_loop_the_graph_already_has() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 0, 1], [0, 1, 0]]))
    assert add_self_loops(A).to_dense().tolist() == [[2, 1], [1, 1]]
    assert add_self_loops(A, "remaining").to_dense().tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("alias", ["gcn", "Â_sym", "A\u0302_sym", "A-HAT-SYM", " a_hat_sym "])
def test_names_are_forgiving(alias: str) -> None:
    assert MATRICES[alias].name == "A_hat_sym"


def test_every_matrix_knows_its_formula_and_source() -> None:
    assert all(entry.formula and entry.citation for entry in MATRICES)
    assert len(MATRICES) == 10


@pytest.mark.parametrize("name", ["A_rw", "A_sym", "A_hat_rw", "A_hat_sym", "L", "L_hat_rw"])
def test_negative_weights_have_no_normalisation(name: str) -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]), torch.tensor([-1.0, 1.0]))
    with pytest.raises(InputError, match="Got 1 negative edge weights"):
        matrix(A, name)


def test_mistakes_are_named() -> None:
    A = Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]]))
    with pytest.raises(UnknownNameError, match=r"no matrix 'A_hat'.*Did you mean"):
        matrix(A, "A_hat")
    with pytest.raises(InputError, match=r"self_loops='twice'.*'add' or 'remaining'"):
        matrix(A, "A_hat_rw", self_loops="twice")  # type: ignore[arg-type]


@pytest.mark.gpu
@pytest.mark.parametrize("name", MATRICES.names)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_cuda_equals_cpu(name: str, dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(0)
    edges = torch.randint(0, 30, (2, 100), generator=generator)
    here = Operator.from_edge_index(edges, num_nodes=32, dtype=dtype)
    x = torch.randn(32, 5, generator=generator).to(dtype)
    tolerance = 0.1 if dtype == torch.bfloat16 else 1e-5
    for stored in (True, False):
        there = matrix(here.to("cuda"), name, stored=stored) @ x.cuda()
        torch.testing.assert_close(
            there.cpu(), matrix(here, name, stored=stored) @ x, rtol=tolerance, atol=tolerance
        )
