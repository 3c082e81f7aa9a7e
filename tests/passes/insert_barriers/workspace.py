# test: passes run=insert_barriers
# Each reduction synchronizes between writing its workspace and reading it; the next one that uses the
# same workspace waits for the readers.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [64]), B: tensor(f32, [2])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=16) as bx:
        x = fragment(f32, [64], lay=[[t(64, 1)]])
        y = fragment(f32, [1], lay=[[r(1, 1)]], rep=[t(64, 1)])
        ws = shared(f32, [2], lay=[[a(2, 1)]], at=0)
        reduce(x[0:64], y[0:1], op="sum", dims=[0], ws=ws)
        reduce(x[0:64], y[0:1], op="max", dims=[0], ws=ws)
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [64]), B: tensor(f32, [2])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=16) as bx:
#>         x = fragment(f32, [64], lay=[[t(64, 1)]])
#>         y = fragment(f32, [1], lay=[[r(1, 1)]], rep=[t(64, 1)])
#>         ws = shared(f32, [2], lay=[[a(2, 1)]], at=0)
#>         reduce(x, y, dims=[0], op="sum", clear=True, ws=ws)
#>         block_sync()
#>         reduce(x, y, dims=[0], op="max", clear=True, ws=ws)
