"""The graph as a linear operator on node signals. Knows nothing of labels or learning."""

from allpass.graph.components import Components, components
from allpass.graph.embeddings import (
    EMBEDDINGS,
    Embedding,
    isomap_embedding,
    poincare_embedding,
    struc2vec_embedding,
)
from allpass.graph.filters import FilterBank, apply_polynomial, frequency_response
from allpass.graph.krylov import (
    KrylovSpace,
    apply_analytic,
    block_grade,
    krylov_basis,
    krylov_coefficients,
    krylov_space,
)
from allpass.graph.linear import Combination, Composition, Identity, LinearMap
from allpass.graph.matrices import MATRICES, Matrix, add_self_loops, matrix
from allpass.graph.operator import Operator
from allpass.graph.positions import spectral_positions
from allpass.graph.roles import ROLES, node_roles
from allpass.graph.spectrum import (
    FourierBasis,
    fourier_basis,
    signal_density,
    spectral_density,
    spectral_extremes,
)

__all__ = [
    "EMBEDDINGS",
    "MATRICES",
    "ROLES",
    "Combination",
    "Components",
    "Composition",
    "Embedding",
    "FilterBank",
    "FourierBasis",
    "Identity",
    "KrylovSpace",
    "LinearMap",
    "Matrix",
    "Operator",
    "add_self_loops",
    "apply_analytic",
    "apply_polynomial",
    "block_grade",
    "components",
    "fourier_basis",
    "frequency_response",
    "isomap_embedding",
    "krylov_basis",
    "krylov_coefficients",
    "krylov_space",
    "matrix",
    "node_roles",
    "poincare_embedding",
    "signal_density",
    "spectral_density",
    "spectral_extremes",
    "spectral_positions",
    "struc2vec_embedding",
]
