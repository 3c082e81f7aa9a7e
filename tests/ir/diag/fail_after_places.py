# test: diag
ir(1, level="thread", target="mp_31", after="lower_tile_ops")
def f(A: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=512) as bx:
        s = shared(f32, [64], lay=[[a(64, 1)]])
        q = shared(f32, [64], lay=[[a(64, 1)]], at=384)
#> error[ir-after]: `s` has no offset in shared memory after plan_shared_memory
#>   --> fail_after_places.py, line 5
#>   5 |         s = shared(f32, [64], lay=[[a(64, 1)]])
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
#>
#> error[ir-after]: `q` ends at byte 640 of the kernel's 512 (`smem`) after plan_shared_memory
#>   --> fail_after_places.py, line 6
#>   6 |         q = shared(f32, [64], lay=[[a(64, 1)]], at=384)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: write it as that pass does (%ir k --after PASS shows it), or name the previous pass in `after`, so that this one runs again
