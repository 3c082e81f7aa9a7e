# SPDX-License-Identifier: Apache-2.0
"""TileLang's TensorCoreIntrinEmitter: a block's product of matrices in shared memory, written as explicit instructions of its warps.
Each method is elaborated where a kernel calls it, on local buffers of the lanes (PTX ISA, "Matrix fragments for mma")."""

from .._compiler import dtypes
from .._compiler.builtin import Builtin
from ..layout.mma import get_ldmatrix_offset, mma_store_index_map

_unroll, _vectorized, _thread = (Builtin.table[name] for name in ("unroll", "vectorized", "get_thread_binding"))
_load, _multiply, _address = (Builtin.table[name] for name in ("ptx_ldmatrix", "ptx_mma", "access_ptr"))
_LANES = 32


class TensorCoreIntrinEmitter:
    """Warps in a grid of block_row_warps x block_col_warps; each computes warp_row_tiles x warp_col_tiles elements of C, in tiles of
    16 x 16 (16 x 8, 8 x 8 of float64), from A [M, chunk] and B [chunk, N], which are stored transposed on request."""

    WARP_SIZE = _LANES

    def __init__(self, a_dtype="float16", b_dtype="float16", accum_dtype="float16", a_transposed=False, b_transposed=False,
                 block_row_warps=2, block_col_warps=2, warp_row_tiles=8, warp_col_tiles=8, chunk=16, reduce_k=1, num_elems_per_byte=1,
                 is_m_first=False, thread_var=None):
        self.a_dtype, self.b_dtype, self.accum_dtype = a_dtype, b_dtype, accum_dtype
        self.a_transposed, self.b_transposed = a_transposed, b_transposed
        self.block_row_warps, self.block_col_warps = block_row_warps, block_col_warps
        self.warp_row_tiles, self.warp_col_tiles = warp_row_tiles, warp_col_tiles
        self.chunk, self.reduce_k, self.num_elems_per_byte = chunk, reduce_k, num_elems_per_byte
        self.is_m_first, self.thread_var = bool(is_m_first), thread_var
        self.threads = _LANES * block_row_warps * block_col_warps * reduce_k
        self.bits = dtypes.dtype(a_dtype).bits
        if dtypes.dtype(b_dtype).bits != self.bits:
            raise ValueError(f"operands of {a_dtype} and {b_dtype}: mma multiplies elements of one width")
        wide = self.bits == 64
        self.M_DIM = self.micro_size_x = 8 if wide else 16
        self.n_dim = self.micro_size_y = 8 if wide or warp_col_tiles % 16 else 16
        self.k_dim = self.micro_size_k = 256 // self.bits if not wide else 4
        if warp_row_tiles % self.M_DIM or warp_col_tiles % self.n_dim or chunk % self.k_dim:
            raise ValueError(f"warps of {warp_row_tiles} x {warp_col_tiles} with chunks of {chunk}: multiples of {self.M_DIM}, 8 and "
                             f"{self.k_dim} are needed")
        self.mma_prefix = f"m{self.M_DIM}n8k{self.k_dim}"
        self.warp_rows, self.warp_cols = warp_row_tiles // self.M_DIM, warp_col_tiles // self.n_dim
        self.mma_num_inst_m, self.mma_num_inst_n = self.warp_rows, self.warp_cols
        self.local_size_a = self.M_DIM * self.k_dim // _LANES
        self.local_size_b = self.n_dim * self.k_dim // _LANES
        self.local_size_out = self.M_DIM * self.n_dim // _LANES

    def get_thread_binding(self):
        return _thread() if self.thread_var is None else self.thread_var

    def extract_thread_binding(self, thread_id, is_m_first=None):
        """(lane, warp along N, warp along M) of a thread."""
        m_first = self.is_m_first if is_m_first is None else is_m_first
        warp = thread_id // _LANES
        if m_first:
            return thread_id % _LANES, warp % self.block_col_warps, warp // self.block_col_warps % self.block_row_warps
        return thread_id % _LANES, warp // self.block_row_warps % self.block_col_warps, warp % self.block_row_warps

    def _fragment(self, local, shared, operand, row, k, count, stored_by_k):
        """Tile `row` of A or B^T from element `k` on. `stored_by_k`: rows of the buffer are along M or N, and K is contiguous."""
        lane, _, _ = self.extract_thread_binding(self.get_thread_binding())
        if self.bits == 64:
            mn, at_k = row + lane // 4, k + lane % 4
            local[count] = shared[mn, at_k] if stored_by_k else shared[at_k, mn]
        elif stored_by_k or self.bits == 16:
            matrices = 2 if operand == "B" and self.n_dim == 8 else 4
            swapped = not stored_by_k
            down, across = get_ldmatrix_offset(operand, lane, 0, 0, self.a_dtype, swapped if operand == "A" else stored_by_k)
            at_row, at_column = (row + down, k + across) if stored_by_k else (k + down, row + across)
            _load(swapped, matrices, _address(shared[at_row, at_column], "r"), _address(local[count], "w"))
        else:
            per_word = 32 // self.bits
            for j in _unroll(self.local_size_a if operand == "A" else self.local_size_b):
                word = j // per_word
                half_mn, half_k = (word % 2, word // 2) if operand == "A" else (word // 2, word % 2)
                at_k = k + 4 * per_word * half_k + per_word * (lane % 4) + j % per_word
                local[count + j] = shared[at_k, row + 8 * half_mn + lane // 4]

    def ldmatrix_a(self, A_local_buf, A_shared_buf, ki, rk=0):
        """Loads the fragments of A for step `ki` of the chunk."""
        _, _, warp_m = self.extract_thread_binding(self.get_thread_binding())
        for i in _unroll(self.warp_rows):
            self._fragment(A_local_buf, A_shared_buf, "A", warp_m * self.warp_row_tiles + i * self.M_DIM, rk * self.chunk + ki * self.k_dim,
                           i * self.local_size_a, not self.a_transposed)

    def ldmatrix_b(self, B_local_buf, B_shared_buf, ki, rk=0):
        """Loads the fragments of B for step `ki` of the chunk."""
        _, warp_n, _ = self.extract_thread_binding(self.get_thread_binding())
        for j in _unroll(self.warp_cols):
            self._fragment(B_local_buf, B_shared_buf, "B", warp_n * self.warp_col_tiles + j * self.n_dim, rk * self.chunk + ki * self.k_dim,
                           j * self.local_size_b, self.b_transposed)

    def mma_atom(self, A_local_buf, B_local_buf, C_local_buf, inst_m_idx, inst_n_idx, k_inner=0):
        """One tile of C += A B."""
        for half in _unroll(self.n_dim // 8):
            _multiply(self.accum_dtype, self.mma_prefix, "row", "col", self.a_dtype, self.b_dtype, self.accum_dtype,
                      A_local_buf.data, inst_m_idx * self.local_size_a,
                      B_local_buf.data, inst_n_idx * self.local_size_b + half * (8 * self.k_dim // _LANES),
                      C_local_buf.data, (inst_m_idx * self.warp_cols + inst_n_idx) * self.local_size_out + half * (8 * self.M_DIM // _LANES))

    def mma(self, A_local_buf, B_local_buf, C_local_buf, k_inner=0):
        """C += A B for all tiles of the warp."""
        for i in _unroll(self.warp_rows):
            for j in _unroll(self.warp_cols):
                self.mma_atom(A_local_buf, B_local_buf, C_local_buf, i, j, k_inner)

    def stmatrix(self, C_local_buf, C_buf, pid_m=None, pid_n=None):
        """Stores C to a buffer of the block ([M, N], or tiles [M // 16, N // 16, 16, 16]), or to the tile (pid_m, pid_n) of a tensor."""
        # Separate names, so that the compiler knows that each thread writes its own elements.
        own_lane, column_warp, row_warp = self.extract_thread_binding(self.get_thread_binding())
        tiled = len(C_buf.shape) == 4
        first_m = 0 if pid_m is None else pid_m * self.block_row_warps * self.warp_rows
        first_n = 0 if pid_n is None else pid_n * self.block_col_warps * self.warp_cols
        for row_tile in _unroll(self.warp_rows):
            for column_tile in _unroll(self.warp_cols):
                tile_m, tile_n = first_m + row_warp * self.warp_rows + row_tile, first_n + column_warp * self.warp_cols + column_tile
                for pair in _unroll(self.local_size_out // 2):
                    for of_pair in _vectorized(2):
                        row, col = mma_store_index_map(own_lane, pair * 2 + of_pair)
                        value = C_local_buf[(row_tile * self.warp_cols + column_tile) * self.local_size_out + pair * 2 + of_pair]
                        if tiled:
                            C_buf[tile_m, tile_n, row, col] = value
                        else:
                            C_buf[tile_m * self.M_DIM + row, tile_n * self.n_dim + col] = value


__all__ = ["TensorCoreIntrinEmitter"]
