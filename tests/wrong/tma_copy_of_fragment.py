# SPDX-License-Identifier: Apache-2.0
"""T.tma_copy into a fragment."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        f = T.alloc_fragment((64, 64), "float32")
        b = T.alloc_barrier(256)
        T.tma_copy(A, f, barrier=b)
        T.barrier_arrive(b)
        T.barrier_wait(b, 0)
        T.copy(f, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[statement-unsupported]: a kernel cannot contain T.tma_copy where it does not copy between a tensor and a shared buffer
#>   --> tma_copy_of_fragment.py, line 13
#>  13 |         T.tma_copy(A, f, barrier=b)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write T.copy(src, dst)
