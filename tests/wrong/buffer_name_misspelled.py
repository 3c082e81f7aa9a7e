# SPDX-License-Identifier: Apache-2.0
"""A buffer's name with a letter missing."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        S_shared = T.alloc_shared((64, 32), "float16")
        T.copy(A, S_shard)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[name-unknown]: `S_shard` is not defined
#>   --> buffer_name_misspelled.py, line 11
#>  11 |         T.copy(A, S_shard)
#>     |                   ^^^^^^^
#> help: did you mean `S_shared`?
