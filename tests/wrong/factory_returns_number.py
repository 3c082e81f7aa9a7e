# SPDX-License-Identifier: Apache-2.0
"""A factory that returns no kernel."""
import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit
def factory(n):
    return n


factory(64)
#> UsageError: error[factory-result]: factory returned int
#>   --> factory_returns_number.py, line 13
#>   9 | def factory(n):
#>     | ~~~~~~~~~~~~~~~ it ends without returning the kernel
#>  ...
#>  13 | factory(64)
#>     | ^^^^^^^^^^^
#> help: return the function decorated with @T.prim_func
