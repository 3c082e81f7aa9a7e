# SPDX-License-Identifier: Apache-2.0
"""User code that does not compile."""
import fake_gpu
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = A[i] + 1.0


tilelang.register_cuda_postproc(lambda code, target: code + "\nint x = does_not_compile;")
try:
    with fake_gpu.here():
        tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
finally:
    tilelang.register_cuda_postproc(lambda code, target: code)
#> DeviceError: error[device-code]: kernel main: NVRTC rejects its code: kernel.cu(3): error: identifier "does_not_compile" is undefined
#>   --> device_code.py, line 19
#>  19 |         tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: check the code with %source: a T.call_extern or T.import_source must use names that the device header or the source defines; otherwise please report it
