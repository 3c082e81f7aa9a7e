# SPDX-License-Identifier: Apache-2.0
"""NumPy in a kernel, in a file that does not import it."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(2, threads=32) as bx:
        for i in T.Parallel(32):
            B[bx * 32 + i] = np.maximum(A[bx * 32 + i], 0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[name-unknown]: `np` is not defined
#>   --> numpy_not_imported.py, line 11
#>  11 |             B[bx * 32 + i] = np.maximum(A[bx * 32 + i], 0)
#>     |                              ^^
#> help: use the functions of T in a kernel: T.max(a, b), T.exp(x), T.sqrt(x)
