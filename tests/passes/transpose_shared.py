# test: everypass M=100 N=60 target=mp_22
# SPDX-License-Identifier: Apache-2.0
def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((N, M), "float16")):
    with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 32), threads=128) as (bx, by):
        s = T.alloc_shared((32, 32), "float16")
        T.copy(A[by * 32, bx * 32], s)
        for i, j in T.Parallel(32, 32):
            B[bx * 32 + i, by * 32 + j] = s[j, i]
#> ir(1, level="flat", target="mp_22", after="simplify")
#> def main(A: tensor(f16, [100, 60]), B: tensor(f16, [60, 100])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     with kernel("main_k0", grid=[2, 4, 1], block=128, smem=2048, params=[A, B]) as (bx, by, bz):
#>         s = shared(f16, [1024], at=0)
#>         for v in unroll(2):
#>             s[v * 512 + tid * 4 ^ (v * 4 + tdiv(tid, 32) & 7) * 8:(v * 512 + tid * 4 ^ (v * 4 + tdiv(tid, 32) & 7) * 8) + 4] = A[by * 1920 + tdiv(tid, 8) * 60 + v * 960 + bx * 32 + tmod(tid, 8) * 4:by * 1920 + tdiv(tid, 8) * 60 + v * 960 + bx * 32 + tmod(tid, 8) * 4 + 4] if by * 32 + tdiv(tid, 8) + v * 16 < 100 and bx * 32 + tmod(tid, 8) * 4 < 60 else 0.0
#>         block_sync()
#>         for i in unroll(2):
#>             if guard(bx * 32 + tdiv(tid, 8) + i * 16 < 60 and by * 32 + tmod(tid, 8) * 4 < 100):
#>                 B_v = local(f16, [4])
#>                 for j in unroll(4):
#>                     B_v[j] = s[tmod(tid, 8) * 128 + j * 32 + tdiv(tid, 8) + i * 16 ^ (tmod(tid, 8) & 7) * 8]
#>                 B[bx * 3200 + tdiv(tid, 8) * 100 + i * 1600 + by * 32 + tmod(tid, 8) * 4:bx * 3200 + tdiv(tid, 8) * 100 + i * 1600 + by * 32 + tmod(tid, 8) * 4 + 4] = B_v[0:4]
