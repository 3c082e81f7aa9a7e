# SPDX-License-Identifier: Apache-2.0
"""A barrier of a number that the list does not have."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 8), "float32")):
    with T.Kernel(1, threads=64) as bx:
        s = T.alloc_shared((64, 8), "float32")
        T.create_list_of_mbarrier(64, 64)
        T.mbarrier_arrive(2)
        T.copy(A, B)


tilelang.compile(main)
#> CompileError: error[out-of-bounds]: index 2 of `barrier` is out of bounds: dimension 0 has 2 elements
#>   --> barrier_number_outside.py, line 12
#>  11 |         T.create_list_of_mbarrier(64, 64)
#>     |         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ `barrier`, a barrier buffer of 2 elements float32
#>  12 |         T.mbarrier_arrive(2)
#>     |                           ^
#> help: use indices from 0 to 1; -1 is the last
