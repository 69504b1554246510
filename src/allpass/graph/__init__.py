"""The graph as a linear operator on node signals. Knows nothing of labels or learning."""

from allpass.graph.components import Components, components
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
from allpass.graph.spectrum import (
    FourierBasis,
    fourier_basis,
    signal_density,
    spectral_density,
    spectral_extremes,
)

__all__ = [
    "MATRICES",
    "Combination",
    "Components",
    "Composition",
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
    "krylov_basis",
    "krylov_coefficients",
    "krylov_space",
    "matrix",
    "signal_density",
    "spectral_density",
    "spectral_extremes",
]
