# SPDX-License-Identifier: Apache-2.0
"""Nesting beyond the compiler's limit has a place and a message, however it came to be."""
import linecache

import tilelang
import tilelang.language as T

TEXT = """def main(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, threads=64):
        A[0] = (
""" + "            A[1] +\n" * 450 + "            A[2])\n"
linecache.cache["<long>"] = (len(TEXT), None, TEXT.splitlines(True), "<long>")
names = {"T": T}
exec(compile(TEXT, "<long>", "exec"), names)
tilelang.compile(T.prim_func(names["main"]))
#> CompileError: error[expression-unsupported]: a kernel cannot contain code nested more than 400 deep
#>   --> long, line 4
#>   4 |             A[1] +
#>     |             ^^^^^^
#> help: compute it in Python, before the kernel
#>
#> error[expression-unsupported]: a kernel cannot contain code nested more than 400 deep
#>   --> long, line 58
#>  58 |             A[1] +
#>     |             ^^^^
#> help: compute it in Python, before the kernel
#>
#> error[expression-unsupported]: a kernel cannot contain code nested more than 400 deep
#>   --> long, line 59
#>  59 |             A[1] +
#>     |             ^
#> help: compute it in Python, before the kernel
#>
#> error[expression-unsupported]: a kernel cannot contain code nested more than 400 deep
#>   --> long, line 59
#>  59 |             A[1] +
#>     |               ^
#> help: compute it in Python, before the kernel
