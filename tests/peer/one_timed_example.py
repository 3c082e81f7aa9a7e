# SPDX-License-Identifier: Apache-2.0
"""One of TileLang's examples at a chosen size, in a separate process: `PYTHON one_timed_example.py FILE CALL`.

PYTHON is `tilelab`, or a Python that has TileLang's package. CALL is an expression in the example's own names. The
example checks itself; then each kernel that it called is timed with the last arguments it was given: the line that
begins with `timed:` is a JSON object {kernel: [calls, first call in ms, median of a run in ms]}."""

import json
import pathlib
import runpy
import sys
import time
from collections import Counter

import torch

RUNS = 31
called, calls, first = {}, Counter(), {}


def once(function=None, *args, **kwargs):
    """In place of do_bench: one run, which takes a millisecond."""
    if callable(function):
        function()
    return [1.0] * len(kwargs["quantiles"]) if kwargs.get("quantiles") else 1.0


def remember(kernel_class):
    run = kernel_class.__call__

    def remembered(self, *args, **kwargs):
        key, begin = id(self), time.perf_counter()
        out = run(self, *args, **kwargs)
        if key not in called:
            torch.cuda.synchronize()
            first[key] = (time.perf_counter() - begin) * 1e3
        called[key], calls[key] = (self, lambda: run(self, *args, **kwargs)), calls[key] + 1
        return out

    kernel_class.__call__ = remembered


def median(function):
    """Milliseconds of a run with cold caches; launches are asynchronous."""
    flush, events = torch.empty(256 << 20, dtype=torch.uint8, device="cuda"), []
    for _ in range(RUNS):
        flush.zero_()
        torch.cuda._sleep(1_000_000)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        function()
        end.record()
        events.append((begin, end))
    torch.cuda.synchronize()
    return sorted(b.elapsed_time(e) for b, e in events)[RUNS // 2]


def name_of(kernel, taken):
    function = getattr(kernel, "prim_func", None)
    given = getattr(function, "attrs", None) or {}
    name = getattr(kernel, "name", None) or str(given.get("global_symbol", "kernel")) if hasattr(given, "get") else "kernel"
    return name if name not in taken else f"{name} {len(taken)}"


def main():
    path, call = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    import tilelang
    import tilelang.profiler

    tilelang.profiler.do_bench = once
    tilelang.profiler.Profiler.do_bench = lambda self, func=None, **kwargs: 1.0
    remember(tilelang.JITKernel if hasattr(tilelang, "JITKernel") else tilelang.jit.JITKernel)
    sys.argv = [str(path)]
    sys.path.insert(0, str(path.parent))
    torch.manual_seed(0)
    begin = time.perf_counter()
    names = runpy.run_path(str(path), run_name="example")
    eval(call, names)
    print(f"example: agreed after {time.perf_counter() - begin:.1f} s")
    table = {}
    for key, (kernel, function) in called.items():
        table[name_of(kernel, table)] = [calls[key], first[key], median(function)]
    print("timed: " + json.dumps(table))


if __name__ == "__main__":
    main()
