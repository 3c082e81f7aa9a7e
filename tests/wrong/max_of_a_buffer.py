# SPDX-License-Identifier: Apache-2.0
# torch.max of a tensor is a reduction; T.max is the larger of two numbers.
import tilelang
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((64, 128), "float32"), C: T.Tensor((1,), "float32")):
    with T.Kernel(1, threads=128):
        a = T.alloc_fragment((64, 128), "float32")
        T.copy(A, a)
        m = T.max(a)
        C[0] = m


tilelang.compile(f)
#> CompileError: error[value-needed]: expected a value, found `a`, a fragment buffer of 64x128 float32
#>   --> max_of_a_buffer.py, line 12
#>  12 |         m = T.max(a)
#>     |             ^^^^^^^^
#> help: T.reduce_max(a, out, dim=1) reduces a tile; T.max(a, b) takes numbers and elements
