# SPDX-License-Identifier: Apache-2.0
"""A function of CUDA source, of which the simulator has no model."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit
def kernel(A):
    A: T.Tensor((64,), "float32")
    with T.Kernel(1, threads=64) as bx:
        T.import_source("__device__ float fast(float x) { asm(\"ex2.approx.f32 %0, %0;\" : \"+f\"(x)); return x; }")
        for i in T.Parallel(64):
            A[i] = T.call_extern("float32", "fast", A[i])


kernel(np.zeros(64, "float32"))
#> KernelError: extern-without-model: in block (0, 0), `fast`  (64 times)
#>   call_extern_without_model.py, line 14    A[i] = T.call_extern("float32", "fast", A[i])
#>                                              iteration i = 0 calls it
#> help: give it a model, a function that does the same in the language: @T.extern_model("name") above def name(...)
#> in kernel kernel
