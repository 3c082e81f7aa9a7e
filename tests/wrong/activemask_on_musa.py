# SPDX-License-Identifier: Apache-2.0
"""An operation that the generated code of a target lacks: the message names its line."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((32,), "uint32")):
    with T.Kernel(1, threads=32):
        tx = T.get_thread_binding()
        A[tx] = T.activemask() & 15


tilelang.compile(main, target="mp_31").get_kernel_source()
#> CompileError: error[codegen-refused]: `activemask` is not supported for mp_31: not written yet
#>   --> activemask_on_musa.py, line 11
#>  11 |         A[tx] = T.activemask() & 15
#>     |                 ^^^^^^^^^^^^^^
#> help: choose another target (%target), or use another operation
