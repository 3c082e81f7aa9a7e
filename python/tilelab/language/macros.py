# SPDX-License-Identifier: Apache-2.0
"""Functions written in the language itself: macros, elaborated where a kernel calls them."""

from .._compiler.bridge import Macro
from .._compiler.builtin import Builtin, document

_Parallel, _if_then_else = Builtin.table["Parallel"], Builtin.table["if_then_else"]


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


class _Written(Macro):
    def __init__(self, name, function):
        self.function, self.locals, self.__name__ = function, None, name

    @property
    def __doc__(self):
        """Read when it is shown: documents take time to load."""
        return document("T." + self.__name__)


MACROS = {name: _Written(name, _im2col) for name in ("im2col", "c2d_im2col")}
