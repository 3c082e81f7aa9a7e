# test: passes run=lower_tile_ops
# Threads change a slot that the copy engine fills: each barrier has a fence, and none is left out, since the one before the rows has nothing
# to do with the product.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(A: tensor(f16, [64, 256]), B: tensor(f16, [256, 64]), C: tensor(f32, [2, 64, 64])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    A_map = tensor_map(A, dims=[256, 64], strides=[512], box=[64, 64], swz=(16, 128, 7))
    B_map = tensor_map(B, dims=[64, 256], strides=[128], box=[64, 64], swz=(16, 128, 7))
    with kernel("f_k0", grid=[1, 1, 1], block=256, smem=49152) as (bx, by, bz):
        ring = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
        ring_1 = ring(2, fill="tx", bytes=8192, producer="producer", consumer="consumer", unit="group", arrivals=1)
        a = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0, ring=ring)
        b = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=16384, ring=ring_1)
        rows = shared(f32, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], at=32768)
        with role("producer", 0, 128):
            for g in serial(2):
                for k in serial(4):
                    s = ring_acquire(ring)
                    copy(A[0:64, k * 64:k * 64 + 64], a[s], by="engine", map=A_map)
                    ring_commit(ring)
                    s_1 = ring_acquire(ring_1)
                    copy(B[k * 64:k * 64 + 64], b[s_1], by="engine", map=B_map)
                    ring_commit(ring_1)
        with role("consumer", 128, 256):
            c = fragment(f32, [64, 64], lay=[[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
            for g in serial(2):
                fill(c, 0.0, vec=2, lay=[[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
                for k in serial(4):
                    s = ring_wait(ring)
                    if k == 3:
                        for i in parallel(64, lay=[[t(64, 1)]], vec=1):
                            a[s, i, 63] = 0.0
                        role_sync()
                    s_1 = ring_wait(ring_1)
                    gemm(a[s], b[s_1], c, clear=False, by="wgmma", inst=[64, 64, 16], warps=[4, 1])
                    ring_release(ring)
                    ring_release(ring_1)
                role_sync()
                copy(c, rows, by="simt", vec=2, lay=[[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
                role_sync()
                for i, j in parallel(64, 64, lay=[[r(8, 4), t(8, 16)], [t(16, 1), r(4, 1)]], vec=4):
                    C[g, i, j] = rows[63 - i, j]
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(A: tensor(f16, [64, 256]), B: tensor(f16, [256, 64]), C: tensor(f32, [2, 64, 64])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16)
#>     check_tensor(C, align=16, write=True)
#>     A_map = tensor_map(A, dims=[256, 64], strides=[512], box=[64, 64], swz=(16, 128, 7))
#>     B_map = tensor_map(B, dims=[64, 256], strides=[128], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("f_k0", grid=[1, 1, 1], block=256, smem=49152) as (bx, by, bz):
#>         ring_full = barrier([2], count=1, unit="lane", tx=True)
#>         ring_empty = barrier([2], count=1, unit="group")
#>         ring_1_full = barrier([2], count=1, unit="lane", tx=True)
#>         ring_1_empty = barrier([2], count=1, unit="group")
#>         a = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
#>         b = shared(f16, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], swz=(16, 128, 7), at=16384)
#>         rows = shared(f32, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], at=32768)
#>         if leader("block"):
#>             bar_init(ring_full)
#>             bar_init(ring_empty)
#>             bar_init(ring_1_full)
#>             bar_init(ring_1_empty)
#>             init_fence()
#>         block_sync(mem="all")
#>         with role("producer", 0, 128):
#>             if leader("role"):
#>                 ring_in = var(i32, 0)
#>                 ring_in_phase = var(i32, 0)
#>                 ring_1_in = var(i32, 0)
#>                 ring_1_in_phase = var(i32, 0)
#>                 for g in serial(2):
#>                     for k in serial(4):
#>                         s = ring_in
#>                         bar_wait(ring_empty[s], ring_in_phase ^ 1)
#>                         bar_arrive_expect(ring_full[s], 8192)
#>                         tma_load(a[s, 0:64, 0:64], A_map, [k * 64, 0], ring_full[s])
#>                         ring_in = ring_in ^ 1
#>                         ring_in_phase = ring_in_phase ^ 1 if ring_in == 0 else ring_in_phase
#>                         s_1 = ring_1_in
#>                         bar_wait(ring_1_empty[s_1], ring_1_in_phase ^ 1)
#>                         bar_arrive_expect(ring_1_full[s_1], 8192)
#>                         tma_load(b[s_1, 0:64, 0:64], B_map, [0, k * 64], ring_1_full[s_1])
#>                         ring_1_in = ring_1_in ^ 1
#>                         ring_1_in_phase = ring_1_in_phase ^ 1 if ring_1_in == 0 else ring_1_in_phase
#>         with role("consumer", 128, 256):
#>             c = local(f32, [32], of=frag([64, 64], [[t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]]))
#>             ring_out = var(i32, 0)
#>             ring_out_phase = var(i32, 0)
#>             ring_1_out = var(i32, 0)
#>             ring_1_out_phase = var(i32, 0)
#>             for g in serial(2):
#>                 for v in unroll(2):
#>                     for v_1 in unroll(8):
#>                         for v_2 in unroll(2, vec=2):
#>                             c[v * 2 + v_1 * 4 + v_2] = 0.0
#>                 for k in serial(4):
#>                     s = ring_out
#>                     bar_wait(ring_full[s], ring_out_phase)
#>                     if k == 3:
#>                         if tid < 64:
#>                             a[s, tid, 63] = 0.0
#>                         fence_proxy()
#>                         role_sync()
#>                     s_1 = ring_1_out
#>                     bar_wait(ring_1_full[s_1], ring_1_out_phase)
#>                     mma_fence(c[0:32])
#>                     for k_1 in unroll(4):
#>                         wgmma(c[0:32], a[s, 0:64, k_1 * 16:k_1 * 16 + 16], b[s_1, k_1 * 16:k_1 * 16 + 16, 0:64], shape="m64n64k16", zero=False, tA=False, tB=True)
#>                     mma_commit()
#>                     mma_wait(0)
#>                     bar_arrive(ring_empty[s])
#>                     ring_out = ring_out ^ 1
#>                     ring_out_phase = ring_out_phase ^ 1 if ring_out == 0 else ring_out_phase
#>                     bar_arrive(ring_1_empty[s_1])
#>                     ring_1_out = ring_1_out ^ 1
#>                     ring_1_out_phase = ring_1_out_phase ^ 1 if ring_1_out == 0 else ring_1_out_phase
#>                 fence_proxy()
#>                 role_sync()
#>                 for v in unroll(2):
#>                     for v_1 in unroll(8):
#>                         for v_2 in unroll(2, vec=2):
#>                             rows[tid // 32 * 16 + tid // 4 % 8 + v * 8, tid % 4 * 2 + v_1 * 8 + v_2] = c[v * 2 + v_1 * 4 + v_2]
#>                 fence_proxy()
#>                 role_sync()
#>                 for i in unroll(8):
#>                     for j in unroll(4, vec=4):
#>                         C[g, tid // 16 + i * 8, tid % 16 * 4 + j] = rows[63 - tid // 16 - i * 8, tid % 16 * 4 + j]
