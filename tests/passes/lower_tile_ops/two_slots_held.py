# test: passes run=lower_tile_ops
# A side that takes the next slot before it gives one back counts both.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(B: tensor(f32, [640])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=768) as bx:
        r = ring(3, fill="arrive", producer="p", consumer="c")
        s = shared(f32, [3, 64], lay=[[a(3, 64)], [a(64, 1)]], at=0, ring=r)
        with role("c", 0, 64):
            for k in serial(10):
                u = ring_wait(r)
                copy(s[u, 0:64], B[k * 64:k * 64 + 64], by="simt", lay=[[t(64, 1)]])
                if k > 0:
                    ring_release(r)
            ring_release(r)
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(B: tensor(f32, [640])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=768) as bx:
#>         r_full = barrier([3], count=4, unit="warp")
#>         r_empty = barrier([3], count=2, unit="warp")
#>         s = shared(f32, [3, 64], lay=[[a(3, 64)], [a(64, 1)]], at=0)
#>         if leader("block"):
#>             bar_init(r_full)
#>             bar_init(r_empty)
#>         block_sync(mem="all")
#>         with role("c", 0, 64):
#>             r_out = var(i32, 0)
#>             r_out_phase = var(i32, 0)
#>             r_out_back = var(i32, 0)
#>             for k in serial(10):
#>                 u = r_out
#>                 bar_wait(r_full[u], r_out_phase)
#>                 r_out = r_out + 1
#>                 if r_out == 3:
#>                     r_out = 0
#>                     r_out_phase = r_out_phase ^ 1
#>                 B[k * 64 + tid] = s[u, tid]
#>                 if k > 0:
#>                     bar_arrive(r_empty[r_out_back])
#>                     r_out_back = 0 if r_out_back == 2 else r_out_back + 1
#>             bar_arrive(r_empty[r_out_back])
#>             r_out_back = 0 if r_out_back == 2 else r_out_back + 1
