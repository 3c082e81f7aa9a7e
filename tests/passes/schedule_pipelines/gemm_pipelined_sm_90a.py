# test: everypass target=sm_90a M=256 N=256 K=256
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
#> ir(1, level="flat", target="sm_90a", after="simplify", configs={"tilelab.hardware_units": True})
#> def main(A: tensor(f16, [256, 256]), B: tensor(f16, [256, 256]), C: tensor(f16, [256, 256])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     A_map = tensor_map(A, dims=[256, 256], strides=[512], box=[64, 128], swz=(16, 128, 7))
#>     B_map = tensor_map(B, dims=[256, 256], strides=[512], box=[64, 64], swz=(16, 128, 7))
#>     C_map = tensor_map(C, dims=[256, 256], strides=[512], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("main_k0", grid=[2, 2, 1], block=384, smem=131120, params=[A_map, B_map, C_map]) as (bx, by, bz):
#>         bar_reserve(6)
#>         A_s = shared(f16, [24576], at=0)
#>         B_s = shared(f16, [24576], at=49152)
#>         C_out = shared(f16, [16384], at=98304)
#>         if leader("block"):
#>             for s_1 in unroll(3):
#>                 bar_init(s_1, 1)
#>             for s_1 in unroll(3):
#>                 bar_init(3 + s_1, 2)
#>             init_fence()
#>         block_sync(mem="all")
#>         if uniform(tid < 128):
#>             reg_limit(56, grow=False)
#>             if tid == 0:
#>                 ring_in = var(i32, 0)
#>                 ring_in_phase = var(i32, 0)
#>                 for k in serial(4):
#>                     s = ring_in
#>                     bar_wait(3 + s, ring_in_phase ^ 1)
#>                     bar_arrive_expect(s, 32768)
#>                     tma_load(s * 16384, A_map, [k * 64, by * 128], s)
#>                     tma_load(49152 + s * 16384, B_map, [bx * 128, k * 64], s)
#>                     tma_load(s * 16384 + 57344, B_map, [bx * 128 + 64, k * 64], s)
#>                     ring_in = ring_in + 1
#>                     if ring_in == 3:
#>                         ring_in = 0
#>                         ring_in_phase = ring_in_phase ^ 1
#>         else:
#>             reg_limit(224, grow=True)
#>             C_l = local(f32, [64], of=frag([128, 128], [[t(8, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]]))
#>             ring_out = var(i32, 0)
#>             ring_out_phase = var(i32, 0)
#>             unit = uniform(tdiv(tid, 128) - 1)
#>             out_in = var(i32, 0)
#>             out_out = var(i32, 0)
#>             for v in unroll(2):
#>                 for v_1 in unroll(16):
#>                     for v_2 in unroll(2):
#>                         C_l[v * 2 + v_1 * 4 + v_2] = 0.0
#>             for k in serial(4):
#>                 s = ring_out
#>                 bar_wait(s, ring_out_phase)
#>                 mma_fence(C_l[0:64])
#>                 for k_1 in unroll(4):
#>                     wgmma(C_l[0:64], 4611686293305360384 + i64(s * 1024 + unit * 512 + k_1 * 2), 4611686293338849280 + i64(3072 + s * 1024 + k_1 * 128), shape="m64n128k16", zero=False, tA=False, tB=True, dtype="f16")
#>                 mma_commit()
#>                 mma_wait(0, C_l[0:64])
#>                 bar_arrive(3 + s, unit="group")
#>                 ring_out = ring_out + 1
#>                 if ring_out == 3:
#>                     ring_out = 0
#>                     ring_out_phase = ring_out_phase ^ 1
#>             for c in unroll(2):
#>                 w = out_in
#>                 if tmod(tid, 128) == 0:
#>                     bulk_wait_read(1)
#>                 group_sync(unit, id=1, threads=128)
#>                 for v in unroll(4):
#>                     matrices = local(f16, [8])
#>                     for v_1 in unroll(2):
#>                         for v_2 in unroll(2):
#>                             matrices[v_1 * 2 + v_2 * 4:v_1 * 2 + v_2 * 4 + 2] = f16(C_l[v_1 * 2 + (c * 8 + v * 2 + v_2) * 4:v_1 * 2 + (c * 8 + v * 2 + v_2) * 4 + 2])
#>                     stmatrix(C_out[w * 8192 + tdiv(tid, 32) * 1024 + tmod(tdiv(tid, 8), 2) * 512 - 4096 + (tmod(tid, 8) * 64 + tmod(tdiv(tid, 16), 2) * 8 + v * 16 ^ (tmod(tid, 8) & 7) * 8)], matrices[0:8])
#>                 fence_proxy()
#>                 group_sync(unit, id=1, threads=128)
#>                 out_in = out_in ^ 1
#>                 e = out_out
#>                 if tmod(tid, 128) == 0:
#>                     tma_store(C_map, [bx * 128 + c * 64, by * 128 + unit * 64], e * 16384 + unit * 8192 + 98304)
#>                     bulk_commit()
#>                 out_out = out_out ^ 1
#>             if tmod(tid, 128) == 0:
#>                 bulk_wait(0)
