# SPDX-License-Identifier: Apache-2.0
"""passes_of.py REPEATS: all passes of the GEMM and the attention that tests/gpu times. Prints {name: ms of each run}."""
import importlib.util
import json
import os
import pathlib
import sys
import time

os.environ["TILELANG_DEFAULT_TARGET"] = "sm_90a"
import tilelab  # noqa: E402

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "tests" / "gpu" / "sources"
KERNELS = {
    "GEMM": ("gemm", "matmul", dict(M=4096, N=4096, K=4096, BM=128, BN=256, BK=64, stages=4, threads=256, tb=1)),
    "attention": ("attention", "attention", dict(B=8, S=2048, H=32, D=128, BM=128, BN=128, stages=2, threads=256)),
    "causal attention": ("attention", "attention", dict(B=8, S=2048, H=32, D=128, BM=128, BN=128, stages=2, threads=256, causal=1)),
}


def function(file, name, constants):
    spec = importlib.util.spec_from_file_location(file, SOURCES / f"{file}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name).get_tir(**constants).func


def once(func):
    begun = time.perf_counter()
    result = func.passes()
    took = (time.perf_counter() - begun) * 1e3
    assert result["ok"], result["diagnostics"]
    assert 'target="sm_90a"' in result["snapshots"][-1]["func"].text() and "wgmma" in result["snapshots"][-1]["func"].text()
    return took


def main():
    sys.modules["tilelang"] = tilelab
    sys.modules["tilelang.language"] = tilelab.language
    functions = {name: function(*row) for name, row in KERNELS.items()}
    print(json.dumps({name: [once(func) for _ in range(int(sys.argv[1]))] for name, func in functions.items()}))


if __name__ == "__main__":
    main()
