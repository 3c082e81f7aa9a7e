# SPDX-License-Identifier: Apache-2.0
"""Explicit layouts: `tilelang.layout`. The make_* functions take a buffer, so only kernels call them."""

from .._compiler.builtin import Builtin as _Builtin
from .._compiler.layouts import Fragment, Layout

_MADE = ("make_swizzled_layout", "make_wgmma_swizzled_layout", "make_full_bank_swizzled_layout", "make_sqmma_swizzled_layout",
         "make_no_swizzled_layout", "make_half_bank_swizzled_layout", "make_quarter_bank_swizzled_layout", "make_linear_layout",
         "make_fully_replicated_layout_fragment")
for _name in _MADE:
    globals()[_name] = _Builtin.table[_name]


def make_gemm_fragment_8x8():
    """8x8 elements in 32 lanes, in the order of ldmatrix (PTX ISA, "Matrix fragments for mma")."""
    return Fragment((8, 8), forward_fn=lambda i, j: (i * 4 + j // 2, j % 2))


def make_gemm_fragment_8x8_transposed():
    """The transpose, in the order of ldmatrix.trans."""
    return Fragment((8, 8), forward_fn=lambda i, j: (j * 4 + i // 2, i % 2))


__all__ = ["Fragment", "Layout", "make_gemm_fragment_8x8", "make_gemm_fragment_8x8_transposed", *_MADE]


def __getattr__(name):
    from ..names import attributes  # a rarely needed table
    return attributes(__name__)(name)
