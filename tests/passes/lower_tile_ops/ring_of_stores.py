# test: passes run=lower_tile_ops
# Threads fill a slot, the copy engine stores it: fences and barriers instead of barriers with a phase.
ir(1, level="tile", target="sm_90a", after="insert_barriers")
def f(A: tensor(f32, [640])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=512) as bx:
        o = ring(2, fill="store", producer="main", consumer="main")
        s = shared(f32, [2, 64], lay=[[a(2, 64)], [a(64, 1)]], at=0, ring=o)
        for k in serial(10):
            w = ring_acquire(o)
            copy(A[k * 64:k * 64 + 64], s[w, 0:64], by="simt", lay=[[t(64, 1)]])
            ring_commit(o)
            u = ring_wait(o)
            ring_release(o)
#> ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
#> def f(A: tensor(f32, [640])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=512) as bx:
#>         s = shared(f32, [2, 64], lay=[[a(2, 64)], [a(64, 1)]], at=0)
#>         o_in = var(i32, 0)
#>         o_out = var(i32, 0)
#>         for k in serial(10):
#>             w = o_in
#>             if leader("block"):
#>                 bulk_wait_read(1)
#>             block_sync()
#>             s[w, tid] = A[k * 64 + tid]
#>             fence_proxy()
#>             block_sync()
#>             o_in = o_in ^ 1
#>             u = o_out
#>             if leader("block"):
#>                 bulk_commit()
#>             o_out = o_out ^ 1
#>         if leader("block"):
#>             bulk_wait(0)
