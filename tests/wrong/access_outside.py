# SPDX-License-Identifier: Apache-2.0
# A vector by the wrong index, and a line that is outside in every block.
import numpy
import tilelang
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((60, 100), "float32"), B: T.Tensor((60,), "float32"), C: T.Tensor((60, 100), "float32"),
      D: T.Tensor((60,), "float32")):
    with T.Kernel(60, threads=128) as row:
        for j in T.Parallel(128):
            C[row, j] = A[row, j] + B[j]
        D[row + 60] = B[row]


tilelang.compile(f)(*(numpy.ones(shape, "float32") for shape in ((60, 100), 60, (60, 100), 60)))
#> TilelabWarning: warning[out-of-bounds]: `B[60]` is out of bounds: index [60] of shape [60]
#>   --> access_outside.py, line 13
#>  13 |             C[row, j] = A[row, j] + B[j]
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reads 0, 2400 times; first in block (0, 0, 0), iteration j = 60; stores a result of it in C
#> help: correct the index; if zeros are intended, write them: T.if_then_else(inside, value, 0)
#> TilelabWarning: warning[out-of-bounds]: `D[60]` is out of bounds: index [60] of shape [60], like all other accesses of this line
#>   --> access_outside.py, line 14
#>  14 |         D[row + 60] = B[row]
#>     |         ^^^^^^^^^^^^^^^^^^^^ writes nothing; first in block (0, 0, 0)
#> help: correct the index, or the number of blocks
