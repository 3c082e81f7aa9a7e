# SPDX-License-Identifier: Apache-2.0
# Numbers that float16 cannot represent: a product of elements, a matmul's sum, and a conversion. Later values hide the
# infinities.
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def product(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float16"), B: T.Tensor((n,), "float16")):
        with T.Kernel(1, threads=32):
            for i in T.Parallel(n):
                B[i] = T.min(A[i] * A[i], 1.0)
    return main


@tilelang.jit(out_idx=[1])
def matmul(n):
    @T.prim_func
    def main(A: T.Tensor((n, n), "float16"), B: T.Tensor((n, n), "float16")):
        with T.Kernel(1, threads=32):
            a, c = T.alloc_shared((n, n), "float16"), T.alloc_fragment((n, n), "float16")
            T.copy(A, a)
            T.clear(c)
            T.gemm(a, a, c)
            for i, j in T.Parallel(n, n):
                B[i, j] = 1.0 / c[i, j]
    return main


@tilelang.jit(out_idx=[1])
def conversion(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float16")):
        with T.Kernel(1, threads=32):
            a = T.alloc_fragment((n,), "float16")
            T.copy(A, a)
            for i in T.Parallel(n):
                B[i] = T.exp(-a[i])
    return main


product(64)(np.full(64, 300, "float16"))
matmul(32)(np.full((32, 32), 100, "float16"))
conversion(64)(np.full(64, 1e6, "float32"))
#> TilelabWarning: warning[float-overflow]: overflow: 300.0 * 300.0 is inf
#>   --> float_overflow.py, line 15
#>  15 |                 B[i] = T.min(A[i] * A[i], 1.0)
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ iteration i = 0 exceeds float16
#> help: compute it in float32: accumulate in a float32 fragment, and convert the result
#> TilelabWarning: warning[float-overflow]: overflow: infinity from numbers up to a[0, 0] = 100.0 and a[0, 0] = 100.0
#>   --> float_overflow.py, line 27
#>  27 |             T.gemm(a, a, c)
#>     |             ^^^^^^^^^^^^^^^ exceeds float16
#> help: compute it in float32: accumulate in a float32 fragment, and convert the result
#> TilelabWarning: warning[float-overflow]: overflow: infinity from A[0] = 1e+06
#>   --> float_overflow.py, line 39
#>  39 |             T.copy(A, a)
#>     |             ^^^^^^^^^^^^ exceeds float16
#> help: compute it in float32: accumulate in a float32 fragment, and convert the result
