# SPDX-License-Identifier: Apache-2.0
"""T.exp of a whole buffer."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.clear(x)
        T.copy(T.exp(x), B[bx, 0:32])


tilelang.compile(main).get_kernel_source()
#> CompileError: error[value-needed]: expected a value, found `x`, a fragment buffer of 32 elements float32
#>   --> exp_of_buffer.py, line 12
#>  12 |         T.copy(T.exp(x), B[bx, 0:32])
#>     |                      ^
#> help: use arithmetic on elements: `for i in T.Parallel(32): ... x[i] ...`
