# SPDX-License-Identifier: Apache-2.0
"""`+=` on a whole buffer."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        x = T.alloc_fragment((32,), "float32")
        T.clear(x)
        x += 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[buffer-augmented]: `x` is a buffer; augmented assignment needs its elements
#>   --> buffer_plus_equals.py, line 12
#>  12 |         x += 1.0
#>     |         ^^^^^^^^
#> help: change its elements: `for i in T.Parallel(32): x[i] += ...`
