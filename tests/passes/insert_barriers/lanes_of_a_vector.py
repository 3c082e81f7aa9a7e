# test: passes run=insert_barriers
# The lanes of a vector are one access of each thread: the barrier is before them, not between them.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [64, 32]), B: tensor(f32, [64, 32])):
    with kernel("k", grid=[1, 1, 1], block=512, smem=8192) as bx:
        s = shared(f32, [64, 32], lay=[[a(64, 32)], [a(32, 1)]], at=0)
        for k in serial(0, 4):
            for v in vec(0, 4):
                s[tid // 8, tid % 8 * 4 + v] = A[tid // 8, tid % 8 * 4 + v]
            for v in vec(0, 4):
                B[tid // 8, tid % 8 * 4 + v] = s[63 - tid // 8, tid % 8 * 4 + v]
#> note[barrier-inserted]: other threads read `s` before it is written here, without a T.sync_threads() between
#>   --> lanes_of_a_vector.py, line 9
#>   9 |                 s[tid // 8, tid % 8 * 4 + v] = A[tid // 8, tid % 8 * 4 + v]
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ writes s in the next iteration
#>  ...
#>  11 |                 B[tid // 8, tid % 8 * 4 + v] = s[63 - tid // 8, tid % 8 * 4 + v]
#>     |                                                ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ reads s
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> note[barrier-inserted]: other threads write `s` before it is read here, without a T.sync_threads() between
#>   --> lanes_of_a_vector.py, line 11
#>   9 |                 s[tid // 8, tid % 8 * 4 + v] = A[tid // 8, tid % 8 * 4 + v]
#>     |                 ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ writes s
#>  ...
#>  11 |                 B[tid // 8, tid % 8 * 4 + v] = s[63 - tid // 8, tid % 8 * 4 + v]
#>     |                                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ reads s
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [64, 32]), B: tensor(f32, [64, 32])):
#>     with kernel("k", grid=[1, 1, 1], block=512, smem=8192) as bx:
#>         s = shared(f32, [64, 32], lay=[[a(64, 32)], [a(32, 1)]], at=0)
#>         for k in serial(4):
#>             block_sync()
#>             for v in vec(4):
#>                 s[tid // 8, tid % 8 * 4 + v] = A[tid // 8, tid % 8 * 4 + v]
#>             block_sync()
#>             for v in vec(4):
#>                 B[tid // 8, tid % 8 * 4 + v] = s[63 - tid // 8, tid % 8 * 4 + v]
