# SPDX-License-Identifier: Apache-2.0
"""Blocks that wait for each other: more than run at once, and on a target that runs them one after another."""
import numpy as np
import tilelang
import tilelang.language as T
from tilelab._compiler import settings


@T.prim_func
def main(A: T.Tensor((9,), "float32"), steps: T.int32):
    with T.Kernel(9, threads=32) as bx:
        T.annotate_min_blocks_per_sm(2)
        for i in T.serial(steps):
            A[bx] = i
            T.sync_grid()


said = []
settings.device = "sim:flat"  # the code that a GPU runs
for options in (dict(target="sm_90a", pass_configs={"tilelab.processors": 4}), dict(target="c")):
    try:
        tilelang.compile(main, **options)(np.zeros(9, np.float32), 2)
    except Exception as error:
        said.append(str(error).strip())
settings.device = "auto"
raise RuntimeError("\n".join(said))
#> RuntimeError: error[argument-refused]: kernel main: at T.sync_grid() at most 8 blocks can wait for each other
#>   --> grid_barrier_of_too_many_blocks.py, line 22
#>  11 |     with T.Kernel(9, threads=32) as bx:
#>     |          ~~~~~~~~~~~~~~~~~~~~~~~ checked here
#>  ...
#>  22 |         tilelang.compile(main, **options)(np.zeros(9, np.float32), 2)
#>     |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: pass arguments that match, or change the assumptions of the kernel
#> error[target-lacks]: `T.sync_grid() in a loop or a branch` is not available on cpu: its blocks do not all run at once
#>   --> grid_barrier_of_too_many_blocks.py, line 11
#>  11 |     with T.Kernel(9, threads=32) as bx:
#>     |          ^^^^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
