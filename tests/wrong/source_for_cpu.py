# SPDX-License-Identifier: Apache-2.0
"""C text of a kernel for the CPU."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1) as bx:
        T.copy(A, B)


tilelang.compile(main, target="c").get_kernel_source()
#> CompileError: error[codegen-refused]: `main` can't be written for cpu: the text written here is code for GPUs
#>   --> source_for_cpu.py, line 9
#>   9 |     with T.Kernel(1) as bx:
#>     |          ^^^^^^^^^^^
#> help: run it on the simulator (`%device sim`), or take a GPU: target="musa"
