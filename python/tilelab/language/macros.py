# SPDX-License-Identifier: Apache-2.0
"""Functions written in the language itself: macros, elaborated where a kernel calls them."""

from .._compiler.bridge import Macro
from .._compiler.builtin import Builtin, document

_Parallel, _if_then_else, _cast = (Builtin.table[name] for name in ("Parallel", "if_then_else", "cast"))
_alloc_shared, _gemm, _popcount = (Builtin.table[name] for name in ("alloc_shared", "gemm", "popcount"))


def _im2col(img, col, nhw_step, c_step, kernel, stride, dilation, pad):
    height, width, channels = img.shape[1], img.shape[2], img.shape[3]
    rows, columns = col.shape[0], col.shape[1]
    out_height = (height + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
    out_width = (width + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
    for i, j in _Parallel(rows, columns):
        position, tap = nhw_step * rows + i, c_step * columns + j
        n = position // (out_height * out_width)
        h = position % (out_height * out_width) // out_width * stride + tap // (kernel * channels) * dilation - pad
        w = position % out_width * stride + tap // channels % kernel * dilation - pad
        inside = (n < img.shape[0]) and (h >= 0) and (h < height) and (w >= 0) and (w < width)
        col[i, j] = _if_then_else(inside and (tap < kernel * kernel * channels), img[n, h, w, tap % channels], 0)


def _gemm_sp(A_sparse, E, B, C, transpose_A=False, transpose_E=False, transpose_B=False, policy=None, clear_accum=False, k_pack=1, wg_wait=0,
             annotations=None):
    rows, kept = A_sparse.shape[1 if transpose_A else 0], A_sparse.shape[0 if transpose_A else 1]
    group = 2 if A_sparse.dtype == "float32" else 4  # of which half is kept
    groups = kept * 2 // group // E.shape[0 if transpose_E else 1]  # in an element of E, four bits for each
    dense = _alloc_shared((rows, kept * 2), A_sparse.dtype)
    for i, k in _Parallel(rows, kept * 2):
        number, place = k // group, k % group
        word = _cast(E[number // groups, i] if transpose_E else E[i, number // groups], "int32")
        code = word >> (number % groups * 4) & 15
        first = number * (group // 2)
        low = A_sparse[first, i] if transpose_A else A_sparse[i, first]
        if group == 2:
            dense[i, k] = _if_then_else(place == (code & 3) // 2, low, 0)
        else:
            high = A_sparse[first + 1, i] if transpose_A else A_sparse[i, first + 1]
            dense[i, k] = _if_then_else(place == code & 3, low, _if_then_else(place == code >> 2, high, 0))
    _gemm(dense, B, C, transpose_B=transpose_B, policy=policy, clear_accum=clear_accum, k_pack=k_pack, wg_wait=wg_wait, annotations=annotations)


def _ffs(value):  # value - 1 differs in the lowest one bit and in the zeros below it
    return _if_then_else(value == 0, 0, _popcount(value ^ (value - 1)))


def _fns(mask, base, offset):  # the pseudocode of fns in the PTX ISA, as a binary search for the bit
    bits, down = _cast(mask, "uint32"), offset < 0
    mirrored = bits
    for width, kept in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF)):
        mirrored = (mirrored >> width & kept) | (mirrored & kept) << width
    start = _cast(_if_then_else(down, 31 - base, base), "uint32")
    window = _if_then_else(down, mirrored, bits) >> start  # bit 0 is at `base`
    window = _if_then_else(offset == 0, window & 1, window)
    left = _cast(_if_then_else(offset == 0, 1, _if_then_else(down, 0 - offset, offset)), "uint32")
    found, position = _cast(_popcount(window), "uint32") >= left, start
    for width in (16, 8, 4, 2, 1):
        ones = _cast(_popcount(window & ((1 << width) - 1)), "uint32")
        above = ones < left
        left = _if_then_else(above, left - ones, left)
        position = _if_then_else(above, position + width, position)
        window = _if_then_else(above, window >> width, window)
    return _if_then_else(found, _if_then_else(down, 31 - position, position), _cast(0xFFFFFFFF, "uint32"))


def _ldg(load_or_buf, index=None):
    return load_or_buf if index is None else load_or_buf[index]


class _Written(Macro):
    def __init__(self, name, function):
        self.function, self.locals, self.__name__ = function, None, name

    @property
    def __doc__(self):
        """Read when it is shown: documents take time to load."""
        return document("T." + self.__name__)


MACROS = {name: _Written(name, _im2col) for name in ("im2col", "c2d_im2col")} | {"gemm_sp": _Written("gemm_sp", _gemm_sp), "__ffs": _Written("__ffs", _ffs)}
MACROS |= {"__fns": _Written("__fns", _fns), "__ldg": _Written("__ldg", _ldg)}
