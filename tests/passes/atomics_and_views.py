# test: everypass N=4096
# SPDX-License-Identifier: Apache-2.0
def main(A: T.Tensor((N,), "float32"), B: T.Tensor((16,), "float32"), C: T.Tensor((N,), "bfloat16")):
    with T.Kernel(N // 1024, threads=128) as bx:
        s = T.alloc_shared((1024,), "float32")
        f = T.alloc_fragment((16, 64), "float32")
        r = T.alloc_fragment((16,), "float32")
        T.copy(A[bx * 1024], s)
        v = T.reshape(s, (16, 64))
        T.copy(v, f)
        T.reduce_absmax(f, r, dim=1)
        for i in T.Parallel(16):
            T.atomic_max(B[i], r[i])
        for i, j in T.Parallel(16, 64):
            f[i, j] = T.max(f[i, j], 0.0) * T.cast(i, "float32")
        for i, j in T.Parallel(16, 64):
            C[bx * 1024 + i * 64 + j] = T.cast(f[i, j], "bfloat16")
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def main(A: tensor(f32, [4096]), B: tensor(f32, [16]), C: tensor(bf16, [4096])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     check_tensor(C, align=16, write=True)
#>     with kernel("main_k0", grid=[4, 1, 1], block=128, smem=4096, params=[A, B, C]) as (bx, by, bz):
#>         s = shared(f32, [1024], at=0)
#>         f = local(f32, [8], of=frag([16, 64], [[t(16, 8)], [t(8, 1), r(8, 1)]]))
#>         r = local(f32, [1], of=frag([16], [[t(16, 8)]], rep=[t(8, 1)]))
#>         for v_1 in unroll(2):
#>             s[tid * 4 + v_1 * 512:tid * 4 + v_1 * 512 + 4] = A[bx * 1024 + tid * 4 + v_1 * 512:bx * 1024 + tid * 4 + v_1 * 512 + 4]
#>         v = view(s, f32, [1024])
#>         block_sync()
#>         for v_1_1 in unroll(2):
#>             f[v_1_1 * 4:v_1_1 * 4 + 4] = v[v_1_1 * 4 + tid * 8:v_1_1 * 4 + tid * 8 + 4]
#>         r[0] = 0.0
#>         for i in unroll(8):
#>             r[0] = maximum(r[0], abs(f[i]))
#>         for o in steps(4, 2, 1):
#>             r[0] = maximum(r[0], shfl_xor(r[0], o))
#>         if tmod(tid, 8) == 0:
#>             atomic_max(B[tdiv(tid, 8)], r[0], order="relaxed", type=f32)
#>         for j_1 in unroll(2):
#>             for j_2 in unroll(4):
#>                 f[j_1 * 4 + j_2] = maximum(f[j_1 * 4 + j_2], 0.0) * f32(tdiv(tid, 8))
#>         C[bx * 1024 + tid * 8:bx * 1024 + tid * 8 + 8] = bf16(f[0:8])
