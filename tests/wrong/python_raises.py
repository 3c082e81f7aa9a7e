# SPDX-License-Identifier: Apache-2.0
"""A helper of Python that raises."""
import tilelang
import tilelang.language as T


def block_size(n):
    return {64: 32, 128: 64}[n]


@T.prim_func
def main(A: T.Tensor((256,), "float32")):
    with T.Kernel(1, threads=64) as _:
        s = T.alloc_shared((block_size(256),), "float32")
        T.clear(s)


tilelang.compile(main).get_kernel_source()
#> CompileError: error[python-error]: KeyError: 256
#>   --> python_raises.py, line 14
#>  14 |         s = T.alloc_shared((block_size(256),), "float32")
#>     |                             ^^^^^^^^^^^^^^^
#> note: raised at python_raises.py, line 8: return {64: 32, 128: 64}[n]
#> help: correct it, or its arguments: Python runs this at compile time
