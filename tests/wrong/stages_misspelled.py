# SPDX-License-Identifier: Apache-2.0
"""An option with a letter missing."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 32), "float16"), B: T.Tensor((64, 32), "float32")):
    with T.Kernel(4, threads=64) as bx:
        s = T.alloc_shared((16, 32), "float16")
        for k in T.Pipelined(4, num_stage=2):
            T.copy(A[k * 16, 0], s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[call-keyword]: `T.Pipelined` has no parameter `num_stage`
#>   --> stages_misspelled.py, line 11
#>  11 |         for k in T.Pipelined(4, num_stage=2):
#>     |                                 ^^^^^^^^^^^
#> help: did you mean `num_stages`?
#> help: T.Pipelined(start, stop=None, num_stages=0, order=None, stage=None, sync=None, group=None, annotations=None)
