# SPDX-License-Identifier: Apache-2.0
"""Source of a GEMM to MUSA C: passes.py REPEATS. Prints {"all": ms of each run, "elaborate": ..., "passes": ...,
"render": ..., "dropped": ms of the passes when no snapshot is kept}, and how long an interrupt of a compilation takes."""

import ast
import json
import sys
import time

import tilelab as tilelang
import tilelab.language as T
from tilelab import _core

SOURCE = """
def gemm(A: T.Tensor((4096, 4096), "float16"), B: T.Tensor((4096, 4096), "float16"),
         C: T.Tensor((4096, 4096), "float16")):
    with T.Kernel(4096 // 128, 4096 // 128, threads=256) as (bx, by):
        A_tile = T.alloc_shared((128, 32), "float16")
        B_tile = T.alloc_shared((32, 128), "float16")
        sums = T.alloc_fragment((128, 128), "float32")
        T.clear(sums)
        for k in T.Pipelined(4096 // 32, num_stages=3):
            T.copy(A[by * 128, k * 32], A_tile)
            T.copy(B[k * 32, bx * 128], B_tile)
            T.gemm(A_tile, B_tile, sums)
        T.copy(sums, C[by * 128, bx * 128])
"""


def milliseconds(begun):
    return (time.perf_counter() - begun) * 1e3


def once(number, out):
    """Everything that a user waits for after `def`: parsing, elaboration, all passes, the text of the C."""
    names = {"T": T}
    name = f"<bench {number}>"  # a new source each time: nothing can come from a cache
    import linecache

    linecache.cache[name] = (len(SOURCE), None, SOURCE.splitlines(True), name)
    begun = time.perf_counter()
    exec(compile(ast.parse(SOURCE), name, "exec"), names)
    func = T.prim_func(names["gemm"]).func
    elaborated = time.perf_counter()
    result = func.passes()
    passed = time.perf_counter()
    assert result["ok"], result["diagnostics"]
    text, problems = _core.render(result["snapshots"][-1]["func"], "mp_31", True)
    done = time.perf_counter()
    assert "__global__" in text and not problems
    out["all"].append((done - begun) * 1e3)
    out["elaborate"].append((elaborated - begun) * 1e3)
    out["passes"].append((passed - elaborated) * 1e3)
    out["render"].append((done - passed) * 1e3)
    for kind, keep in (("kept", True), ("dropped", False), ("kept", True), ("dropped", False)):
        begun = time.perf_counter()
        func.passes(keep=keep)
        out[kind].append(milliseconds(begun))


def main():
    out = {key: [] for key in ("all", "elaborate", "passes", "render", "kept", "dropped")}
    for number in range(int(sys.argv[1])):
        once(number, out)
    out["c_lines"] = tilelang.compile(T.prim_func(names_of_last()), target="mp_31").get_kernel_source().count("\n")
    print(json.dumps(out))


def names_of_last():
    names = {"T": T}
    exec(compile(ast.parse(SOURCE), "<bench 0>", "exec"), names)
    return names["gemm"]


if __name__ == "__main__":
    main()
