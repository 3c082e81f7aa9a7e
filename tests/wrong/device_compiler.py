# SPDX-License-Identifier: Apache-2.0
"""A GPU without the library that compiles its code."""
import os

import fake_gpu
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = T.exp(A[i])


with fake_gpu.here():
    os.environ["TILELAB_NVRTC"] = "libnvrtc_that_nobody_has.so"
    tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#> DeviceError: error[device-compiler]: kernel main cannot be compiled for sm_90a: NVRTC not found (libnvrtc_that_nobody_has.so not found)
#>   --> device_compiler.py, line 20
#>  20 |     tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: without it kernels are passed to the driver as PTX, which this one does not support: exp
#> help: install it: pip install nvidia-cuda-nvrtc-cu12, or the CUDA toolkit; or set TILELAB_NVRTC to the library; %device sim needs none
