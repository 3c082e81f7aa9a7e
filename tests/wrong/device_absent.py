# SPDX-License-Identifier: Apache-2.0
"""A kernel for a GPU without a driver."""
import os

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
    os.environ["TILELAB_CUDA_DRIVER"] = "libcuda_that_nobody_has.so"
    tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#> DeviceError: error[device-absent]: device cuda: no driver (libcuda_that_nobody_has.so not found)
#>   --> device_absent.py, line 20
#>  20 |     tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: run `tilelab doctor` to list installed components; %device sim runs kernels without a GPU
