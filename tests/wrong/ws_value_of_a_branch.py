# SPDX-License-Identifier: Apache-2.0
"""A variable that is set before the roles in a branch that also stores."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        b = T.alloc_barrier(128)
        n = T.alloc_var("int32", 0)
        if A[0, 0] > 0:
            n = 1
            B[0, 1] = 1.0
        with T.ws(0):
            T.copy(A, s)
            T.barrier_arrive(b)
        with T.ws(1):
            T.barrier_wait(b, 0)
            B[n, 0] = s[0, 0]


tilelang.compile(main).get_kernel_source()
#> CompileError: error[role-value]: `n` is changed before the roles, in a branch or a loop
#>   --> ws_value_of_a_branch.py, line 14
#>  14 |             n = 1
#>     |             ^
#> help: pass it through shared memory, or compute it where it is used
