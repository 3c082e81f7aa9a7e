# test: everypass target=mp_31 M=256 N=256 K=256
# SPDX-License-Identifier: Apache-2.0
def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(T.ceildiv(N, 128), T.ceildiv(M, 128), threads=256) as (bx, by):
        A_s = T.alloc_shared((128, 64), "float16")
        B_s = T.alloc_shared((64, 128), "float16")
        C_l = T.alloc_fragment((128, 128), "float32")
        T.clear(C_l)
        for k in T.Pipelined(T.ceildiv(K, 64), num_stages=3):
            T.copy(A[by * 128, k * 64], A_s)
            T.copy(B[k * 64, bx * 128], B_s)
            T.gemm(A_s, B_s, C_l)
        T.copy(C_l, C[by * 128, bx * 128])
#> ir(1, level="flat", target="mp_31", after="simplify", configs={"tilelab.hardware_units": True})
#> def main(A: tensor(f16, [256, 256]), B: tensor(f16, [256, 256]), C: tensor(f16, [256, 256])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     A_map = tensor_map(A, dims=[256, 256], strides=[512])
#>     B_map = tensor_map(B, dims=[256, 256], strides=[512])
#>     with kernel("main_k0", grid=[2, 2, 1], block=384, smem=98304, params=[C, A_map, B_map]) as (bx, by, bz):
#>         bar_reserve(6)
#>         A_s = shared(f16, [24576], at=0)
#>         B_s = shared(f16, [24576], at=49152)
#>         if leader("block"):
#>             for s_1 in unroll(3):
#>                 bar_init(1 + s_1, 1)
#>             for s_1 in unroll(3):
#>                 bar_init(4 + s_1, 8)
#>         block_sync(mem="all")
#>         if uniform(tid >= 256):
#>             if tid == 256:
#>                 ring_in = var(i32, 0)
#>                 ring_in_phase = var(i32, 0)
#>                 for k in serial(4):
#>                     s = ring_in
#>                     bar_wait(4 + s, ring_in_phase ^ 1)
#>                     bar_expect(1 + s, 32768)
#>                     tma_load(s * 16384, A_map, [k * 64, by * 128], 1 + s, box=[64, 128], granule=16)
#>                     tma_load(49152 + s * 16384, B_map, [bx * 128, k * 64], 1 + s, box=[64, 64], granule=32)
#>                     tma_load(s * 16384 + 57344, B_map, [bx * 128 + 64, k * 64], 1 + s, box=[64, 64], granule=32)
#>                     bar_arrive(1 + s)
#>                     ring_in = ring_in + 1
#>                     if ring_in == 3:
#>                         ring_in = 0
#>                         ring_in_phase = ring_in_phase ^ 1
#>         else:
#>             C_l = local(f32, [64], of=frag([128, 128], [[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]]))
#>             ring_out = var(i32, 0)
#>             ring_out_phase = var(i32, 0)
#>             unit = uniform(tdiv(tid, 128))
#>             for v in unroll(8):
#>                 for v_1 in unroll(8):
#>                     C_l[v * 8 + v_1] = 0.0
#>             for k in serial(4):
#>                 s = ring_out
#>                 bar_wait(1 + s, ring_out_phase)
#>                 sqmma(C_l[0:64], 3407872 + s * 16384, s * 16384 + unit * 8192 + 5554176, shape="m128n64k64", tA=False, tB=True, dtype="f16")
#>                 mma_commit()
#>                 mma_wait(0, C_l[0:64])
#>                 bar_arrive(4 + s)
#>                 ring_out = ring_out + 1
#>                 if ring_out == 3:
#>                     ring_out = 0
#>                     ring_out_phase = ring_out_phase ^ 1
#>             for v in unroll(8):
#>                 for v_1 in unroll(8):
#>                     C[by * 32768 + tmod(tdiv(tid, 8), 16) * 256 + v * 4096 + bx * 128 + tdiv(tid, 128) * 64 + tmod(tid, 8) + v_1 * 8] = f16(C_l[v * 8 + v_1])
