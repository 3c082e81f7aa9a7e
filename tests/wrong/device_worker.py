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
#> note: the failing kernel may be an earlier one, because a call does not wait for its kernel; with CUDA_LAUNCH_BLOCKING=1 in the environment every call waits
#> help: run %check, which simulates the kernel and names the line
#> help: call again to restart the worker; variables and arrays in host memory are unchanged, but arrays on cuda:worker are lost: copy them again with tilelab.to_device
