# test: passes run=insert_barriers
# Accesses that a ring orders need no barrier, in no iteration of either role.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [640]), B: tensor(f32, [640])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=512) as bx:
        r = ring(2, fill="arrive", producer="p", consumer="c")
        s = shared(f32, [2, 64], at=0, ring=r)
        with role("p", 0, 64):
            for k in serial(10):
                w = ring_acquire(r)
                copy(A[k * 64:k * 64 + 64], s[w, 0:64], by="simt", lay=[[t(64, 1)]])
                ring_commit(r)
        with role("c", 64, 128):
            for k in serial(10):
                u = ring_wait(r)
                copy(s[u, 0:64], B[k * 64:k * 64 + 64], by="simt", lay=[[t(32, 1), r(2, 1)]])
                ring_release(r)
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [640]), B: tensor(f32, [640])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=512) as bx:
#>         r = ring(2, fill="arrive", bytes=0, producer="p", consumer="c", unit="warp", arrivals=0)
#>         s = shared(f32, [2, 64], at=0, ring=r)
#>         with role("p", 0, 64):
#>             for k in serial(10):
#>                 w = ring_acquire(r)
#>                 copy(A[k * 64:k * 64 + 64], s[w], by="simt", lay=[[t(64, 1)]])
#>                 ring_commit(r)
#>         with role("c", 64, 128):
#>             for k in serial(10):
#>                 u = ring_wait(r)
#>                 copy(s[u], B[k * 64:k * 64 + 64], by="simt", lay=[[t(32, 1), r(2, 1)]])
#>                 ring_release(r)
