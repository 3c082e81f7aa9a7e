# test: passes run=lower_tile_ops
# Each group of four warps has its own part of a slot: it synchronizes separately, and its leader issues
# the boxes that it has written.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(C: tensor(f16, [128, 256])):
    C_map = tensor_map(C, dims=[256, 128], strides=[512], box=[64, 64], swz=(16, 128, 7))
    with kernel("k", grid=[1, 1, 1], block=256, smem=32768) as bx:
        out = ring(2, fill="store", bytes=16384, producer="main", consumer="main", unit="group")
        C_s = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0, ring=out)
        x = fragment(f16, [128, 64], lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
        for c in unroll(4):
            w = ring_acquire(out)
            copy(x[0:128, 0:64], C_s[w], by="simt", lay=[[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]])
            ring_commit(out)
            e = ring_wait(out)
            copy(C_s[e], C[0:128, c * 64:c * 64 + 64], by="engine", map=C_map)
            ring_release(out)
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(C: tensor(f16, [128, 256])):
#>     C_map = tensor_map(C, dims=[256, 128], strides=[512], box=[64, 64], swz=(16, 128, 7))
#>     with kernel("k", grid=[1, 1, 1], block=256, smem=32768) as bx:
#>         C_s = shared(f16, [2, 128, 64], lay=[[a(2, 8192)], [a(128, 64)], [a(64, 1)]], swz=(16, 128, 7), at=0)
#>         x = local(f16, [32], of=frag([128, 64], [[t(2, 128), t(4, 32), r(2, 2), t(8, 4)], [r(8, 4), t(4, 1), r(2, 1)]]))
#>         out_in = var(i32, 0)
#>         unit = uniform(tid // 128)
#>         out_out = var(i32, 0)
#>         for c in unroll(4):
#>             w = out_in
#>             if leader("group"):
#>                 bulk_wait_read(1)
#>             group_sync(unit)
#>             for v in unroll(4):
#>                 matrices = local(f16, [8])
#>                 for v_1 in unroll(2):
#>                     for v_2 in unroll(2):
#>                         for v_3 in unroll(2, vec=2):
#>                             matrices[v_1 * 2 + v_2 * 4 + v_3] = x[v_1 * 2 + (v * 2 + v_2) * 4 + v_3]
#>                 stmatrix(C_s[w, tid // 128 * 64 + tid // 32 % 4 * 16 + tid // 8 % 2 * 8 + tid % 8, tid // 16 % 2 * 8 + v * 16], matrices[0:8])
#>             fence_proxy()
#>             group_sync(unit)
#>             out_in = out_in ^ 1
#>             e = out_out
#>             if leader("group"):
#>                 tma_store(C_map, [c * 64, unit * 64], C_s[e, unit * 64:unit * 64 + 64, 0:64])
#>                 bulk_commit()
#>             out_out = out_out ^ 1
#>         if leader("group"):
#>             bulk_wait(0)
