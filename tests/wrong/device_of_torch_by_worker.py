# SPDX-License-Identifier: Apache-2.0
"""Memory of this process's GPU, for a kernel of another process."""
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
    x = tilelang.to_device(np.ones(64, "float32"), "cuda")
    tilelang.compile(wild, target="cuda")(x)
#> ArgumentError: error[argument-device]: kernel wild, argument A: the tensor is on cuda:0
#>   --> device_of_torch_by_worker.py, line 18
#>  10 | def wild(A: T.Tensor((64,), "float32")):
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ declared here
#>  ...
#>  18 |     tilelang.compile(wild, target="cuda")(x)
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> note: the kernel runs on cuda:worker, in a worker process without access to the memory of this one
#> help: pass a copy in host memory, A.numpy(), or a copy on the GPU, tilelab.to_device(A.numpy()); or use %device cuda
