# test: passes run=insert_barriers
# Steps that lead a thread to elements of others: too short, of no multiple, from two beginnings, or of another kind in between.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [4096]), n: i32):
    with kernel("k", grid=[1, 1, 1], block=64, smem=0) as bx:
        for k in serial(8):
            A[k * 32 + tid] = 1.0
        for k in serial(8):
            A[k * 96 + tid * 2] = 1.0
        for p in serial(0, 4096, 16):
            A[p + tid] = 2.0
        for i in serial(tid, n, 48):
            A[i] = 3.0
        for j in serial(tid, n, 64):
            A[j // 2] = 4.0
        a = var(i32, 0)
        a = tid
        while a < n:
            A[a] = 5.0
            a = a + 48
        b = var(i32, 0)
        while b < n:
            A[b] = 6.0
            b = b + 64
            if b > 100:
                b = tid + 32
        c = var(i32, tid)
        while c < n:
            A[c] = 7.0
            c = c + 64
            if A[c] > 0.0:
                c = c + n
        d = var(i16, 0)
        d = cast(i16, tid)
        while d < 4096:
            A[d] = 8.0
            d = d + 64
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 7
#>   7 |             A[k * 32 + tid] = 1.0
#>     |             ~~~~~~~~~~~~~~~~~~~~~ writes A
#>     |             writes A in the next iteration
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 9
#>   7 |             A[k * 32 + tid] = 1.0
#>     |             ~~~~~~~~~~~~~~~~~~~~~ writes A
#>  ...
#>   9 |             A[k * 96 + tid * 2] = 1.0
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 9
#>   9 |             A[k * 96 + tid * 2] = 1.0
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~ writes A
#>     |             writes A in the next iteration
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 11
#>   9 |             A[k * 96 + tid * 2] = 1.0
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~ writes A
#>  ...
#>  11 |             A[p + tid] = 2.0
#>     |             ^^^^^^^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 11
#>  11 |             A[p + tid] = 2.0
#>     |             ~~~~~~~~~~~~~~~~ writes A
#>     |             writes A in the next iteration
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> warning[missing-barrier-in-branch]: missing barrier: threads in this branch exchange `A` through memory
#>   --> turns_meet.py, line 13
#>  13 |             A[i] = 3.0
#>     |             ^^^^^^^^^^ writes A
#> help: let all threads reach these lines, and put only single statements under the condition
#>
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 13
#>  11 |             A[p + tid] = 2.0
#>     |             ~~~~~~~~~~~~~~~~ writes A
#>  ...
#>  13 |             A[i] = 3.0
#>     |             ^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> warning[missing-barrier-in-branch]: missing barrier: threads in this branch exchange `A` through memory
#>   --> turns_meet.py, line 15
#>  15 |             A[j // 2] = 4.0
#>     |             ^^^^^^^^^^^^^^^ writes A
#> help: let all threads reach these lines, and put only single statements under the condition
#>
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 15
#>  13 |             A[i] = 3.0
#>     |             ~~~~~~~~~~ writes A
#>  ...
#>  15 |             A[j // 2] = 4.0
#>     |             ^^^^^^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> warning[missing-barrier-in-branch]: missing barrier: threads in this branch exchange `A` through memory
#>   --> turns_meet.py, line 19
#>  19 |             A[a] = 5.0
#>     |             ^^^^^^^^^^ writes A
#> help: let all threads reach these lines, and put only single statements under the condition
#>
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 19
#>  15 |             A[j // 2] = 4.0
#>     |             ~~~~~~~~~~~~~~~ writes A
#>  ...
#>  19 |             A[a] = 5.0
#>     |             ^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> warning[missing-barrier-in-branch]: missing barrier: threads in this branch exchange `A` through memory
#>   --> turns_meet.py, line 23
#>  23 |             A[b] = 6.0
#>     |             ^^^^^^^^^^ writes A
#> help: let all threads reach these lines, and put only single statements under the condition
#>
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 23
#>  19 |             A[a] = 5.0
#>     |             ~~~~~~~~~~ writes A
#>  ...
#>  23 |             A[b] = 6.0
#>     |             ^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 29
#>  23 |             A[b] = 6.0
#>     |             ~~~~~~~~~~ writes A
#>  ...
#>  29 |             A[c] = 7.0
#>     |             ^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> warning[missing-barrier-in-branch]: missing barrier: threads in this branch exchange `A` through memory
#>   --> turns_meet.py, line 31
#>  29 |             A[c] = 7.0
#>     |             ~~~~~~~~~~ other threads write A
#>  ...
#>  31 |             if A[c] > 0.0:
#>     |                ^^^^ reads A
#> help: let all threads reach these lines, and put only single statements under the condition
#>
#> note[barrier-inserted]: other threads write `A` before it is read here, without a T.sync_threads() between
#>   --> turns_meet.py, line 31
#>  23 |             A[b] = 6.0
#>     |             ~~~~~~~~~~ writes A
#>  ...
#>  31 |             if A[c] > 0.0:
#>     |                ^^^^ reads A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> warning[missing-barrier-in-branch]: missing barrier: threads in this branch exchange `A` through memory
#>   --> turns_meet.py, line 36
#>  36 |             A[d] = 8.0
#>     |             ^^^^^^^^^^ writes A
#> help: let all threads reach these lines, and put only single statements under the condition
#>
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 36
#>  29 |             A[c] = 7.0
#>     |             ~~~~~~~~~~ writes A
#>  ...
#>  36 |             A[d] = 8.0
#>     |             ^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads read `A` before it is written here, without a T.sync_threads() between
#>   --> turns_meet.py, line 36
#>  31 |             if A[c] > 0.0:
#>     |                ~~~~ reads A
#>  ...
#>  36 |             A[d] = 8.0
#>     |             ^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [4096]), n: i32):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=0) as bx:
#>         for k in serial(8):
#>             block_sync(mem="all")
#>             A[k * 32 + tid] = 1.0
#>         for k in serial(8):
#>             block_sync(mem="all")
#>             A[k * 96 + tid * 2] = 1.0
#>         for p in serial(0, 4096, 16):
#>             block_sync(mem="all")
#>             A[p + tid] = 2.0
#>         block_sync(mem="all")
#>         for i in serial(tid, n, 48):
#>             A[i] = 3.0
#>         block_sync(mem="all")
#>         for j in serial(tid, n, 64):
#>             A[j // 2] = 4.0
#>         a = var(i32, 0)
#>         a = tid
#>         block_sync(mem="all")
#>         while a < n:
#>             A[a] = 5.0
#>             a = a + 48
#>         b = var(i32, 0)
#>         block_sync(mem="all")
#>         while b < n:
#>             A[b] = 6.0
#>             b = b + 64
#>             if b > 100:
#>                 b = tid + 32
#>         c = var(i32, tid)
#>         block_sync(mem="all")
#>         while c < n:
#>             A[c] = 7.0
#>             c = c + 64
#>             if A[c] > 0.0:
#>                 c = c + n
#>         d = var(i16, 0)
#>         d = i16(tid)
#>         block_sync(mem="all")
#>         while d < 4096:
#>             A[d] = 8.0
#>             d = d + 64
