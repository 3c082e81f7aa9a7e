# test: passes run=canonicalize
# Unused buffers take no memory, nor does a view of it.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        s = shared(f32, [64])
        t = shared(f32, [8192])
        v = view(t, f32, [64, 128])
        w = shared(f32, [8, 8])
        u = view(w, f32, [64])
        copy(A, s)
        copy(s, u)
        copy(u, A)
#> ir(1, level="tile", target="mp_31", after="canonicalize")
#> def f(A: tensor(f32, [64])):
#>     with kernel("k", grid=[1, 1, 1], block=64) as bx:
#>         s = shared(f32, [64])
#>         w = shared(f32, [8, 8])
#>         u = view(w, f32, [64])
#>         copy(A, s)
#>         copy(s, u)
#>         copy(u, A)
