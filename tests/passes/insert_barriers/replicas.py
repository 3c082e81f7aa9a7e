# test: passes run=insert_barriers
# Four threads hold each element of x. The first of them writes it, in every iteration, to its own elements; another may read it.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [64, 8]), n: i32):
    with kernel("k", grid=[4, 1, 1], block=64, smem=64) as bx:
        x = fragment(f32, [16], lay=[[t(16, 4)]], rep=[t(4, 1)])
        s = shared(f32, [16], lay=[[a(16, 1)]], at=0)
        fill(x, 1.0, lay=[[t(16, 4)]], rep=[t(4, 1)])
        for k in serial(8):
            for i in parallel(16, lay=[[t(16, 4)]], rep=[t(4, 1)]):
                A[bx * 16 + i, k] = x[i]
        for k in serial(8):
            for i in parallel(16, lay=[[t(16, 4)]], rep=[t(4, 1)]):
                s[i] = x[i]
            for i in parallel(16, lay=[[t(16, 4)]], rep=[t(4, 1)]):
                x[i] = s[i] + 1.0
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [64, 8]), n: i32):
#>     with kernel("k", grid=[4, 1, 1], block=64, smem=64) as bx:
#>         x = fragment(f32, [16], lay=[[t(16, 4)]], rep=[t(4, 1)])
#>         s = shared(f32, [16], lay=[[a(16, 1)]], at=0)
#>         fill(x, 1.0, lay=[[t(16, 4)]], rep=[t(4, 1)])
#>         for k in serial(8):
#>             for i in parallel(16, lay=[[t(16, 4)]], rep=[t(4, 1)]):
#>                 A[bx * 16 + i, k] = x[i]
#>         for k in serial(8):
#>             block_sync()
#>             for i in parallel(16, lay=[[t(16, 4)]], rep=[t(4, 1)]):
#>                 s[i] = x[i]
#>             block_sync()
#>             for i in parallel(16, lay=[[t(16, 4)]], rep=[t(4, 1)]):
#>                 x[i] = s[i] + 1.0
