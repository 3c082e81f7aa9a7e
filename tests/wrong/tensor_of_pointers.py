# SPDX-License-Identifier: Apache-2.0
"""A table of other numbers than addresses."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(4, threads=64) as bx:
        part = T.make_tensor(A[bx], (16,), "float32")
        T.copy(part, B[bx * 16])


tilelang.compile(main)
#> CompileError: error[address-type]: the address for T.make_tensor is a value of float32, not an int64 or uint64
#>   --> tensor_of_pointers.py, line 10
#>  10 |         part = T.make_tensor(A[bx], (16,), "float32")
#>     |                              ^^^^^
#> help: pass an element of an argument of dtype T.ptr: `p: T.Tensor((n,), T.ptr)`, p[i]; or an int64
