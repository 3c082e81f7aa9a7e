# test: passes run=insert_barriers
# A name of two values in sibling scopes, and a name computed from it: each thread writes its own elements.
ir(1, level="tile", target="sm_90a", after="plan_shared_memory")
def f(C: tensor(f32, [64, 8])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=0) as bx:
        for k in serial(2):
            w = tid // 32 + k
            C[w, 0] = 1.0
        w = tid // 32
        row = w * 32 + tid % 32
        for i in serial(8):
            C[row, i] = 2.0
#> note[barrier-inserted]: other threads write `C` before it is written here, without a T.sync_threads() between
#>   --> name_of_an_ambiguous_name.py, line 8
#>   8 |             C[w, 0] = 1.0
#>     |             ~~~~~~~~~~~~~ writes C
#>     |             writes C in the next iteration
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `C` before it is written here, without a T.sync_threads() between
#>   --> name_of_an_ambiguous_name.py, line 12
#>   8 |             C[w, 0] = 1.0
#>     |             ~~~~~~~~~~~~~ writes C
#>  ...
#>  12 |             C[row, i] = 2.0
#>     |             ^^^^^^^^^^^^^^^ writes C
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> ir(1, level="tile", target="sm_90a", after="insert_barriers")
#> def f(C: tensor(f32, [64, 8])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=0) as bx:
#>         for k in serial(2):
#>             w = tid // 32 + k
#>             block_sync(mem="all")
#>             C[w, 0] = 1.0
#>         w = tid // 32
#>         row = w * 32 + tid % 32
#>         block_sync(mem="all")
#>         for i in serial(8):
#>             C[row, i] = 2.0
