# SPDX-License-Identifier: Apache-2.0
"""A method that is not Python, one that changes its object, and a partial application with too many arguments."""
import functools
import tilelang
import tilelang.language as T


class Counter:
    seen = 0

    def count(self, x):
        self.seen = self.seen + x
        return self.seen


counter = Counter()
double = functools.partial(lambda x: x * 2)


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = [1.0].index(A[i]) + "n".zfill(i)
            B[i] = counter.count(A[i])
            B[i] = double(A[i], 2)


tilelang.compile(main)
#> CompileError: error[store-target]: cannot store to an attribute of a Python object
#>   --> method_in_c.py, line 12
#>  12 |         self.seen = self.seen + x
#>     |         ^^^^^^^^^
#>  ...
#>  25 |             B[i] = counter.count(A[i])
#>     |                    ~~~~~~~~~~~~~~~~~~~ called from here
#> help: mark its class with T.meta_class, and make the object in the kernel
#>
#> error[attribute-unknown]: a list of 1 item has no attribute `index`
#>   --> method_in_c.py, line 24
#>  24 |             B[i] = [1.0].index(A[i]) + "n".zfill(i)
#>     |                    ^^^^^^^^^^^^^^^^^
#> help: lists of a kernel have append, extend, insert, pop, index and similar methods
#>
#> error[host-call-runtime]: `zfill` cannot take dynamic values
#>   --> method_in_c.py, line 24
#>  24 |             B[i] = [1.0].index(A[i]) + "n".zfill(i)
#>     |                                        ^^^^^^^^^^~^
#>     |                                                  only known at run time
#> help: compute it in the kernel, with functions of T or a T.macro
#>
#> error[call-extra]: `<lambda>` takes 1 argument, but 2 were given
#>   --> method_in_c.py, line 26
#>  26 |             B[i] = double(A[i], 2)
#>     |                    ^^^^^^^^^^^^^^^
#> help: its parameters are: x
