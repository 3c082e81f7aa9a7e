# SPDX-License-Identifier: Apache-2.0
"""An array that is larger than what the GPU has left."""
import fake_gpu
import numpy as np
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            A[i] = A[i] + 1.0


with fake_gpu.here(memory=fake_gpu.used() + 100):
    tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#> DeviceError: error[device-memory]: Fake GPU 0 is out of memory: no room for 256 bytes; 100 bytes are free
#>   --> device_memory.py, line 17
#>  17 |     tilelang.compile(main, target="cuda")(np.ones(64, "float32"))
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: free unused arrays (`del x`; torch keeps freed memory until torch.cuda.empty_cache()), or use smaller tensors
