# SPDX-License-Identifier: Apache-2.0
"""`del` ends a name, also in a branch; what it can't end."""
import tilelang
import tilelang.language as T

scale = 2.0


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        factors = [1.0, 2.0]
        for i in T.Parallel(64):
            x = A[i]
            if i > 3:
                del x
            B[i] = x
        del i, y
        del factors[0]
        del T.float32
        del scale


tilelang.compile(main)
#> CompileError: error[name-deleted]: `x` is used after its `del`
#>   --> name_deleted.py, line 17
#>  16 |                 del x
#>     |                     ~ ended here
#>  17 |             B[i] = x
#>     |                    ^
#> help: remove the `del`, or bind the name again after it
#>
#> error[name-unknown]: `y` is not defined
#>   --> name_deleted.py, line 18
#>  18 |         del i, y
#>     |                ^
#> help: name the block index after `as`: `with T.Kernel(...) as y:`
#> help: names bound here: A, B, factors; bind the name before this line, in the kernel or in the Python code around it
#>
#> error[delete-target]: a kernel cannot `del` an attribute
#>   --> name_deleted.py, line 20
#>  20 |         del T.float32
#>     |             ^^^^^^^^^
#> help: use `del` for names, and for items of lists and dicts that the kernel makes
#>
#> error[delete-target]: a kernel cannot `del` a name of the code around it
#>   --> name_deleted.py, line 21
#>  21 |         del scale
#>     |             ^^^^^
#> help: remove the `del`: it only applies to names that this function binds
