# SPDX-License-Identifier: Apache-2.0
"""A target that does not exist."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        T.copy(A, B)


tilelang.compile(main, target="mp31x")
#> UsageError: error[target-unknown]: target 'mp31x': 'mp31x' is not a target; known targets are auto, musa, cuda, c, llvm, mp_31, mp_22, sm_80, sm_86, sm_90a, cpu
#>   --> target_unknown.py, line 13
#>  13 | tilelang.compile(main, target="mp31x")
#>     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: use a name that %target or --target completes
