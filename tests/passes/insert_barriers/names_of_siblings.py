# test: passes run=insert_barriers
# Two branches give one name different values: what the second reads is not what each thread wrote.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [64]), B: tensor(f32, [64]), n: i32):
    with kernel("k", grid=[1, 1, 1], block=32, smem=256) as bx:
        s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
        if n > 0:
            base = n + 3
            for i in parallel(32, lay=[[t(32, 1)]]):
                s[base + i] = A[i]
        if n > 1:
            base = n - 1
            for i in parallel(32, lay=[[t(32, 1)]]):
                B[i] = s[base + i]
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [64]), B: tensor(f32, [64]), n: i32):
#>     with kernel("k", grid=[1, 1, 1], block=32, smem=256) as bx:
#>         s = shared(f32, [64], lay=[[a(64, 1)]], at=0)
#>         if n > 0:
#>             base = n + 3
#>             for i in parallel(32, lay=[[t(32, 1)]]):
#>                 s[base + i] = A[i]
#>         if n > 1:
#>             base = n - 1
#>             block_sync()
#>             for i in parallel(32, lay=[[t(32, 1)]]):
#>                 B[i] = s[base + i]
