# SPDX-License-Identifier: Apache-2.0
"""T.clear with a value."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((32,), "float16")
        T.clear(s, 1.0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[call-extra]: `T.clear` takes 1 positional argument, but 2 were given
#>   --> too_many_arguments.py, line 11
#>  11 |         T.clear(s, 1.0)
#>     |         ^^^^^^^^^^^^^^^
#> help: T.clear(buffer)
