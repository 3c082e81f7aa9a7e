# test: passes run=select_instructions
# Each element of s can be private to one thread; t is read transposed, u by another thread of a matmul.
ir(1, level="tile", target="sm_90a", after="verify_kernel", configs={"tilelab.hardware_units": True})
def f(A: tensor(f32, [32, 32]), B: tensor(f32, [32, 32])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        s = shared(f32, [32, 32])
        t = shared(f32, [32, 32])
        u = shared(f32, [32, 32])
        rows = fragment(f32, [32])
        x = fragment(f32, [32, 32])
        copy(A[0:32, 0:32], s)
        copy(A[0:32, 0:32], t)
        for i, j in parallel(32, 32):
            s[i, j] = s[i, j] + 1.0
        for i, j in parallel(32, 32):
            B[i, j] = t[j, i]
        copy(s, B[0:32, 0:32])
        copy(A[0:32, 0:32], u)
        copy(u, x)
        reduce(x, rows, op="sum", dims=[1])
#> ir(1, level="tile", target="sm_90a", after="select_instructions", configs={"tilelab.hardware_units": True})
#> def f(A: tensor(f32, [32, 32]), B: tensor(f32, [32, 32])):
#>     with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
#>         s = fragment(f32, [32, 32])
#>         t = shared(f32, [32, 32])
#>         u = shared(f32, [32, 32])
#>         rows = fragment(f32, [32])
#>         x = fragment(f32, [32, 32])
#>         copy(A, s, by="simt")
#>         copy(A, t, by="simt")
#>         for i, j in parallel(32, 32):
#>             s[i, j] = s[i, j] + 1.0
#>         for i, j in parallel(32, 32):
#>             B[i, j] = t[j, i]
#>         copy(s, B, by="simt")
#>         copy(A, u, by="simt")
#>         copy(u, x, by="simt")
#>         reduce(x, rows, dims=[1], op="sum", clear=True)
