# SPDX-License-Identifier: Apache-2.0
"""A Python list indexed with a dynamic value."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        parts = [T.alloc_fragment((32,), "float32") for _ in range(2)]
        for k in T.serial(2):
            T.fill(parts[k], 0.0)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[static-needed]: the index of a Python list or tuple must be known at compile time; found `k`, a dynamic int32
#>   --> list_index_run_time.py, line 12
#>  12 |             T.fill(parts[k], 0.0)
#>     |                    ^^^^^^^^
#> help: index a list of buffers with compile-time constants; for a dynamic index allocate one buffer with another dimension
