# test: diag
ir(1, level="thread", target="mp_31")
def f(A: tensor(f32, [64]), B: tensor(f16, [8, 8])):
    with kernel("k", grid=[1, 1, 1], block=64) as bx:
        A[tid] = fma(A[tid], 2.0)
#> error[ir-arguments]: `fma` takes 3 operands, not 2
#>   --> fail_operand_count.py, line 5
#>   5 |         A[tid] = fma(A[tid], 2.0)
#>     |                  ^^^^^^^^^^^^^^^^
#> help: compare it with the same operation in the output of %ir for a kernel
