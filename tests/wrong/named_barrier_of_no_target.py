# SPDX-License-Identifier: Apache-2.0
"""Barriers by number on a GPU that has none, and numbers of the run where each has a register."""
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=256):
        s = T.alloc_shared((64, 64), "float32")
        for k in range(2):
            with T.ws(0):
                T.copy(A, s)
                T.named_barrier_arrive(1 + k, 256)
            with T.ws(1):
                T.sync_threads(1 + k, 256)
                T.copy(s, B)


said = []
for target in ("mp_22", "mp_31"):
    try:
        tilelang.compile(main, target=target).get_kernel_source()
    except Exception as error:
        said.append(str(error).strip())
raise RuntimeError("\n".join(said))
#> RuntimeError: error[target-lacks]: `named_arrive` is not available on mp_22: parts of a block cannot synchronize: it has no barriers
#>   --> named_barrier_of_no_target.py, line 14
#>  14 |                 T.named_barrier_arrive(1 + k, 256)
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
#>
#> error[target-lacks]: `named_sync` is not available on mp_22: parts of a block cannot synchronize: it has no barriers
#>   --> named_barrier_of_no_target.py, line 16
#>  16 |                 T.sync_threads(1 + k, 256)
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: choose a target that has it (%target), or another operation
#> error[target-lacks]: `this barrier` is not available on mp_31: its number is dynamic, but barriers are initialized before
#>   --> named_barrier_of_no_target.py, line 14
#>  14 |                 T.named_barrier_arrive(1 + k, 256)
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: number barriers with constants, and use whole warps
#>
#> error[target-lacks]: `this barrier` is not available on mp_31: its number is dynamic, but barriers are initialized before
#>   --> named_barrier_of_no_target.py, line 16
#>  16 |                 T.sync_threads(1 + k, 256)
#>     |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^
#> help: number barriers with constants, and use whole warps
