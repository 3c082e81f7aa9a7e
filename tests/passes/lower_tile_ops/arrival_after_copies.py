# test: passes run=lower_tile_ops
# Threads of mp_31 wait for their copies, then arrive.
ir(1, level="tile", target="mp_31", after="insert_barriers", configs={"tilelab.hardware_units": True})
def f(A: tensor(f16, [16, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as bx:
        s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], at=0)
        ready = barrier([1], count=128)
        cp_async(s[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8], A[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8])
        bar_arrive(ready[0], unit="copies")
        bar_wait(ready[0], 0)
#> ir(1, level="thread", target="mp_31", after="lower_tile_ops", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f16, [16, 64])):
#>     with kernel("k", grid=[1, 1, 1], block=128, smem=2048) as bx:
#>         ready = barrier([1], count=128, unit="warp")
#>         s = shared(f16, [16, 64], lay=[[a(16, 64)], [a(64, 1)]], at=0)
#>         if leader("block"):
#>             bar_init(ready)
#>         block_sync(mem="all")
#>         cp_async(s[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8], A[tid // 8, tid % 8 * 8:tid % 8 * 8 + 8])
#>         cp_commit()
#>         cp_wait(0)
#>         bar_arrive(ready[0])
#>         bar_wait(ready[0], 0)
