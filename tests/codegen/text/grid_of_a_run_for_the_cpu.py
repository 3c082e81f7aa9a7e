# test: codegen target=cpu N=dynamic
def main(A: T.Tensor((N, 8), "float32"), B: T.Tensor((8,), "float32")):
    with T.Kernel(T.ceildiv(N, 16), threads=64) as bx:
        big = T.alloc_shared((8, 1024), "float32")
        for i, j in T.Parallel(16, 8):
            T.atomic_add(B[j], A[bx * 16 + i, j])
        for j in T.serial(8):
            big[j, 0] = 1.0
        T.sync_threads()
        T.device_assert(big[0, 0] == 1.0, "one")
#> #include "tl_device.h"
#>
#> extern "C" void main_k0(const float* A, float* B, int N, tl_events* events) {
#>   for (int bx = 0; bx < tl_ceildiv(N, 16); ++bx) {
#>     tl_block = {bx, 0, 0};
#>     static thread_local float big[8192];  // kernel.py:4
#>     for (int i = 0; i < 16; ++i) {  // kernel.py:5
#>       for (int j = 0; j < 8; ++j) {
#>         // kernel.py:6
#>         tl_atomic_add(B + j, bx * 16 + i < N ? A[(tl_i64)(bx * 16 + i) * 8 + (tl_i64)j] : 0.0f);
#>       }
#>     }
#>     for (int j = 0; j < 8; ++j) {  // kernel.py:7
#>       big[j * 1024] = 1.0f;  // kernel.py:8
#>     }
#>     if (!(big[0] == 1.0f)) {  // kernel.py:10
#>       tl_record(events, 0, 1, big[0]);
#>       return;
#>     }
#>   }
#> }
