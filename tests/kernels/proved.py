# SPDX-License-Identifier: Apache-2.0
"""proved.py [COUNT [SEED]]: a check of sampled blocks reports the same as a check of all blocks.

Random kernels (random_kernel.py) on larger grids, most of them made wrong: a token of their text is another,
a line is gone, or thread level lacks a barrier. Kinds, memory and lines of what is found have to agree, and
unwritten and non-finite elements. A seed alone repeats one kernel: COUNT 1.
"""
import collections
import contextlib
import io
import os
import re
import sys
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import run  # noqa: E402,F401  (names tilelab as tilelang)
import fuzz  # noqa: E402
import tilelab  # noqa: E402
from random_floats import FloatKernel  # noqa: E402
from random_kernel import ExactKernel  # noqa: E402
from tilelab import _core  # noqa: E402
from tilelab._kernel import arguments  # noqa: E402
from tilelab._tools import check
from tilelab._kernel import registry  # noqa: E402

# Exceptions of making a kernel from a text with a wrong token.
REFUSED = (SyntaxError, NameError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError)


def larger(seed, rng):
    """A random kernel on a grid whose middle is worth a proof; half of them of floats, which are simpler."""
    kernel = FloatKernel(seed) if seed // 4 % 2 else ExactKernel(seed)
    wide, narrow = int(rng.integers(4, 9)), int(rng.integers(1, 4))
    rows, columns = (wide, narrow) if rng.random() < 0.5 else (narrow, wide)
    tail = lambda block: int(rng.integers(0, block)) if rng.random() < 0.5 else 0  # noqa: E731
    kernel.M = max(1, rows * kernel.BM - tail(kernel.BM))
    kernel.N = max(1, columns * kernel.BN - tail(kernel.BN))
    return kernel


SWAPS = (("bx", "by"), ("by", "bx"), ("i", "j"), ("j", "i"), ("<", "<="), ("<=", "<"), (">", ">="), ("+", "-"))


def mutated(source, rng):
    """The text with one token of a kernel's body changed, or one line left out."""
    lines = source.split("\n")
    body = [n for n, line in enumerate(lines) if line.startswith("        ")]
    if rng.random() < 0.15:
        del lines[body[rng.integers(len(body))]]
        return "\n".join(lines)
    tokens = [(n, m) for n in body for m in re.finditer(r"\b\d+\b|\b(?:bx|by|i|j)\b|<=?|>|\+", lines[n])
              if "alloc_" not in lines[n]]
    number, token = tokens[rng.integers(len(tokens))]
    old = token.group()
    if old.isdigit():
        new = str(max(0, int(old) + int(rng.choice([-1, 1, 8]))))
    else:
        new = [b for a, b in SWAPS if a == old][0]
        if old in ("i", "j") and rng.random() < 0.5:
            new = f"({old} + 1)"
    line = lines[number]
    lines[number] = line[:token.start()] + new + line[token.end():]
    return "\n".join(lines)


def without_a_barrier(func, rng):
    """The function of thread level that lacks one of its barriers, or None."""
    lines = func.text(spans=True).split("\n")
    syncs = [n for n, line in enumerate(lines) if line.strip().startswith("block_sync(")]
    if not syncs:
        return None
    line = lines[syncs[rng.integers(len(syncs))]]
    lines.remove(line)
    made = _core.read_ir("mutant", "\n".join(lines))
    return made[0] if made else None


def verdict(runs):
    """A check's output, without blocks, elements and counts. Whether zeros of padding are the extreme of a reduction depends on the values
    of a block, on which no proof is."""
    found = set()
    for finding in check.found(runs):
        if finding["kind"] == "padding-in-reduction" and finding["detail"] in ("minimum", "maximum"):
            continue
        lines = frozenset(side["span"]["line"] for side in finding["where"])
        found.add((finding["kind"], finding["buffer"], lines))
    for level, result in runs:
        found |= {("unwritten", one["buffer"]) for one in result["unwritten"]}
        if level == "tile":  # whose values are checked in all blocks
            found |= {("not finite", one["buffer"]) for one in result["not_finite"]}
    return found


class Levels:
    """A kernel whose thread level is another function, for check.run_levels."""

    def __init__(self, kernel, thread):
        self.name, self._func, self._kernel, self._thread = kernel.name, kernel._func, kernel, thread
        self._entry, self._identity = registry.known(kernel), kernel._identity

    def _at_level(self, level, **how):
        return self._thread if level == "thread" else self._kernel._at_level(level, **how)


def case_of(seed):
    """(kind, kernel, its levels, described arguments); None if the mutant is not a kernel."""
    rng = np.random.default_rng(seed)
    kernel = larger(seed, rng)
    source, how, levels = kernel.source(), ("right", "text", "text", "barrier")[seed % 4], None
    if how == "text":
        source = mutated(source, rng)
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # warnings
            made = tilelab.compile(fuzz.factory_of(source, f"<kernel {seed}>")(), target=("mp_31", "mp_22", "sm_90a")[seed % 3])
            thread = made._at_level("thread")
    except REFUSED:
        return None
    values = kernel.inputs(rng)
    values += [np.zeros((kernel.M, kernel.N), made._func.params[len(values)]["dtype"])]
    values += [np.zeros(8, np.int32)] if getattr(kernel, "tallied", None) else []
    values += [np.zeros((kernel.M, kernel.N), np.int32)] if getattr(kernel, "second", None) else []
    try:
        described = arguments.describe(made, values)
    except REFUSED:
        return None
    lacking = without_a_barrier(thread, rng) if how == "barrier" else None
    if lacking:
        made, levels = Levels(made, lacking), ("tile", "thread")
    return how, made, levels, (*described, values)  # whose memory lives as long


def both(seed):
    """(kind of the case, what was proved, what the sample says, what all blocks say), or None."""
    case = case_of(seed)
    if not case:
        return None
    how, made, levels, described = case
    some = check.run_levels(made, described[0], levels, seconds=1e9)
    every = check.run_levels(made, described[0], levels, seconds=0) if some.proof.proved else some
    return how, some.proof, verdict(some), verdict(every)


def main(count=None, first=None):
    count = count or (2000 if os.environ.get("TILELAB_LONG") else 40)
    first = time.time_ns() % 10**6 if first is None else first
    print(f"seed {first}", flush=True)
    cases, reasons, failed, start = collections.Counter(), collections.Counter(), 0, time.time()
    for seed in range(first, first + count):
        case = both(seed)
        if not case:
            cases["refused"] += 1
            continue
        how, proof, some, every = case
        cases[how] += 1
        cases["proved"] += proof.proved
        cases["with findings"] += bool(every)
        cases["proved, with findings"] += proof.proved and bool(every)
        for why, _ in proof.unproved:
            reasons[re.sub(r"\b[A-Z]\b|\b[a-z]+\d+\b|\bb[xy]\b", "_", why)] += 1
        if proof.proved and some != every:
            failed += 1
            print(f"FAILED seed {seed} ({how}): sample {proof.sample} of {proof.blocks}\n  only the sample: {some - every}"
                  f"\n  only all: {every - some}", flush=True)
    print(f"{count} kernels {dict(cases)}, {failed} failed; {time.time() - start:.1f} s")
    for why, times in reasons.most_common(12):
        print(f"  {times} not proved: {why}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
