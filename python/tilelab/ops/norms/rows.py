# SPDX-License-Identifier: Apache-2.0
"""Tiles of whole rows: a block has a row, or several short ones, in its registers. Sums over rows, for the gradients of weights: each block
of a kernel writes the sum over its rows, and one further kernel adds these parts for all weights together."""

from .. import arrays
from ..launch import block, per_target
from ..reductions.kernels import kernels_of, reduce

MOST = 65536  # elements of a row: 64 in each of 1024 threads
ADD_PARTS = kernels_of("add_parts")


@per_target
def tile_of(N, each=16):
    """{rows, cols, threads} for rows of N elements: cols is the next power of two, and a thread has `each` elements, or 8 to 64 of rows that are
    too short or long for that."""
    if N > MOST:
        arrays.refuse_shape(f"rows of {N} elements, a block holds at most {MOST} in registers", "reshape the tensor, or split its rows")
    cols = block(N, MOST)
    rows = max(1, 1024 // cols)
    return dict(rows=rows, cols=cols, threads=max(128, min(1024, rows * cols // each)))


@per_target
def backward_tile_of(N):
    """The same for gradients, whose blocks loop over rows: a thread has 16 elements or more in each step."""
    tile = tile_of(N)
    return dict(tile, rows=max(1, 16 * tile["threads"] // tile["cols"]))


def parts_of(M):
    """The number of blocks of a kernel that loops over M rows and keeps sums over them."""
    return min(M, 256)


def added(parts, dtype):
    """The sums over the middle dimension of `parts` (weights, P, N), of `dtype`."""
    return reduce(ADD_PARTS, parts, 1, False, "sum", result=dtype)
