# test: everypass M=256 N=256 K=128
# SPDX-License-Identifier: Apache-2.0
def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
    with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
        A_s = T.alloc_shared((64, 32), "float16")
        B_s = T.alloc_shared((32, 64), "float16")
        C_l = T.alloc_fragment((64, 64), "float32")
        T.clear(C_l)
        for k in T.Pipelined(T.ceildiv(K, 32), num_stages=3):
            T.copy(A[by * 64, k * 32], A_s)
            T.copy(B[k * 32, bx * 64], B_s)
            T.gemm(A_s, B_s, C_l)
        T.copy(C_l, C[by * 64, bx * 64])
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def main(A: tensor(f16, [256, 128]), B: tensor(f16, [128, 256]), C: tensor(f16, [256, 256])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     A_map = tensor_map(A, dims=[128, 256], strides=[256])
#>     B_map = tensor_map(B, dims=[256, 128], strides=[512])
#>     with kernel("main_k0", grid=[4, 4, 1], block=256, smem=24576, params=[C, A_map, B_map]) as (bx, by, bz):
#>         bar_reserve(6)
#>         A_s = shared(f16, [6144], at=0)
#>         B_s = shared(f16, [6144], at=12288)
#>         if leader("block"):
#>             for s_1 in unroll(3):
#>                 bar_init(1 + s_1, 1)
#>             for s_1 in unroll(3):
#>                 bar_init(4 + s_1, 4)
#>         block_sync(mem="all")
#>         if uniform(tid >= 128):
#>             if tid == 128:
#>                 ring_in = var(i32, 0)
#>                 ring_in_phase = var(i32, 0)
#>                 for k in serial(4):
#>                     s = ring_in
#>                     bar_wait(4 + s, ring_in_phase ^ 1)
#>                     bar_expect(1 + s, 8192)
#>                     tma_load(s * 4096, A_map, [k * 32, by * 64], 1 + s, box=[32, 64], granule=16)
#>                     tma_load(12288 + s * 4096, B_map, [bx * 64, k * 32], 1 + s, box=[64, 32], granule=32)
#>                     bar_arrive(1 + s)
#>                     ring_in = ring_in + 1
#>                     if ring_in == 3:
#>                         ring_in = 0
#>                         ring_in_phase = ring_in_phase ^ 1
#>         else:
#>             C_l = local(f32, [32], of=frag([64, 64], [[r(4, 8), t(16, 8)], [r(8, 1), t(8, 1)]]))
#>             ring_out = var(i32, 0)
#>             ring_out_phase = var(i32, 0)
#>             for v in unroll(4):
#>                 for v_1 in unroll(8):
#>                     C_l[v * 8 + v_1] = 0.0
#>             for k in serial(4):
#>                 s = ring_out
#>                 bar_wait(1 + s, ring_out_phase)
#>                 sqmma(C_l[0:32], 3145728 + s * 4096, s * 4096 + 5517312, shape="m64n64k32", tA=False, tB=True, dtype="f16")
#>                 mma_commit()
#>                 mma_wait(0, C_l[0:32])
#>                 bar_arrive(4 + s)
#>                 ring_out = ring_out + 1
#>                 if ring_out == 3:
#>                     ring_out = 0
#>                     ring_out_phase = ring_out_phase ^ 1
#>             for v in unroll(4):
#>                 for v_1 in unroll(8):
#>                     C[by * 16384 + tdiv(tid, 8) * 256 + v * 4096 + bx * 64 + tmod(tid, 8) + v_1 * 8] = f16(C_l[v * 8 + v_1])
