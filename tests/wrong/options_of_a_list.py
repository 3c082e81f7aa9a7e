# SPDX-License-Identifier: Apache-2.0
"""`**` of what has no names."""
import tilelang
import tilelang.language as T

OPTIONS = [2]


@T.prim_func
def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for k in T.Pipelined(4, **OPTIONS):
            A[k] = 1.0


tilelang.compile(main).get_kernel_source()
#> CompileError: error[expression-unsupported]: a kernel cannot contain ** of a list of 1 item
#>   --> options_of_a_list.py, line 12
#>  12 |         for k in T.Pipelined(4, **OPTIONS):
#>     |                                 ^^^^^^^^^
#> help: pass ** a dict whose keys are names of options
