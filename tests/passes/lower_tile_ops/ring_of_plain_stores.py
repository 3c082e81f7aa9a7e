# test: passes run=lower_tile_ops
# A ring that threads fill: barriers count warps, each side has a cursor of slot and phase.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(A: tensor(f32, [640]), B: tensor(f32, [640])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=768) as bx:
        r = ring(3, fill="arrive", producer="p", consumer="c")
        s = shared(f32, [3, 64], lay=[[a(3, 64)], [a(64, 1)]], at=0, ring=r)
        with role("p", 64, 128):
            for k in serial(10):
                w = ring_acquire(r)
                copy(A[k * 64:k * 64 + 64], s[w, 0:64], by="simt", lay=[[t(64, 1)]])
                ring_commit(r)
        with role("c", 0, 64):
            for k in serial(10):
                u = ring_wait(r)
                copy(s[u, 0:64], B[k * 64:k * 64 + 64], by="simt", lay=[[t(32, 1), r(2, 1)]])
                ring_release(r)
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(A: tensor(f32, [640]), B: tensor(f32, [640])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=768) as bx:
#>         r_full = barrier([3], count=2, unit="warp")
#>         r_empty = barrier([3], count=2, unit="warp")
#>         s = shared(f32, [3, 64], lay=[[a(3, 64)], [a(64, 1)]], at=0)
#>         if leader("block"):
#>             bar_init(r_full)
#>             bar_init(r_empty)
#>         block_sync(mem="all")
#>         with role("p", 64, 128):
#>             r_in = var(i32, 0)
#>             r_in_phase = var(i32, 0)
#>             for k in serial(10):
#>                 w = r_in
#>                 bar_wait(r_empty[w], r_in_phase ^ 1)
#>                 s[w, tid] = A[k * 64 + tid]
#>                 bar_arrive(r_full[w])
#>                 r_in = r_in + 1
#>                 if r_in == 3:
#>                     r_in = 0
#>                     r_in_phase = r_in_phase ^ 1
#>         with role("c", 0, 64):
#>             r_out = var(i32, 0)
#>             r_out_phase = var(i32, 0)
#>             for k in serial(10):
#>                 u = r_out
#>                 bar_wait(r_full[u], r_out_phase)
#>                 for v in unroll(2):
#>                     if tid < 32:
#>                         B[k * 64 + tid * 2 + v] = s[u, tid * 2 + v]
#>                 bar_arrive(r_empty[u])
#>                 r_out = r_out + 1
#>                 if r_out == 3:
#>                     r_out = 0
#>                     r_out_phase = r_out_phase ^ 1
