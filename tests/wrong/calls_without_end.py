# SPDX-License-Identifier: Apache-2.0
"""A macro that calls itself twice, 25 levels deep: 2^25 copies of its body."""
import tilelang
import tilelang.language as T


@T.macro
def halves(A, n):
    if n == 0:
        A[0] = A[0] + 1
    else:
        halves(A, n - 1)
        halves(A, n - 1)


@T.prim_func
def main(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        halves(A, 25)
#> CompileError: error[too-large]: the number of calls in this kernel is 524289, more than 524288
#>   --> calls_without_end.py, line 12
#>  12 |         halves(A, n - 1)
#>     |         ~~~~~~~~~~~~~~~~ called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>  13 |         halves(A, n - 1)
#>     |         ~~~~~~~~~~~~~~~~ called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>     |         called from here
#>  ...
#>  19 |         halves(A, 25)
#>     |         ~~~~~~~~~~~~~ called from here
#> help: repeat code with a loop of the kernel: range(...) in a @T.macro
