# test: codegen target=sm_90a
# The layout's coordinates are the indices themselves, so that one comparison decides for both whether they are in bounds.
def main(A: T.Tensor((100, 4, 32), "float32"), B: T.Tensor((32,), "float32"), start: T.int32):
    with T.Kernel(4, threads=32) as h:
        T.annotate_layout({A: T.Layout(A.shape, lambda row, head, column: [head, row, column])})
        for i in T.Parallel(32):
            T.atomic_add(A[start, h, i], B[i])
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(32, 1)
#> main_k0(float* A, const float* __restrict__ B, int start) {
#>   const int h = (int)blockIdx.x;
#>   const int tid = (int)threadIdx.x;
#>   float* const A_laid = (float*)A;  // kernel.py:5
#>   if (start >= 0 && start < 100) {  // kernel.py:7
#>     tl_atomic_add(A_laid + (h * 100 + start) * 32 + tid, B[tid]);
#>   }
#> }
