# test: passes run=lower_tile_ops
# Slot and phase carry over from tile to tile: their variables are outside the loop over tiles.
ir(1, level="tile", target="mp_31", after="insert_barriers")
def f(B: tensor(f32, [640])):
    with kernel("k", grid=[4, 1, 1], block=64, smem=256) as bx:
        r = ring(1, fill="arrive", producer="p", consumer="c")
        s = shared(f32, [1, 64], lay=[[a(1, 64)], [a(64, 1)]], at=0, ring=r)
        with role("c", 0, 64):
            for i in tiles([10], source="stride", stride=4, order="last_fastest"):
                u = ring_wait(r)
                copy(s[u, 0:64], B[i * 64:i * 64 + 64], by="simt", lay=[[t(64, 1)]])
                ring_release(r)
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops")
#> def f(B: tensor(f32, [640])):
#>     with kernel("k", grid=[4, 1, 1], block=64, smem=256) as bx:
#>         r_full = barrier([1], count=2, unit="warp")
#>         r_empty = barrier([1], count=2, unit="warp")
#>         s = shared(f32, [1, 64], lay=[[a(1, 64)], [a(64, 1)]], at=0)
#>         if leader("block"):
#>             bar_init(r_full)
#>             bar_init(r_empty)
#>         block_sync(mem="all")
#>         with role("c", 0, 64):
#>             r_out_phase = var(i32, 0)
#>             for tile in serial(bx, 10, 4):
#>                 i = tile
#>                 u = 0
#>                 bar_wait(r_full[u], r_out_phase)
#>                 B[i * 64 + tid] = s[u, tid]
#>                 bar_arrive(r_empty[u])
#>                 r_out_phase = r_out_phase ^ 1
