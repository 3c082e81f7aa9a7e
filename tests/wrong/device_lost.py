# SPDX-License-Identifier: Apache-2.0
"""A call after a fault."""
import fake_gpu
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = A[i] + 1.0


with fake_gpu.here("cuda:2", devices=3):
    fake_gpu.fail("StreamQuery", 700)
    try:
        tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
    except tilelang.DeviceError:
        tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#> DeviceError: error[device-lost]: Fake GPU 2 lost its GPU context in an earlier fault: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered) in kernel main, or in an earlier one
#>   --> device_lost.py, line 21
#>  21 |         tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: save the cells for a new session with %save: variables and NumPy arrays are unchanged, but data on the GPU is lost; %device cuda:worker (the GPU, in a separate process) and %device sim continue in this one
