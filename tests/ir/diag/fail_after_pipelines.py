# test: diag
ir(1, level="tile", target="mp_31", after="schedule_pipelines")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        for k in pipelined(4, stages=2):
            pass
        for k in pipelined(4, stages=-2):
            pass
#> error[ir-after]: a loop is pipelined after schedule_pipelines
#>   --> fail_after_pipelines.py, line 5
#>   5 |         for k in pipelined(4, stages=2):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
#>
#> error[ir-rule]: a pipelined loop has a number of stages
#>   --> fail_after_pipelines.py, line 7
#>   7 |         for k in pipelined(4, stages=-2):
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: compare it with the lowered IR of a kernel (%ir k --level thread), which follows all rules
