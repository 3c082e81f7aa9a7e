# SPDX-License-Identifier: Apache-2.0
"""Code for another chip."""
import fake_gpu
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = A[i] + 1.0


with fake_gpu.here("cuda:3", devices=4, capability=80):
    tilelang.compile(main, target="sm_90a")(np.ones(64, "float32"))
#> DeviceError: error[device-target]: kernel main is compiled for sm_90a, which Fake GPU 3 cannot run
#>   --> device_target.py, line 17
#>  17 |     tilelang.compile(main, target="sm_90a")(np.ones(64, "float32"))
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compile it for target="cuda", the target of this GPU; %device sim runs it unchanged
