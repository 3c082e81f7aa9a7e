# SPDX-License-Identifier: Apache-2.0
"""python_semantics.py LIBRARY [COUNT [SEED]]: random Python programs as kernels. With TILELAB_LONG 50,000, on all cores.

Each program (random_python.py) runs as plain Python and as a kernel on several inputs: equal, or refused with a named diagnostic.
Every 25th one also runs at every level, after every pass, and as emitted C.
"""
import collections
import os
import re
import sys
import time
import traceback
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np  # noqa: E402
import run  # noqa: E402  (names tilelab as tilelang)
import case  # noqa: E402
from fuzz import emitted, factory_of, shared_out  # noqa: E402
from random_python import Program  # noqa: E402
import tilelab  # noqa: E402
from tilelab._compiler.errors import CompileError  # noqa: E402

INPUTS, LEVELS_EVERY = 3, 25


class PlainT:
    """The names of T that a program uses, as plain Python."""
    serial = unroll = range

    @staticmethod
    def alloc_var(dtype, init):
        return init


def expected(program, a):
    """B after the program in plain Python, or None: it reads a name that it has not bound."""
    space, b = {"T": PlainT}, [0] * 16
    exec(program.python(), space)
    try:
        space["main"]([int(x) for x in a], b)
    except (UnboundLocalError, NameError):
        return None
    return np.array([(x + 2**31) % 2**32 - 2**31 for x in b], np.int32)


def inputs_of(seed):
    rng = np.random.default_rng(seed)
    return [rng.integers(-3, 8, 8).astype(np.int32) for _ in range(INPUTS)]


def at_every_level(library, factory, seed, a, wanted):
    one = case.Case(f"program_{seed}", factory, [{}], lambda rng: [a.copy()], lambda inputs: [wanted], [1], lambda: 0)
    target = run.TARGETS[seed // LEVELS_EVERY % len(run.TARGETS)]
    return run.check_one(library, one, 0, target, seed) or emitted(library, target)


def check(library, seed):
    """"" when all agree, "refused: NAME", or what is wrong."""
    program = Program(seed)
    inputs = [(a, wanted) for a in inputs_of(seed) if (wanted := expected(program, a)) is not None]
    if not inputs:
        return "refused: unbound"
    try:
        factory = factory_of(program.kernel(), f"<program {seed}>")
        kernel = tilelab.compile(factory(), target="sm_80")
        for a, wanted in inputs:
            got = np.zeros(16, np.int32)
            kernel(a.copy(), got)
            if not np.array_equal(got, wanted):
                return f"B is {got}, in Python {wanted}; A was {a}"
        return at_every_level(library, factory, seed, *inputs[0]) if seed % LEVELS_EVERY == 0 else ""
    except CompileError as error:
        found = re.search(r"error\[([\w-]+)\]", str(error))
        return f"refused: {found.group(1)}\n{error}" if found else f"{type(error).__name__}: {error}"
    except Exception:
        return traceback.format_exc()


def main(path, count=None, seed=None):
    first = time.time_ns() % 10**6 if seed is None else seed
    if count is None and os.environ.get("TILELAB_LONG"):
        return shared_out(__file__, path, 50000, first)
    warnings.simplefilter("ignore")
    count, start = count or 500, time.time()
    library = run.load(path)
    print(f"seed {first}", flush=True)
    refused, failed = collections.Counter(), 0
    for number in range(first, first + count):
        said = check(library, number)
        if said.startswith("refused"):
            refused[said.split("\n")[0][9:]] += 1
            if os.environ.get("TILELAB_SHOW_REFUSED"):
                print(f"seed {number}\n{said}\n{Program(number).kernel()}")
        elif said:
            failed += 1
            print(f"FAILED seed {number}\n{said.rstrip()}\n{Program(number).kernel()}", flush=True)
    print(f"{count} programs, {sum(refused.values())} refused {dict(refused)}, {failed} failed; {time.time() - start:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:4])))
