# SPDX-License-Identifier: Apache-2.0
"""The result of a product in flight is read before T.wait_wgmma."""
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128):
        a, b = T.alloc_shared((64, 64), "float16"), T.alloc_shared((64, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.copy(A, a)
        T.copy(B, b)
        T.wgmma_gemm(a, b, c, clear_accum=True)
        T.copy(c, C)
        T.wait_wgmma(0)


kernel = tilelang.compile(main, target="sm_90a")
report = kernel.check(np.ones((64, 64), np.float16), np.ones((64, 64), np.float16), np.zeros((64, 64), np.float32))
raise RuntimeError(str(report))
#> KernelError: pending: c[0, 0] in block (0, 0)  (tile level)
#>   wgmma_read_before_wait.py, line 15    T.wgmma_gemm(a, b, c, clear_accum=True)
#>                                           the block issues a matmul
#>   wgmma_read_before_wait.py, line 16    T.copy(c, C)
#>                                           the block reads its result before the wait
#>   wgmma_read_before_wait.py, line 12    c = T.alloc_fragment((64, 64), "float32")
#>                                           declares c, shape [64, 64]
#> help: wait for the operation before its data is used or the kernel ends
#>
#> pending: c in block (0, 0), wait for the group of the operation first  (thread and flat level, 16 times)
#>   wgmma_read_before_wait.py, line 15    T.wgmma_gemm(a, b, c, clear_accum=True)
#>                                           a matrix operation still uses
#>   wgmma_read_before_wait.py, line 16    T.copy(c, C)
#>                                           warp 2 reads
#> help: wait for the operation before its data is used or the kernel ends
#> in kernel main
