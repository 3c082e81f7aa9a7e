# test: lower after=simplify N=dynamic
# A condition that the variable of an unrolled loop does not change is tested once; one that the body changes is not.
def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32"), n: T.int32):
    with T.Kernel(1, threads=16) as bx:
        tid = T.get_thread_binding(0)
        for i in T.unroll(4):
            if tid < n:
                T.atomic_add(B[tid * 4 + i], A[tid])
        found = T.alloc_var("int32")
        found = 0
        for i in T.unroll(4):
            if found < n:
                found = found + A[tid * 4 + i]
        A[tid] = found
#> note[barrier-inserted]: other threads read `A` before it is written here, without a T.sync_threads() between
#>   --> kernel.py, line 14
#>  13 |                 found = found + A[tid * 4 + i]
#>     |                                 ~~~~~~~~~~~~~~ reads A
#>  14 |         A[tid] = found
#>     |         ^^^^^^^^^^^^^^ writes A
#> help: write T.sync_threads() between the two, where all threads reach it: end an `if` of some threads before it, and start it again after it
#>
#> ir(1, level="flat", target="mp_31", after="simplify")
#> def main(A: tensor(i32, [64]), B: tensor(i32, [64]), n: i32):
#>     check_tensor(A, align=16, write=True)
#>     check_tensor(B, align=16, write=True)
#>     with kernel("main_k0", grid=[1, 1, 1], block=16, smem=0, params=[A, B, n]) as (bx, by, bz):
#>         if tid < n:
#>             for i in unroll(4):
#>                 atomic_add(B[tid * 4 + i], A[tid], order="relaxed")
#>         found = var(i32, 0)
#>         found = 0
#>         for i in unroll(4):
#>             if found < n:
#>                 found = found + A[tid * 4 + i]
#>         block_sync(mem="all")
#>         A[tid] = found
