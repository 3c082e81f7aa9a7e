# SPDX-License-Identifier: Apache-2.0
"""Operands of mma.sync as TileLang's functions of indices: (row, column) of a tile -> (lane, element of the lane). PTX ISA, "Matrix
fragments for mma"; a row of 16 elements of B is two instructions with n = 8."""

from .._compiler import dtypes
from .._compiler.layouts import Layout as _Layout

_ROWS = 16
# The columns of a tile, and the elements of a lane, for the bits of an element.
_WIDTHS = {32: (8, 4), 16: (16, 8), 8: (32, 16)}


def _map(bits, operand, transposed):
    per_register = 32 // bits

    def place(i, j):
        if transposed:
            i, j = j, i
        half_row, half_column = i // 8, j // (4 * per_register)
        pair = 2 * half_column + half_row if operand == "a" else 2 * half_row + half_column
        return i % 8 * 4 + j // per_register % 4, pair * per_register + j % per_register

    return place


def _functions():
    """shared_16x16_to_mma_32x8_layout_sr_a and its siblings: sr is a row-major operand, rs a transposed one."""
    for bits, (columns, elements) in _WIDTHS.items():
        for operand in "ab":
            for order, transposed in (("sr", False), ("rs", True)):
                made = _map(bits, operand, transposed)
                made.__name__ = made.__qualname__ = f"shared_{_ROWS}x{columns}_to_mma_32x{elements}_layout_{order}_{operand}"
                yield made


def get_mma_micro_size(dtype):
    """(m, n, k) of the tile that TileLang computes with mma.sync: k is 32 for elements of 8 bits, otherwise 16."""
    return _ROWS, _ROWS, 32 if dtypes.dtype(dtype).bits == 8 else 16


def get_ldmatrix_offset(matrix, row_idx, col_idx, stride, dtype="float16", transposed=False):
    """(row, column) of the row of 16 bytes that lane `row_idx` names when ldmatrix loads 16 rows of A [m, k] or B: B [n, k] if
    `transposed`, else [k, n]; A [k, m] if `transposed`."""
    per_row = 128 // dtypes.dtype(dtype).bits
    if transposed:
        return row_idx // 16 * 8 + row_idx % 8, row_idx % 16 // 8 * per_row + col_idx
    return row_idx % 16, row_idx // 16 * per_row + col_idx


def mma_store_index_map(thread_id, local_id):
    """(row, column) of a lane's accumulator in a tile of 16 x 16, of two instructions side by side."""
    return local_id % 4 // 2 * 8 + thread_id // 4, local_id // 4 * 8 + thread_id % 4 * 2 + local_id % 2


def get_swizzle_layout(row_idx, col_idx, row_size, dtype, swizzle_bytes=None):
    """(column of tiles, row, column) of an element under the swizzle of 128 bytes, or of shorter rows: pieces of 16 bytes change
    places by an exclusive or with the row."""
    bits = dtypes.dtype(dtype).bits
    pieces = (min(128, row_size * bits // 8) if swizzle_bytes is None else swizzle_bytes) // 16
    per_piece = 128 // bits
    piece = col_idx // per_piece
    moved = piece % pieces ^ row_idx % 8 // (8 // pieces)
    return piece // pieces, row_idx, moved * per_piece + col_idx % per_piece


def make_mma_swizzle_layout(shared_buf, is_smooth=False):
    """The layout of a shared buffer [..., rows, columns] under that swizzle: row-major if `is_smooth`, or if its rows are not a multiple of
    64 bytes. Kernels call it."""
    shape, dtype = shared_buf.shape, shared_buf.dtype
    if is_smooth or shape[-1] * dtype.bits % 512 != 0:
        return _Layout(shape, lambda *index: index)

    def moved(*index):
        return [*index[:-2], *get_swizzle_layout(index[-2], index[-1], shape[-1], dtype)]

    return _Layout(shape, moved)


for _made in _functions():
    globals()[_made.__name__] = _made

__all__ = ["get_ldmatrix_offset", "get_mma_micro_size", "get_swizzle_layout", "make_mma_swizzle_layout", "mma_store_index_map", *(_made.__name__ for _made in _functions())]
