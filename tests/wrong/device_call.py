# SPDX-License-Identifier: Apache-2.0
"""A launch that the driver refuses."""
import fake_gpu
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = A[i] + 1.0


with fake_gpu.here():
    fake_gpu.fail("LaunchKernel", 1)
    tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#> DeviceError: error[device-call]: cuLaunchKernel failed in the driver: CUDA_ERROR_INVALID_VALUE (invalid argument)
#>   --> device_call.py, line 18
#>  18 |     tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: run `tilelab doctor` to check the driver; with CUDA_LAUNCH_BLOCKING=1 in the environment every call waits, which shows the failing one; %device sim needs no driver
