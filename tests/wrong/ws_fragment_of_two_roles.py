# SPDX-License-Identifier: Apache-2.0
"""A fragment that one role makes and another one reads."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        f = T.alloc_fragment((64, 64), "float32")
        b = T.alloc_barrier(128)
        with T.ws(0):
            T.copy(A, f)
            T.barrier_arrive(b)
        with T.ws(1):
            T.barrier_wait(b, 0)
            T.copy(f, B)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[role-fragment]: fragment `f` is used by threads 0 to 127 and by threads 128 to 255
#>   --> ws_fragment_of_two_roles.py, line 18
#>  14 |             T.copy(A, f)
#>     |             ~~~~~~~~~~~~ by threads 0 to 127
#>  ...
#>  18 |             T.copy(f, B)
#>     |             ^^^^^^^^^^^^
#> help: give each of them a fragment, and pass values through T.alloc_shared
