# test: becomes is=gemm_sm90_flat
# SPDX-License-Identifier: Apache-2.0
# GEMM for sm_90a: persistent blocks, one producer thread fills a ring of four slots by TMA, two
# groups of consumers multiply 64 rows each, the result leaves through two small buffers of each.
ir(1, level="thread", target="sm_90a", after="vectorize", const=dict(M=256, N=512, K=256, G=2, R=2))
def matmul(A: tensor(f16, [M, K]), B: tensor(f16, [N, K]), C: tensor(f16, [M, N])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    A_map = tensor_map(A, dims=[K, M], strides=[K * 2], box=[64, 128], swz=(16, 128, 7))
    B_map = tensor_map(B, dims=[K, N], strides=[K * 2], box=[64, 256], swz=(16, 128, 7))
    C_map = tensor_map(C, dims=[N, M], strides=[N * 2], box=[64, 64], swz=(16, 128, 7))
    with kernel("matmul_k0", grid=[G, 1, 1], block=384, smem=229440) as (bx, by, bz):
        full = barrier([4], count=1, unit="lane", tx=True, id=0)
        empty = barrier([4], count=2, unit="group", tx=False, id=4)
        A_s = shared(f16, [4, 128, 64], lay=[[a(4, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
        B_s = shared(f16, [4, 256, 64], lay=[[a(4, 16384)], [a(256, 64)], [a(64, 1)]], swz=(16, 128, 7), at=65536)
        C_s = shared(f16, [4, 64, 64], lay=[[a(4, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=196608)
        if leader("block"):
            bar_init(full)
            bar_init(empty)
            init_fence()
        block_sync()
        with role("producer", 0, 128, regs=40):
            if leader("role"):
                slot = var(i32, 0)
                phase = var(i32, 0)
                tile = var(i32, bx)
                while tile < (M // 128) * (N // 256):
                    m = tile // (R * (N // 256)) * R + tile % R
                    n = tile % (R * (N // 256)) // R
                    for k in serial(0, K // 64):
                        bar_wait(empty[slot], phase ^ 1)
                        bar_arrive_expect(full[slot], 49152)
                        tma_load(A_s[slot, 0:128, 0:64], A_map, [k * 64, m * 128], full[slot])
                        tma_load(B_s[slot, 0:256, 0:64], B_map, [k * 64, n * 256], full[slot])
                        slot = slot + 1
                        if slot == 4:
                            slot = 0
                            phase = phase ^ 1
                    tile = tile + G
        with role("consumer", 128, 384, regs=232):
            C_l = local(f32, [128], of=frag([128, 256], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(32, 4), t(4, 1), r(2, 1)]]))
            g = uniform(tid // 128)
            slot = var(i32, 0)
            phase = var(i32, 0)
            tile = var(i32, bx)
            while tile < (M // 128) * (N // 256):
                m = tile // (R * (N // 256)) * R + tile % R
                n = tile % (R * (N // 256)) // R
                for i in unroll(0, 128):
                    C_l[i] = 0.0
                for k in serial(0, K // 64):
                    bar_wait(full[slot], phase)
                    mma_fence(C_l[0:128])
                    for kk in unroll(0, 4):
                        wgmma(C_l[0:128], A_s[slot, g * 64:g * 64 + 64, kk * 16:kk * 16 + 16], B_s[slot, 0:256, kk * 16:kk * 16 + 16], shape="m64n256k16", zero=False, tA=False, tB=False)
                    mma_commit()
                    mma_wait(0)
                    bar_arrive(empty[slot], unit="group")
                    slot = slot + 1
                    if slot == 4:
                        slot = 0
                        phase = phase ^ 1
                for c in unroll(0, 4):
                    if leader("group"):
                        bulk_wait_read(1)
                    group_sync(g, id=1, threads=128)
                    for j in unroll(0, 8):
                        for h in unroll(0, 2):
                            C_s[g * 2 + c % 2, tid % 128 // 32 * 16 + h * 8 + lane // 4, j * 8 + lane % 4 * 2:j * 8 + lane % 4 * 2 + 2] = f16(C_l[c * 32 + j * 4 + h * 2:c * 32 + j * 4 + h * 2 + 2])
                    fence_proxy()
                    group_sync(g, id=1, threads=128)
                    if leader("group"):
                        tma_store(C_map, [n * 256 + c * 64, m * 128 + g * 64], C_s[g * 2 + c % 2, 0:64, 0:64])
                        bulk_commit()
                tile = tile + G
            if leader("group"):
                bulk_wait(0)
