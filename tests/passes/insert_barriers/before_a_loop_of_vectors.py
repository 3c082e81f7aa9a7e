# test: passes run=insert_barriers
# Loops over the lanes of a vector leave a loop plain: one barrier before it is enough. A loop in which threads synchronize is not plain, even if a vector follows.
ir(1, level="tile", target="mp_31", after="plan_shared_memory")
def f(A: tensor(f32, [64]), B: tensor(f32, [64, 4])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=1024) as bx:
        s = shared(f32, [64, 4], at=0)
        for i in serial(4):
            s[tid, i] = A[tid]
        for k in serial(8):
            for v in vec(0, 4):
                B[tid, v] = s[(tid + k) % 64, v]
#> note[barrier-inserted]: other threads write `s` before it is read here, without a T.sync_threads() between
#>   --> before_a_loop_of_vectors.py, line 11
#>   8 |             s[tid, i] = A[tid]
#>     |             ~~~~~~~~~~~~~~~~~~ writes s
#>  ...
#>  11 |                 B[tid, v] = s[(tid + k) % 64, v]
#>     |                             ^^^^^^^^^^^^^^^^^^^^ reads s
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> ir(1, level="tile", target="mp_31", after="insert_barriers")
#> def f(A: tensor(f32, [64]), B: tensor(f32, [64, 4])):
#>     with kernel("k", grid=[1, 1, 1], block=64, smem=1024) as bx:
#>         s = shared(f32, [64, 4], at=0)
#>         for i in serial(4):
#>             s[tid, i] = A[tid]
#>         block_sync()
#>         for k in serial(8):
#>             for v in vec(4):
#>                 B[tid, v] = s[(tid + k) % 64, v]
