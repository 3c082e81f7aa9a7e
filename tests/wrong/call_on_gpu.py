# SPDX-License-Identifier: Apache-2.0
"""A tensor of a GPU, which is not here."""
import tilelang
import tilelang.language as T


class OnGpu:
    __cuda_array_interface__ = {}


@T.prim_func
def main(A: T.Tensor((8,), "float32")):
    with T.Kernel(1, threads=8):
        for i in T.Parallel(8):
            A[i] = 1.0


tilelang.compile(main)(OnGpu())
#> ArgumentError: error[argument-device]: kernel main, argument A: the tensor is on cuda
#>   --> call_on_gpu.py, line 18
#>  12 | def main(A: T.Tensor((8,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  18 | tilelang.compile(main)(OnGpu())
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass a copy: A.cpu()
