# test: codegen target=sm_90a
def main(X: T.Tensor((32,), "int32"), O: T.Tensor((32,), "int32"), P: T.Tensor((32,), "int32")):
    with T.Kernel(1, threads=32):
        t = T.get_thread_binding(0)
        n = X[t]
        rows = 0 if n < 0 else 64 if n > 64 else n
        O[t] = T.if_then_else(rows == 64, 1, 0)
        left = T.alloc_var("int32", 0)
        if n > 0:
            left = T.min(n, 64)
        P[t] = T.if_then_else(left == 64, 1, left)
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(32, 1)
#> main_k0(const int* __restrict__ X, int* O, int* P) {
#>   const int tid = (int)threadIdx.x;
#>   const int n = X[tid];  // kernel.py:5
#>   const int rows = n < 0 ? tl_zero() : n > 64 ? 64 : n;  // kernel.py:6
#>   O[tid] = rows == 64 ? 1 : 0;  // kernel.py:7
#>   int left = tl_zero();  // kernel.py:8
#>   if (n > 0) {  // kernel.py:9
#>     left = tl_min(n, 64);  // kernel.py:10
#>   }
#>   P[tid] = left == 64 ? 1 : left;  // kernel.py:11
#> }
