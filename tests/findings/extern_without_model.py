# SPDX-License-Identifier: Apache-2.0
# The simulator reaches a function of CUDA source that has no model.
ir(1, level="thread", target="sm_90a")
def f(out: tensor(i32, [256])):
    source("__device__ void fill(int* p, int n);")
    with kernel("k", grid=[1, 1, 1], block=64, smem=1024) as (bx, by, bz):
        if native(tid):
            foreign(out[0:64], 64, name="fill", access="wv")
        else:
            opaque("`fill`", False)
#> extern-without-model: in block (0, 0), `fill`
#>   extern_without_model.py, line 10    opaque("`fill`", False)    thread 0 (warp 0, lane 0) calls it
#> help: give it a model, a function that does the same in the language: @T.extern_model("name") above def name(...)
