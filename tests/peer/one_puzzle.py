# SPDX-License-Identifier: Apache-2.0
"""Runs one file of the public puzzles verbatim, with their bench cut to one repeat; times every kernel call.

usage: tilelab one_puzzle.py CHECKOUT FILE
"""
import os
import pathlib
import runpy
import sys
import time
import types

checkout, file = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
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

slowest = [0.0, ""]
run = tilelang.jit.JITKernel.__call__


def timed(self, *args, **kwargs):
    start = time.perf_counter()
    out = run(self, *args, **kwargs)
    took = time.perf_counter() - start
    if took > slowest[0]:
        slowest[:] = [took, str(self)]
    return out


tilelang.jit.JITKernel.__call__ = timed
start = time.perf_counter()
runpy.run_path(str(checkout / file), run_name="__main__")
print(f"@@ {file}: slowest kernel call {slowest[0]:.3f} s; all {time.perf_counter() - start:.1f} s")
