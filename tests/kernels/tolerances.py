# SPDX-License-Identifier: Apache-2.0
"""tolerances.py LIBRARY: each tolerance of the corpus passes what is right and fails what is twice as bad.

For every kernel: the exact result rounded passes; an element that is off by twice its tolerance fails,
and so does an output of zeros. The same for the rule between two snapshots. Then kernels that are
wrong in the ways that these tolerances are there to find. Last, what a run of the corpus leaves to runs with other seeds.
"""
import ctypes
import os
import sys
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import run  # noqa: E402
import case  # noqa: E402

import tilelang  # noqa: E402
import tilelang.language as T  # noqa: E402

FAILED = []


def expect(condition, what):
    if not condition:
        FAILED.append(what)
        print(f"FAILED {what}", flush=True)


def moved(values, step):
    """The values with each moved away from zero by `step`, rounded outward to their dtype."""
    wide = values.astype(np.float64)
    out = (wide + np.where(wide < 0, -step, step)).astype(values.dtype)
    short = np.abs(out.astype(np.float64) - wide) < step
    out[short] = np.nextafter(out, np.where(wide < 0, -np.inf, np.inf).astype(values.dtype))[short]
    return out


def one_bad(good, bad):
    """`good` with the element of the largest magnitude taken from `bad`."""
    out = good.copy()
    at = np.unravel_index(np.argmax(np.abs(np.nan_to_num(good.astype(np.float64)))), good.shape)
    out[at] = bad[at]
    return out


def check_reference(one, size, dtypes, expected):
    """The tolerance against NumPy."""
    good = [e.astype(d) for e, d in zip(expected, dtypes)]
    expect(case.check(one, size, good, expected) is None, f"{one.name}: the exact result is refused")
    for i, (g, e) in enumerate(zip(good, expected)):
        if g.dtype.kind != "f":
            bad = g + 1
        else:
            bad = moved(g, 2 * case.tolerance(g.dtype, e, one.terms(**size), one.magnitude))
        twice = good[:i] + [one_bad(g, bad)] + good[i + 1:]
        expect(case.check(one, size, twice, expected) is not None, f"{one.name}: twice as bad passes")
        zeros = good[:i] + [np.zeros_like(g)] + good[i + 1:]
        expect(not e.any() or case.check(one, size, zeros, expected) is not None, f"{one.name}: zeros pass")


def check_snapshots(library, one, size, dtypes, expected):
    """The rule between two snapshots where a pass reassociates."""
    for e, dtype in zip(expected, dtypes):
        slack, ulps = case.slack(dtype, e, one.terms(**size), one.magnitude)
        good = np.ascontiguousarray(e.astype(dtype)).reshape(e.shape)
        options = run.Options(b"mp_31", b"x", slack, ulps, 0)
        described = run.argument(good, dtype.name)

        def said(other):
            return library.tl_check_difference(ctypes.byref(options), ctypes.byref(described),
                                               np.ascontiguousarray(other).ctypes.data_as(ctypes.c_void_p))
        if good.dtype.kind == "f":
            allowed = slack + ulps * case.EPS[good.dtype] * np.abs(good.astype(np.float64))
            bad = moved(good, 2 * allowed)
        else:
            bad = good + 1
        expect(said(good) == b"", f"{one.name}: a snapshot differs from itself")
        expect(said(one_bad(good, bad)) != b"", f"{one.name}: snapshots twice as far apart pass")


def check_case(library, one):
    size = one.sizes[0]
    rng = np.random.default_rng([run_seed(), *one.name.encode()])
    func = one.factory(**size).func
    arguments, outputs, expected = run.arrays_of(one, size, func, rng)
    dtypes = [arguments[i].dtype for i in outputs]
    check_reference(one, size, dtypes, expected)
    check_snapshots(library, one, size, dtypes, expected)


def run_seed():
    return int(os.environ.get("TILELAB_SEED") or 1)


def scaled_exp2(error):
    @T.prim_func
    def main(A: T.Tensor((1000,), "float32"), B: T.Tensor((1000,), "float32")):
        with T.Kernel(8, threads=128) as bx:
            for i in T.Parallel(125):
                B[bx * 125 + i] = T.exp2(A[bx * 125 + i] * 3.0) * (1.0 + error)
    return main


def row_sum(accumulator, columns):
    @T.prim_func
    def main(A: T.Tensor((8, 512), "float32"), B: T.Tensor((8,), "float32")):
        with T.Kernel(8, threads=64) as bx:
            x = T.alloc_fragment((1, columns), accumulator)
            r = T.alloc_fragment((1,), accumulator)
            T.copy(A[bx:bx + 1, 0:columns], x)
            T.reduce_sum(x, r, dim=1)
            T.copy(r, B[bx:bx + 1])
    return main


def product(accumulator, steps):
    @T.prim_func
    def main(A: T.Tensor((64, 512), "float16"), B: T.Tensor((512, 64), "float16"),
             C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), accumulator)
            T.clear(c)
            for k in T.serial(steps):
                T.copy(A[0:64, k * 32:k * 32 + 32], a)
                T.copy(B[k * 32:k * 32 + 32, 0:64], b)
                T.gemm(a, b, c)
            T.copy(c, C)
    return main


def passes(func, inputs, output, expected, terms):
    got = np.full(output, np.nan, np.float32)
    tilelang.compile(func)(*inputs, got)
    like = case.Case("", None, [], None, None, [-1], lambda: terms)
    return case.check(like, {}, [got], [expected]) is None


def check_wrong_kernels():
    rng = np.random.default_rng(run_seed())
    x = case.floats(rng, 1000)
    exact = np.exp2(x.astype(np.float64) * np.float32(3))
    ulp = 2.0**-23
    expect(passes(scaled_exp2(0.0), [x], 1000, exact, 0), "exp2 as it is")
    expect(not passes(scaled_exp2(3 * ulp), [x], 1000, exact, 0), "exp2 with 3 ulp more passes")
    a = rng.uniform(0, 1, (8, 512)).astype(np.float32)
    sums = a.astype(np.float64).sum(1)
    expect(passes(row_sum("float32", 512), [a], 8, sums, 512), "a row sum as it is")
    expect(not passes(row_sum("float16", 512), [a], 8, sums, 512), "a row sum in half precision passes")
    expect(not passes(row_sum("float32", 511), [a], 8, sums, 512), "a row sum without one column passes")
    p, q = (case.floats(rng, *shape, dtype=np.float16) for shape in ((64, 512), (512, 64)))
    exact = p.astype(np.float64) @ q.astype(np.float64)
    expect(passes(product("float32", 16), [p, q], (64, 64), exact, 512), "a product as it is")
    expect(not passes(product("float16", 16), [p, q], (64, 64), exact, 512), "a product in half precision passes")
    expect(not passes(product("float32", 15), [p, q], (64, 64), exact, 512), "a product without its end passes")


def check_plan():
    """Each run takes every size, and the one with tails for every target; four consecutive seeds take everything, with both
    arrangements of shared memory."""
    plans = {seed: {(one.name, number, target, plain) for one, number, target, plain in run.plan([], seed)} for seed in range(4)}
    everything = {(one.name, number, target, plain) for one, number, target, plain in run.plan([""], 0)}
    sizes, tails = ({entry[:2] for entry in everything}, {entry for entry in everything if entry[1] == run.TAILS})
    for seed, plan in plans.items():
        expect({entry[:2] for entry in plan} == sizes and tails <= plan, f"sizes with seed {seed}")
        expect(plan | plans[(seed + 2) % 4] == everything, f"all targets with seeds {seed} and {seed + 2}")


def main(path):
    start, library = time.time(), run.load(path)
    for one in case.CASES:
        check_case(library, one)
    check_wrong_kernels()
    check_plan()
    print(f"{len(case.CASES)} tolerances, {len(FAILED)} wrong; {time.time() - start:.1f} s")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
