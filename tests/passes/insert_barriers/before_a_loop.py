# test: passes run=insert_barriers
# Iterations that wait only for what was before the loop wait once; those that wait for each other do in it.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [64]), B: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=256) as bx:
        s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
        c = fragment(f32, [64], lay=[[t(64, 1)]])
        copy(A[0:64], s[0:64], by="simt", lay=[[t(64, 1)]])
        for k in serial(8):
            for i in parallel(64, lay=[[t(64, 1)]]):
                c[i] = c[i] + s[(i + k) % 64]
        for k in serial(8):
            copy(A[0:64], s[0:64], by="simt", lay=[[t(64, 1)]])
            for i in parallel(64, lay=[[t(64, 1)]]):
                c[i] = c[i] + s[(i + k) % 64]
        copy(c[0:64], B[0:64], by="simt", lay=[[t(64, 1)]])
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [64]), B: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=256) as bx:
#>         s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
#>         c = fragment(f32, [64], lay=[[t(64, 1)]])
#>         copy(A, s, by="simt", lay=[[t(64, 1)]])
#>         block_sync()
#>         for k in serial(8):
#>             for i in parallel(64, lay=[[t(64, 1)]]):
#>                 c[i] = c[i] + s[(i + k) % 64]
#>         for k in serial(8):
#>             block_sync()
#>             copy(A, s, by="simt", lay=[[t(64, 1)]])
#>             block_sync()
#>             for i in parallel(64, lay=[[t(64, 1)]]):
#>                 c[i] = c[i] + s[(i + k) % 64]
#>         copy(c, B, by="simt", lay=[[t(64, 1)]])
