# test: codegen target=sm_90a
# NVVM does not end on it without the pragma.
def main(A: T.Tensor((8,), "int32"), n: T.int32):
    with T.Kernel(1, threads=32):
        for i in T.serial(T.min(n, 3), 4, 2):
            T.atomic_add(A[i], 1)
        for i in T.serial(T.min(n, 3), 4, 3):
            T.atomic_add(A[i], 1)
        for i in T.serial(1, n, 2):
            T.atomic_add(A[i], 1)
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(32, 1)
#> main_k0(int* A, int n) {
#>   #pragma unroll 1
#>   for (int i = tl_min(n, 3); i < 4; i += 2) {  // kernel.py:5
#>     if (i >= 0) {  // kernel.py:6
#>       tl_atomic_add(A + i, 1);
#>     }
#>   }
#>   for (int i = tl_min(n, 3); i < 4; i += 3) {  // kernel.py:7
#>     if (i >= 0) {  // kernel.py:8
#>       tl_atomic_add(A + i, 1);
#>     }
#>   }
#>   for (int i = 1; i < n; i += 2) {  // kernel.py:9
#>     if (i < 8) {  // kernel.py:10
#>       tl_atomic_add(A + i, 1);
#>     }
#>   }
#> }
