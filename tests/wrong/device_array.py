# SPDX-License-Identifier: Apache-2.0
"""An array of a worker that has ended."""
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
    x = tilelang.to_device(np.ones(64, "float32"))
    try:
        tilelang.compile(wild, target="cuda")(np.ones(64, "float32"))
    except tilelang.DeviceError:
        print(x.numpy())
#> DeviceError: error[device-array]: the array on cuda:worker is lost because its worker ended: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered) in kernel wild, or in an earlier one
#>   --> device_array.py, line 21
#>  21 |         print(x.numpy())
#>     |               ^^^^^^^^^
#> help: copy it again with tilelab.to_device(array); x.numpy() makes a copy in host memory
