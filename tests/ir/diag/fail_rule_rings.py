# test: diag
# Rings, their roles and buffers agree; so do a gemm and its instruction.
ir(1, level="tile", target="mp_31")
def f(A: tensor(f16, [128, 64])):
    A_map = tensor_map(A, dims=[64, 128], strides=[128])
    with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
        ab = ring(3, fill="tx", bytes=16384, producer="producer", consumer="eater", unit="warp", arrivals=4)
        A_s = shared(f16, [2, 128, 64], ring=ab)
        with role("producer", 128, 256):
            s = ring_wait(ab)
            copy(A, A_s[0], by="simt", map=A_map)
        with role("consumer", 0, 128):
            C_l = fragment(f32, [128, 128])
            gemm(A_s[0], A_s[1], C_l, tB=True, inst=[128, 96, 64], warps=[4])
            ring_commit(ab)
#> error[ir-rule]: the ring `ab` names a role `eater` that is none
#>   --> fail_rule_rings.py, line 6
#>   6 |     with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the first extent of `A_s` is not the number of stages of its ring
#>   --> fail_rule_rings.py, line 8
#>   8 |         A_s = shared(f16, [2, 128, 64], ring=ab)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: ring_wait of `ab` is outside its role `eater`
#>   --> fail_rule_rings.py, line 10
#>  10 |             s = ring_wait(ab)
#>     |             ^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: a copy by simt has no tensor map
#>   --> fail_rule_rings.py, line 11
#>  11 |             copy(A, A_s[0], by="simt", map=A_map)
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: the warps of gemm are counts along m and n
#>   --> fail_rule_rings.py, line 14
#>  14 |             gemm(A_s[0], A_s[1], C_l, tB=True, inst=[128, 96, 64], warps=[4])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: extent 128 of gemm is not a multiple of that of its instruction, 96
#>   --> fail_rule_rings.py, line 14
#>  14 |             gemm(A_s[0], A_s[1], C_l, tB=True, inst=[128, 96, 64], warps=[4])
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
#>
#> error[ir-rule]: ring_commit of `ab` is outside its role `producer`
#>   --> fail_rule_rings.py, line 15
#>  15 |             ring_commit(ab)
#>     |             ^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
