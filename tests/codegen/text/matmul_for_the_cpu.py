# test: codegen target=cpu M=64 N=96 K=64
def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
    with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
        a = T.alloc_shared((32, 32), "float16")
        b = T.alloc_shared((32, 32), "float16")
        c = T.alloc_fragment((32, 32), "float32")
        T.clear(c)
        for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
            T.copy(A[by * 32, k * 32], a)
            T.copy(B[k * 32, bx * 32], b)
            T.gemm(a, b, c)
        T.copy(c, C[by * 32, bx * 32])
#> #include "tl_device.h"
#>
#> extern "C" void main_k0(const tl_f16* A, const tl_f16* B, tl_f16* C) {
#>   for (int by = 0; by < 2; ++by) {
#>     for (int bx = 0; bx < 3; ++bx) {
#>       tl_f16 a[1024];  // kernel.py:4
#>       tl_f16 b[1024];  // kernel.py:5
#>       float c[1024];  // kernel.py:6
#>       for (int v = 0; v < 32; ++v) {  // kernel.py:7
#>         for (int v_1 = 0; v_1 < 32; ++v_1) {
#>           c[v * 32 + v_1] = 0.0f;
#>         }
#>       }
#>       for (int k = 0; k < 2; ++k) {  // kernel.py:8
#>         for (int v = 0; v < 32; ++v) {  // kernel.py:9
#>           for (int v_1 = 0; v_1 < 32; ++v_1) {
#>             a[v * 32 + v_1] = A[by * 2048 + v * 64 + k * 32 + v_1];
#>           }
#>         }
#>         for (int v = 0; v < 32; ++v) {  // kernel.py:10
#>           for (int v_1 = 0; v_1 < 32; ++v_1) {
#>             b[v * 32 + v_1] = B[k * 3072 + v * 96 + bx * 32 + v_1];
#>           }
#>         }
#>         for (int k_1 = 0; k_1 < 32; ++k_1) {  // kernel.py:11
#>           for (int i = 0; i < 32; ++i) {
#>             for (int j = 0; j < 32; ++j) {
#>               c[i * 32 + j] = tl_fma((float)a[i * 32 + k_1], (float)b[k_1 * 32 + j], c[i * 32 + j]);
#>             }
#>           }
#>         }
#>       }
#>       for (int v = 0; v < 32; ++v) {  // kernel.py:12
#>         for (int v_1 = 0; v_1 < 32; ++v_1) {
#>           C[by * 3072 + v * 96 + bx * 32 + v_1] = tl_f16(c[v * 32 + v_1]);
#>         }
#>       }
#>     }
#>   }
#> }
