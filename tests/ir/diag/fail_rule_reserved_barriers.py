# test: diag
ir(1, level="flat", target="sm_90a")
def f(A: tensor(f16, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=2080) as bx:
        bar_reserve(4)
        s = shared(f16, [1024], at=0)
        t = shared(f16, [4], at=2040)
        if tid == 0:
            bar_init(0, 1)
    with kernel("l", grid=[1, 1, 1], block=128, smem=16) as bx:
        bar_reserve(4)
#> error[ir-rule]: 4 barriers do not fit the kernel's 16 bytes of shared memory (`smem`)
#>   --> fail_rule_reserved_barriers.py, line 11
#>  11 |         bar_reserve(4)
#>     |         ^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
