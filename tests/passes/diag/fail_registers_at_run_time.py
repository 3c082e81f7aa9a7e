# test: passes run=verify_kernel
# The same name is the variable of an unrolled loop elsewhere.
ir(1, level="tile", target="sm_80")
def f(C: tensor(f32, [32, 4]), *, n: dim(i32, 0, 64)):
    bind(n, C, 0)
    with kernel("k", grid=[1, 1, 1], block=32) as bx:
        a = local(f16, [16])
        b = local(f16, [4])
        c = local(f32, [4])
        for i in unroll(2):
            mma(c[0:4], a[i * 8:i * 8 + 8], b[0:4], shape="m16n8k16")
        for i in serial(n):
            mma(c[0:4], a[i * 8:i * 8 + 8], b[0:4], shape="m16n8k16")
#> error[statement-unsupported]: a kernel cannot contain registers of `a` that are selected at run time
#>   --> fail_registers_at_run_time.py, line 13
#>  13 |             mma(c[0:4], a[i * 8:i * 8 + 8], b[0:4], shape="m16n8k16")
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: select registers by constants, or by variables of loops with constant bounds
