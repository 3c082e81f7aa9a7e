# test: passes run=insert_barriers
# A branch that is split: another one has its names, of a value that is loaded and of what is computed from it.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(i32, [64]), B: tensor(i32, [64])):
    check_tensor(A, align=16)
    check_tensor(B, align=16, write=True)
    with kernel("main_k0", grid=[1, 1, 1], block=64, smem=256) as (bx, by, bz):
        s = shared(i32, [64], lay=[[a(64, 1)]], at=0)
        s[tid] = A[tid]
        if A[tid] > 3:
            index = A[63 - tid]
            next = index + 1
            s[tid] = next
            if tid < 50:
                B[tid] = s[63 - tid] + next
        if tid < 20:
            index = A[tid]
            B[tid] = index
        else:
            next = A[tid] + 2
            B[tid] = next
#> note[barrier-inserted]: other threads write `s` before it is read here, without a T.sync_threads() between
#>   --> names_of_two_branches.py, line 15
#>   9 |         s[tid] = A[tid]
#>     |         ~~~~~~~~~~~~~~~ writes s
#>  ...
#>  15 |                 B[tid] = s[63 - tid] + next
#>     |                          ^^^^^^^^^^^ reads s
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `s` before it is read here, without a T.sync_threads() between
#>   --> names_of_two_branches.py, line 15
#>  13 |             s[tid] = next
#>     |             ~~~~~~~~~~~~~ writes s
#>  ...
#>  15 |                 B[tid] = s[63 - tid] + next
#>     |                          ^^^^^^^^^^^ reads s
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
#>         next_1 = var(i32)
#>         if comes:
#>             index_1 = A[63 - tid]
#>             next_1 = index_1 + 1
#>             s[tid] = next_1
#>         block_sync()
#>         if comes:
#>             if tid < 50:
#>                 B[tid] = s[63 - tid] + next_1
#>         if tid < 20:
#>             index = A[tid]
#>             B[tid] = index
#>         else:
#>             next = A[tid] + 2
#>             B[tid] = next
