# SPDX-License-Identifier: Apache-2.0
"""The test bench of the puzzles: runs a kernel on random inputs and compares it with NumPy in float64.

A puzzle file holds `PARTS`, a list of `Puzzle`, and calls `main(PARTS)`:

    tilelab tests/puzzles/p05_row_sums.py              # small sizes
    tilelab tests/puzzles/p05_row_sums.py --long       # the size of the public puzzles as well
    tilelab tests/puzzles/p05_row_sums.py --seed 7     # the inputs of an earlier run
"""
import argparse
import dataclasses
import os
import random
import sys
import time
from typing import Callable

import numpy as np

RIGHT, WRONG = "\N{WHITE HEAVY CHECK MARK}", "\N{CROSS MARK}"
EPS = {np.dtype(np.float16): 2.0**-10, np.dtype(np.float32): 2.0**-23}


@dataclasses.dataclass
class Puzzle:
    kernel: object        # what @tilelang.jit made
    inputs: Callable      # (rng, **sizes) -> list of arrays
    reference: Callable   # (*inputs) -> expected, or (expected, error that the accumulator may add)
    sizes: list           # of dicts of the kernel's constants; one has tails, one is tiny
    official: dict        # the constants of the public puzzle

    @property
    def name(self):
        return self.kernel.__name__


def half(rng, *shape):
    return rng.standard_normal(shape, dtype=np.float32).astype(np.float16)


def single(rng, *shape):
    return rng.standard_normal(shape, dtype=np.float32)


def product(a, b):
    """A @ B in float64, and what a chain of `K` f32 additions may be off: 4 K eps (|A| |B|)."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    return a @ b, 4 * a.shape[-1] * 2.0**-23 * (np.abs(a) @ np.abs(b))


def differences(got, expected, accumulated=0.0):
    """Mask of the elements that are off by more than 2 eps |expected| + accumulated; NaN is always wrong."""
    eps = EPS[got.dtype]
    allowed = 2 * eps * np.abs(expected) + accumulated + np.finfo(got.dtype).smallest_subnormal
    return ~(np.abs(got.astype(np.float64) - expected) <= allowed)


def judge(part, values, got):
    """One line that says what is wrong, or None. The inputs must be those that the kernel was given."""
    wide = [v.astype(np.float64) if v.dtype.kind == "f" else v for v in values]
    wanted = part.reference(*wide)
    expected, accumulated = wanted if isinstance(wanted, tuple) else (wanted, 0.0)
    if got.shape != expected.shape:
        return f"the result has shape {got.shape}, expected {expected.shape}"
    bad = differences(got, expected, accumulated)
    if not bad.any():
        return None
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    return (f"{np.count_nonzero(bad)} of {bad.size} elements are wrong, the first at {list(where)}: "
            f"{got[where]!s}, expected {expected[where]:.8g}")


def run(part, sizes, seed):
    """Runs a part once. Returns (what is wrong or None, seconds of the call)."""
    values = part.inputs(np.random.default_rng(seed), **sizes)
    copies = [v.copy() for v in values]
    compiled = part.kernel.compile(**sizes)
    start = time.perf_counter()
    got = compiled(*copies)
    took = time.perf_counter() - start
    for number, (before, after) in enumerate(zip(values, copies)):
        if before.tobytes() != after.tobytes():
            return f"input {number} was changed", took
    return judge(part, values, got), took


def main(parts):
    """Runs every part in every size; exit status 1 if one is wrong."""
    options = argparse.ArgumentParser(description="Checks one puzzle.")
    options.add_argument("--long", action="store_true", help="the size of the public puzzles as well")
    options.add_argument("--seed", type=int, default=int(os.environ.get("TILELAB_SEED") or random.randrange(1 << 31)))
    given = options.parse_args()
    failed = 0
    for part in parts:
        for sizes in part.sizes + ([part.official] if given.long else []):
            problem, took = run(part, sizes, given.seed)
            failed += problem is not None
            text = ", ".join(f"{k}={v}" for k, v in sizes.items())
            print(f"{WRONG if problem else RIGHT} {part.name}({text}): "
                  + (f"{problem} (--seed {given.seed})" if problem else f"{took:.3f} s"))
    sys.exit(1 if failed else 0)
