# SPDX-License-Identifier: Apache-2.0
"""A numbered barrier where none was made."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 8), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64, 8), "float32")
        T.mbarrier_arrive(T.get_mbarrier(0))
        T.copy(A, B)


tilelang.compile(main)
#> CompileError: error[barrier-needed]: T.get_mbarrier expects a barrier, found the integer 0
#>   --> barrier_number_without_list.py, line 11
#>  11 |         T.mbarrier_arrive(T.get_mbarrier(0))
#>     |                                          ^
#> help: make the barriers before it: T.create_list_of_mbarrier([128, 128])
