# test: passes run=lower_tile_ops
# All three slots are under way before the loop: two groups may be younger than the one that is
# waited for, and before a slot is filled again the threads that read it must synchronize.
ir(1, level="tile", target="sm_80", after="insert_barriers")
def f(A: tensor(f32, [832])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=768) as bx:
        r = ring(3, fill="group", producer="main", consumer="main")
        s = shared(f32, [3, 64], lay=[[a(3, 64)], [a(64, 1)]], at=0, ring=r)
        for p in unroll(3):
            w = ring_acquire(r)
            copy(A[p * 64:p * 64 + 64], s[w, 0:64], by="async", vec=1, lay=[[t(64, 1)]])
            ring_commit(r)
        for k in serial(10):
            u = ring_wait(r)
            ring_release(r)
            w = ring_acquire(r)
            copy(A[k * 64 + 192:k * 64 + 256], s[w, 0:64], by="async", vec=1, lay=[[t(64, 1)]])
            ring_commit(r)
#> ir(1, level="thread", target="sm_80", after="lower_tile_ops")
#> def f(A: tensor(f32, [832])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=768) as bx:
#>         s = shared(f32, [3, 64], lay=[[a(3, 64)], [a(64, 1)]], at=0)
#>         r_in = var(i32, 0)
#>         r_out = var(i32, 0)
#>         for p in unroll(3):
#>             w = r_in
#>             cp_async(s[w, tid], A[p * 64 + tid])
#>             cp_commit()
#>             r_in = 0 if r_in == 2 else r_in + 1
#>         for k in serial(10):
#>             u = r_out
#>             cp_wait(2)
#>             r_out = 0 if r_out == 2 else r_out + 1
#>             w = r_in
#>             block_sync()
#>             cp_async(s[w, tid], A[k * 64 + 192 + tid])
#>             cp_commit()
#>             r_in = 0 if r_in == 2 else r_in + 1
