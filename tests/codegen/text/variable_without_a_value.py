# test: codegen target=sm_90a
def main(H: T.Tensor((4,), "float16")):
    with T.Kernel(1, threads=64):
        i = T.get_thread_binding()
        if i < 4:
            H[i] = T.atomic_cas(H[(i + 1) % 4], 1.0, 7.0)
#> #include "tl_device.h"
#>
#> extern "C" __global__ void __launch_bounds__(64, 1)
#> main_k0(tl_f16* H) {
#>   const int tid = (int)threadIdx.x;
#>   tl_f16 t = tl_f16(0.0f);  // kernel.py:6
#>   if (tid < 4) {
#>     t = tl_atomic_cas(H + (tid + 1) % 4, tl_f16(1.0f), tl_f16(7.0f));
#>   }
#>   tl_block_sync_full();
#>   if (tid < 4) {
#>     H[tid] = t;
#>   }
#> }
