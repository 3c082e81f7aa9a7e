# test: passes run=allocate_barriers
# A text may number its barriers before the pass does: they get their room.
ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as bx:
        ready = barrier([2], count=1, id=2)
        more = barrier([1], count=1)
        s = shared(f16, [1024], lay=[[a(1024, 1)]], at=0)
    with kernel("l", grid=[1, 1, 1], block=128, smem=2080) as bx:
        ready = barrier([2], count=1, id=2)
        s = shared(f16, [1024], lay=[[a(1024, 1)]], at=0)
#> ir(1, level="thread", target="sm_90a", after="allocate_barriers")
#> def f(A: tensor(f16, [64, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=2088) as bx:
#>         ready = barrier([2], count=1, unit="warp", id=2)
#>         more = barrier([1], count=1, unit="warp", id=4)
#>         s = shared(f16, [1024], lay=[[a(1024, 1)]], at=0)
#>     with kernel("l", grid=[1, 1, 1], block=128, smem=2080) as bx:
#>         ready = barrier([2], count=1, unit="warp", id=2)
#>         s = shared(f16, [1024], lay=[[a(1024, 1)]], at=0)
