# test: passes run=lower_tile_ops
# A ring that one role fills and uses: groups instead of barriers, two cursors, one barrier.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(B: tensor(f32, [640])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=768) as bx:
        r = ring(3, fill="group", producer="main", consumer="main")
        s = shared(f32, [3, 64], lay=[[a(3, 64)], [a(64, 1)]], at=0, ring=r)
        for k in serial(10):
            u = ring_wait(r)
            w = ring_acquire(r)
            ring_commit(r)
            copy(s[u, 0:64], B[k * 64:k * 64 + 64], by="simt", lay=[[t(64, 1)]])
            ring_release(r)
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f(B: tensor(f32, [640])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=768) as bx:
#>         s = shared(f32, [3, 64], lay=[[a(3, 64)], [a(64, 1)]], at=0)
#>         r_out = var(i32, 0)
#>         r_in = var(i32, 0)
#>         for k in serial(10):
#>             u = r_out
#>             cp_wait(0)
#>             block_sync()
#>             w = r_in
#>             cp_commit()
#>             r_in = 0 if r_in == 2 else r_in + 1
#>             B[k * 64 + tid] = s[u, tid]
#>             r_out = 0 if r_out == 2 else r_out + 1
