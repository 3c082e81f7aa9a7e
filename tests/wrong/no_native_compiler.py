# SPDX-License-Identifier: Apache-2.0
"""A kernel for the CPU where no compiler is."""
import os

import numpy as np
import tilelang
import tilelang.language as T
from tilelab._compiler import settings


@T.prim_func
def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1) as bx:
        T.copy(A, B)


os.environ["TILELAB_CXX"] = "a_compiler_that_nobody_has"
settings.device = "cpu"
try:
    tilelang.compile(main, target="c")(np.ones(64, "float32"), np.zeros(64, "float32"))
finally:
    del os.environ["TILELAB_CXX"]
    settings.device = "auto"
#> UsageError: error[native-compiler]: kernel main cannot be compiled for this machine: no C++ compiler found
#>   --> no_native_compiler.py, line 20
#>  20 |     tilelang.compile(main, target="c")(np.ones(64, "float32"), np.zeros(64, "float32"))
#>     |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: install g++ 12, clang++ 15 or newer, or set TILELAB_CXX; %device sim needs no compiler
