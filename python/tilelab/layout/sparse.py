# SPDX-License-Identifier: Apache-2.0
"""The format of 2:4 sparse matrices, for programs that compress one for T.gemm_sp. Of each group of elements of a row a part is kept,
and four bits of metadata have their places: two bits each of the first and the second kept one, or, of float32, of its halves."""

from .._compiler.dtypes import dtype

GROUP_CONFIG = {dtype("float32"): (1, 2), **{dtype(name): (2, 4) for name in (
    "float16", "bfloat16", "int8", "uint8", "float8_e4m3fn", "float8_e5m2")}}  # (kept, elements of a group)


def get_e_factor(a_dtype, meta_dtype):
    """The number of elements of a row of the whole matrix that one element of the metadata describes."""
    return dtype(meta_dtype).bits // 4 * GROUP_CONFIG[dtype(a_dtype)][1]


def get_e_replicate_factor(a_dtype):
    """The adjacent threads of a warp that pass the same metadata to the sparse instruction."""
    return 1 if dtype(a_dtype).bits <= 8 else 2
