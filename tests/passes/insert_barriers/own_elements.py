# test: passes run=insert_barriers
# Threads that access only their own elements need no barrier; those that read a neighbour's do, and do
# so in each iteration of a loop over neighbours.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [64]), B: tensor(f32, [64]), n: i32):
    with kernel("k", grid=[1, 1, 1], block=64, smem=2048) as bx:
        s = shared(f32, [512], at=0)
        for v in serial(4):
            s[tid * 4 + v] = A[tid]
        for v in serial(4):
            s[tid * 4 + 3 - v] = s[tid * 4 + v] + 1.0
        for step in serial(n):
            s[step * 64 + tid] = s[step * 64 + tid] * 2.0
        for v in serial(4):
            s[tid + v] = s[tid + v] + 1.0
        B[tid] = s[tid // 8 * 8 + tid % 8]
        B[tid] = B[tid] + s[tid // 8 * 8 + 7 - tid % 8]
#> note[barrier-inserted]: other threads read `s` before it is written here, without a T.sync_threads() between
#>   --> own_elements.py, line 13
#>  11 |             s[tid * 4 + 3 - v] = s[tid * 4 + v] + 1.0
#>     |                                  ~~~~~~~~~~~~~~ reads s
#>  ...
#>  13 |             s[step * 64 + tid] = s[step * 64 + tid] * 2.0
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ writes s
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `s` before it is read here, without a T.sync_threads() between
#>   --> own_elements.py, line 13
#>   9 |             s[tid * 4 + v] = A[tid]
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~ writes s
#>  ...
#>  13 |             s[step * 64 + tid] = s[step * 64 + tid] * 2.0
#>     |                                  ^^^^^^^^^^^^^^^^^^ reads s
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads read `s` before it is written here, without a T.sync_threads() between
#>   --> own_elements.py, line 15
#>  13 |             s[step * 64 + tid] = s[step * 64 + tid] * 2.0
#>     |                                  ~~~~~~~~~~~~~~~~~~ reads s
#>  ...
#>  15 |             s[tid + v] = s[tid + v] + 1.0
#>     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ writes s
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads read `s` before it is written here, without a T.sync_threads() between
#>   --> own_elements.py, line 15
#>  15 |             s[tid + v] = s[tid + v] + 1.0
#>     |             ^^^^^^^^^^^^^~~~~~~~~~~^^^^^^
#>     |             |            reads s
#>     |             writes s in the next iteration
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `s` before it is read here, without a T.sync_threads() between
#>   --> own_elements.py, line 16
#>  15 |             s[tid + v] = s[tid + v] + 1.0
#>     |             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ writes s
#>  16 |         B[tid] = s[tid // 8 * 8 + tid % 8]
#>     |                  ^^^^^^^^^^^^^^^^^^^^^^^^^ reads s
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [64]), B: tensor(f32, [64]), n: i32):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=2048) as bx:
#>         s = shared(f32, [512], at=0)
#>         for v in serial(4):
#>             s[tid * 4 + v] = A[tid]
#>         for v in serial(4):
#>             s[tid * 4 + 3 - v] = s[tid * 4 + v] + 1.0
#>         block_sync()
#>         for step in serial(n):
#>             s[step * 64 + tid] = s[step * 64 + tid] * 2.0
#>         for v in serial(4):
#>             block_sync()
#>             s[tid + v] = s[tid + v] + 1.0
#>         block_sync()
#>         B[tid] = s[tid // 8 * 8 + tid % 8]
#>         B[tid] = B[tid] + s[tid // 8 * 8 + 7 - tid % 8]
