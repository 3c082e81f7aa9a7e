# SPDX-License-Identifier: Apache-2.0
"""A slice whose length depends on the block."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((32,), "float16")
        T.copy(A[0, 0:bx], s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[copy-dynamic]: this copy moves bx elements into 32
#>   --> slice_run_time.py, line 11
#>   8 | def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `A`, a global tensor of 64x32 float16
#>  ...
#>  10 |         s = T.alloc_shared((32,), "float16")
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `s`, a shared buffer of 32 elements float16
#>  11 |         T.copy(A[0, 0:bx], s)
#>     |         ^^^^^^^^^^^^^^^^^^^^^
#> help: slice both sides by the same extent, as in T.copy(A[a : a + n], s[0 : n])
