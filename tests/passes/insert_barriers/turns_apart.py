# test: passes run=insert_barriers
# In each iteration a thread accesses elements that no other thread has, for any loop counter.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [4096]), n: i32):
    with kernel("k", grid=[4, 1, 1], block=64, smem=16384) as bx:
        s = shared(f32, [64, 64], at=0)
        t = bx * 64 + tid
        for k in serial(8):
            A[bx * 512 + k * 64 + tid] = 1.0
        for k in serial(16):
            for v in serial(8):
                s[k * 4 + tid // 16, tid % 16 * 4 + v % 4] = 1.0
        for p in serial(64, 4096, 64):
            A[4096 - p + tid] = 2.0
        for w in serial(8):
            A[tid // 32 * 2048 + w * 32 + tid % 32] = 3.0
        for i in serial(t, n, 256):
            A[i] = A[i] + 1.0
        i = var(i32, 0)
        i = tid
        while i < n:
            if i % 2 == 0:
                A[i] = A[i] + 1.0
            i = i + 64
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_apart.py, line 16
#>   9 |             A[bx * 512 + k * 64 + tid] = 1.0
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ writes A
#>  ...
#>  16 |             A[tid // 32 * 2048 + w * 32 + tid % 32] = 3.0
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `A` before it is written here, without a T.sync_threads() between
#>   --> turns_apart.py, line 16
#>  14 |             A[4096 - p + tid] = 2.0
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~ writes A
#>  ...
#>  16 |             A[tid // 32 * 2048 + w * 32 + tid % 32] = 3.0
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `A` before it is read here, without a T.sync_threads() between
#>   --> turns_apart.py, line 18
#>  16 |             A[tid // 32 * 2048 + w * 32 + tid % 32] = 3.0
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ writes A
#>  ...
#>  18 |             A[i] = A[i] + 1.0
#>     |                    ^^^^ reads A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [4096]), n: i32):
#>     with kernel("k", grid=[4, 1, 1], block=64, smem=16384) as bx:
#>         s = shared(f32, [64, 64], at=0)
#>         t = bx * 64 + tid
#>         for k in serial(8):
#>             A[bx * 512 + k * 64 + tid] = 1.0
#>         for k in serial(16):
#>             for v in serial(8):
#>                 s[k * 4 + tid // 16, tid % 16 * 4 + v % 4] = 1.0
#>         for p in serial(64, 4096, 64):
#>             A[4096 - p + tid] = 2.0
#>         block_sync(mem="all")
#>         for w in serial(8):
#>             A[tid // 32 * 2048 + w * 32 + tid % 32] = 3.0
#>         block_sync(mem="all")
#>         for i in serial(t, n, 256):
#>             A[i] = A[i] + 1.0
#>         i = var(i32, 0)
#>         i = tid
#>         while i < n:
#>             if i % 2 == 0:
#>                 A[i] = A[i] + 1.0
#>             i = i + 64
