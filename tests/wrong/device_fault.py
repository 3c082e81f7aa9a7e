# SPDX-License-Identifier: Apache-2.0
"""A kernel that writes outside of everything."""
import fake_gpu
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = A[i] + 1.0


with fake_gpu.here("cuda:1", devices=2):
    fake_gpu.fail("StreamQuery", 700)
    tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#> DeviceError: error[device-fault]: kernel main faulted and ended the GPU context of this session on Fake GPU 1: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)
#>   --> device_fault.py, line 18
#>  18 |     tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: the failing kernel may be an earlier one, because a call does not wait for its kernel; with CUDA_LAUNCH_BLOCKING=1 in the environment every call waits
#> help: run %check, which simulates the kernel and names the line; this session cannot use the GPU any more, but keeps its variables and NumPy arrays: %save stores its cells for a new session, %device cuda:worker (the GPU, in a separate process) and %device sim continue in this one
