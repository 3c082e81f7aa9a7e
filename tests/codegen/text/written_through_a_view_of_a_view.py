# test: codegen
def main(A: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        V = T.view(C, (8, 8))
        W = T.view(V, (4, 16))
        for i, j in T.Parallel(4, 16):
            W[i, j] = A[i * 16 + j] + 1
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(64, 1)
#> main_k0(const float* __restrict__ A, float* C) {
#>   const int tid = (int)threadIdx.x;
#>   float* const W = (float*)C;  // kernel.py:5
#>   W[tid] = A[tid] + 1.0f;  // kernel.py:7
#> }
