# test: codegen N=dynamic
def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
    with T.Kernel(T.ceildiv(N, 1024), threads=256) as bx:
        for i in T.Parallel(1024):
            C[bx * 1024 + i] = A[bx * 1024 + i] + B[bx * 1024 + i]
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(256, 1)
#> main_k0(const float* __restrict__ A, const float* __restrict__ B, float* C, int N) {
#>   const int bx = (int)blockIdx.x;
#>   const int tid = (int)threadIdx.x;
#>   if (bx * 1024 + tid * 4 + 4 <= N) {  // kernel.py:4
#>     tl_st(C + bx * 1024 + tid * 4, tl_ld<tl_f32x4>(A + bx * 1024 + tid * 4)  // kernel.py:5
#>         + tl_ld<tl_f32x4>(B + bx * 1024 + tid * 4));
#>   } else {
#>     #pragma unroll
#>     for (int i = 0; i < 4; ++i) {  // kernel.py:4
#>       if (bx * 1024 + tid * 4 + i < N) {  // kernel.py:5
#>         C[bx * 1024 + tid * 4 + i] = A[bx * 1024 + tid * 4 + i] + B[bx * 1024 + tid * 4 + i];
#>       }
#>     }
#>   }
#> }
