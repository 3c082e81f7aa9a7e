# test: passes run=insert_barriers
# What only the branch has stored is waited for at its end: blocks that do not take it have no barrier. Where the statement after it also waits
# for what was before the branch, one barrier follows.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [64]), B: tensor(f32, [64]), n: i32):
    with kernel("k", grid=[1, 1, 1], block=64, smem=256) as bx:
        s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
        c = fragment(f32, [64], lay=[[t(64, 1)]])
        copy(A[0:64], s[0:64], by="simt", lay=[[t(64, 1)]])
        for i in parallel(64, lay=[[t(64, 1)]]):
            c[i] = s[i]
        block_sync()
        if n > 3:
            for i in parallel(64, lay=[[t(64, 1)]]):
                s[i] = c[i] + 1.0
        for i in parallel(64, lay=[[t(64, 1)]]):
            c[i] = c[i] + s[63 - i]
        block_sync()
        for i in parallel(64, lay=[[t(64, 1)]]):
            s[i] = c[i]
        if n > 5:
            for i in parallel(64, lay=[[t(64, 1)]]):
                s[i] = 0.0
        for i in parallel(64, lay=[[t(64, 1)]]):
            c[i] = c[i] + s[63 - i]
        copy(c[0:64], B[0:64], by="simt", lay=[[t(64, 1)]])
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [64]), B: tensor(f32, [64]), n: i32):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=256) as bx:
#>         s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
#>         c = fragment(f32, [64], lay=[[t(64, 1)]])
#>         copy(A, s, by="simt", lay=[[t(64, 1)]])
#>         for i in parallel(64, lay=[[t(64, 1)]]):
#>             c[i] = s[i]
#>         block_sync()
#>         if n > 3:
#>             for i in parallel(64, lay=[[t(64, 1)]]):
#>                 s[i] = c[i] + 1.0
#>             block_sync()
#>         for i in parallel(64, lay=[[t(64, 1)]]):
#>             c[i] = c[i] + s[63 - i]
#>         block_sync()
#>         for i in parallel(64, lay=[[t(64, 1)]]):
#>             s[i] = c[i]
#>         if n > 5:
#>             for i in parallel(64, lay=[[t(64, 1)]]):
#>                 s[i] = 0.0
#>         block_sync()
#>         for i in parallel(64, lay=[[t(64, 1)]]):
#>             c[i] = c[i] + s[63 - i]
#>         copy(c, B, by="simt", lay=[[t(64, 1)]])
