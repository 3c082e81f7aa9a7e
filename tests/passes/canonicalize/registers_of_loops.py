# test: passes run=canonicalize
# Registers have no addresses: loops whose variables select those of matrix instructions are unrolled, also through names; a loop whose bounds are not constant is reported by verify_kernel.
ir(1, level="tile", target="sm_90a")
def f(C: tensor(f32, [32, 16]), *, n: dim(i32, 0, 64)):
    bind(n, C, 0)
    with kernel("k", grid=[1, 1, 1], block=32) as bx:
        a = local(f16, [32])
        b = local(f16, [4])
        c = local(f32, [16])
        for i in serial(4):
            first = i * 8
            for k in serial(2):
                mma(c[i * 4:i * 4 + 4], a[first:first + 8], b[0:4], shape="m16n8k16")
        for k in serial(4):
            first = k * 2
            c[first] = 1.0
        for i in serial(n):
            mma(c[0:4], a[i * 8:i * 8 + 8], b[0:4], shape="m16n8k16")
#> ir(1, level="tile", target="sm_90a", after="canonicalize")
#> def f(C: tensor(f32, [32, 16]), *, n: dim(i32, 0, 64)):
#>     bind(n, C, 0)
#>     with kernel("k", grid=[1, 1, 1], block=32) as bx:
#>         a = local(f16, [32])
#>         b = local(f16, [4])
#>         c = local(f32, [16])
#>         for i in unroll(4):
#>             first = i * 8
#>             for k in serial(2):
#>                 mma(c[i * 4:i * 4 + 4], a[i * 8:i * 8 + 8], b[0:4], shape="m16n8k16")
#>         for k in serial(4):
#>             first = k * 2
#>             c[first] = 1.0
#>         for i in serial(n):
#>             mma(c[0:4], a[i * 8:i * 8 + 8], b[0:4], shape="m16n8k16")
