# SPDX-License-Identifier: Apache-2.0
"""A kernel that ends the process that it runs by."""
import fake_gpu
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def wild(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = A[i] + 1.0


with fake_gpu.here("cuda:worker"):
    tilelang.compile(wild, target="cuda")(np.ones(64, "float32"))
#> DeviceError: error[device-worker]: kernel wild ended the worker of Fake GPU 0: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)
#>   --> device_worker.py, line 17
#>  17 |     tilelang.compile(wild, target="cuda")(np.ones(64, "float32"))
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: a call does not wait for its kernel, so it may have been one before: with CUDA_LAUNCH_BLOCKING=1 in the environment every call does
#> help: %check runs the kernel in the simulator and names the line
#> help: the next call starts the worker again; the session's variables and arrays in host memory are as they were, arrays that lay on cuda:worker are lost: tilelab.to_device makes them again
