# SPDX-License-Identifier: Apache-2.0
"""A tile whose rows the copy engine cannot load, where it is required."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((128, 100), "float16"), B: T.Tensor((128, 100), "float16")):
    with T.Kernel(1, threads=128):
        tile = T.alloc_shared((32, 100), "float16")
        for k in T.Pipelined(4, num_stages=2):
            T.copy(A[k * 32, 0], tile)
            for i, j in T.Parallel(32, 100):
                B[k * 32 + i, j] = tile[i, j] + 1


tilelang.compile(main, target="sm_90a", require="copy_engine")
#> CompileError: error[required-path]: required code path `copy_engine` is lost at T.copy: asynchronous copies of the threads load it
#>   --> required_path.py, line 12
#>  12 |             T.copy(A[k * 32, 0], tile)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: copy: asynchronous copies of the threads; no copy engine: rows of `A` are not known to start at multiples of 16 bytes
#> help: change the kernel as the note says, or remove `copy_engine` from `require`
