# test: passes run=insert_barriers
# A branch in which some threads exchange values, split: each part has the lets that it uses; a name that a
# nested branch has for something else is its own.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(i32, [64]), B: tensor(i32, [64])):
    check_tensor(A, align=16)
    check_tensor(B, align=16, write=True)
    with kernel("main_k0", grid=[1, 1, 1], block=64, smem=256) as (bx, by, bz):
        s = shared(i32, [64], lay=[[a(64, 1)]], at=0)
        s[tid] = A[tid]
        if A[tid] > 3:
            if tid >= 15:
                val = tid - 15
                B[val] = val
            val = tid + 1
            s[tid] = val
            if tid < 50:
                B[tid + 10] = s[63 - tid] + val
            B[tid] = val
#> note[barrier-inserted]: other threads write `B` before it is written here, without a T.sync_threads() between
#>   --> branch_apart.py, line 18
#>  14 |                 B[val] = val
#>     |                 ~~~~~~~~~~~~ writes B
#>  ...
#>  18 |                 B[tid + 10] = s[63 - tid] + val
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ writes B
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `s` before it is read here, without a T.sync_threads() between
#>   --> branch_apart.py, line 18
#>  10 |         s[tid] = A[tid]
#>     |         ~~~~~~~~~~~~~~~ writes s
#>  ...
#>  18 |                 B[tid + 10] = s[63 - tid] + val
#>     |                               ^^^^^^^^^^^ reads s
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `s` before it is read here, without a T.sync_threads() between
#>   --> branch_apart.py, line 18
#>  16 |             s[tid] = val
#>     |             ~~~~~~~~~~~~ writes s
#>  ...
#>  18 |                 B[tid + 10] = s[63 - tid] + val
#>     |                               ^^^^^^^^^^^ reads s
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `B` before it is written here, without a T.sync_threads() between
#>   --> branch_apart.py, line 19
#>  18 |                 B[tid + 10] = s[63 - tid] + val
#>     |                 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ writes B
#>  19 |             B[tid] = val
#>     |             ^^^^^^^^^^^^ writes B
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(i32, [64]), B: tensor(i32, [64])):
#>     check_tensor(A, align=16)
#>     check_tensor(B, align=16, write=True)
#>     with kernel("main_k0", grid=[1, 1, 1], block=64, smem=256) as (bx, by, bz):
#>         s = shared(i32, [64], lay=[[a(64, 1)]], at=0)
#>         s[tid] = A[tid]
#>         comes = A[tid] > 3
#>         if comes:
#>             if tid >= 15:
#>                 val = tid - 15
#>                 B[val] = val
#>             val = tid + 1
#>             s[tid] = val
#>         block_sync(mem="all")
#>         if comes:
#>             val = tid + 1
#>             if tid < 50:
#>                 B[tid + 10] = s[63 - tid] + val
#>         block_sync(mem="all")
#>         if comes:
#>             val = tid + 1
#>             B[tid] = val
