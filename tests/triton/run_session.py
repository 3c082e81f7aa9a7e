#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_session.py TILELAB: Triton's language in the shell: `import triton`, commands that take a launch, %load_ext, `tl.jit` of tilelang."""

import subprocess
import sys

CELLS = '''
import numpy as np

import triton, triton.language as tl

@triton.jit
def double(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)

x = np.ones(100, "float32")

kernel = double[(2,)](x, 100, BLOCK=64)

print("doubled", x.sum())

%check double[(2,)](x, 100, BLOCK=64)

%check double[(2,)](x, 101, BLOCK=64)

%explain double 8

%load_ext tilelab.triton

print("module", __import__("triton").__name__)

import tilelang as tl

@tl.jit
def triple(x_ptr, N):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(x_ptr + i, tl.load(x_ptr + i) * 3)

kernel = triple[(4,)](x, 25)

print("tripled", x.sum())
'''
WANTED = ("doubled 200.0", "clean:", "out-of-bounds: x_ptr[100]", "tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)",
          "module tilelab.triton", "tripled 600.0")


def main(program):
    done = subprocess.run([program, "-q", "--keep-going"], input=CELLS, capture_output=True, text=True)
    shown = done.stdout + done.stderr
    missing = [text for text in WANTED if text not in shown]
    if missing:
        print(shown)
    for text in missing:
        print(f"not shown: {text}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
