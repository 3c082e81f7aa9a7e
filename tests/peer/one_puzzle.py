# SPDX-License-Identifier: Apache-2.0
"""Runs one file of the public puzzles verbatim, with their bench cut to one repeat; times every kernel call.

usage: tilelab one_puzzle.py CHECKOUT FILE [--strict]

--strict: 06 and 07 with tolerances that zeros do not satisfy (06: every row sums to 1 as well), and the errors in figures.
"""
import os
import pathlib
import runpy
import sys
import time
import types

checkout, file = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
strict = {"06": (1e-7, 1e-3), "07": (1e-6, 1e-3)}.get(pathlib.Path(file).name[:2]) if "--strict" in sys.argv[3:] else None
os.chdir(checkout)
sys.path.insert(0, str(checkout))  # the files import `common`

import tilelang.jit  # noqa: E402

utils_path = checkout / "common" / "utils.py"
source = utils_path.read_text().replace("warmups = 10", "warmups = 0").replace("repeats = 100", "repeats = 1")
utils = types.ModuleType("common.utils")
utils.__file__ = str(utils_path)
import common  # noqa: E402

sys.modules["common.utils"] = common.utils = utils
exec(compile(source, str(utils_path), "exec"), utils.__dict__)

slowest, last = [0.0, 0.0], {}  # seconds: wall, CPU
run = tilelang.jit.JITKernel.__call__


def timed(self, *args, **kwargs):
    start, cpu = time.perf_counter(), time.process_time()
    out = last["ours"] = run(self, *args, **kwargs)
    took = time.perf_counter() - start
    slowest[:] = max(slowest[0], took), max(slowest[1], time.process_time() - cpu)
    return out


def tested_strictly(puzzle, reference, *args, **kwargs):
    """Their test with our tolerances, and details that their check mark hides."""
    def remembered(*inputs):
        last["theirs"] = reference(*inputs)
        return last["theirs"]

    test(puzzle, remembered, *args, **{**kwargs, "atol": strict[0], "rtol": strict[1]})
    ours, theirs = last["ours"].double(), last["theirs"].double()
    error = (ours - theirs).abs()
    sums = (ours.sum(dim=1) - 1).abs().max().item()
    print(f"@@ strict: atol {strict[0]:g}, rtol {strict[1]:g}; largest error {error.max().item():.3g} of values up to "
          f"{theirs.abs().max().item():.3g}, relative {(error / theirs.abs())[theirs != 0].max().item():.3g}"
          + (f"; rows sum to 1 within {sums:.3g}" if file.split("/")[-1][:2] == "06" else ""))
    if file.split("/")[-1][:2] == "06" and not sums <= 1e-4:
        print("\N{CROSS MARK} rows do not sum to 1")


if strict:
    test, utils.test_puzzle = utils.test_puzzle, tested_strictly
tilelang.jit.JITKernel.__call__ = timed
start = time.perf_counter()
runpy.run_path(str(checkout / file), run_name="__main__")
print(f"@@ {file}: slowest kernel call {slowest[0]:.3f} s, CPU {slowest[1]:.3f} s; all {time.perf_counter() - start:.1f} s")
