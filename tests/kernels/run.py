# SPDX-License-Identifier: Apache-2.0
"""run.py LIBRARY [FILTER...]: the kernels of this folder through passes, levels, texts and C.

A filter is a part of a kernel's name, or name:N for its size number N. Every kernel runs in every size: in the one with
tails for each of its GPUs, and in each other size for one GPU of each vendor, which the seed alternates; with TILELAB_LONG
or a filter for all of them. It runs in one size for the cpu if it is none for threads. Each pass also runs on the text of the
function before it. Products and pipelines run in one size without the machine's units, too. In every other size, by the
seed's parity, buffers share a place wherever they may. TILELAB_SEED=n repeats a run. What a kernel computes is held against
NumPy within case.py's tolerance.
"""
import ctypes
import os
import re
import sys
import time
import types
import traceback
import zlib

import numpy as np
import tilelab
import tilelab.language
import tilelab.layout

sys.modules.setdefault("tilelang", tilelab)
sys.modules.setdefault("tilelang.language", tilelab.language)
sys.modules.setdefault("tilelang.layout", tilelab.layout)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import case  # noqa: E402

for name in case.MODULES:
    __import__(name)

VENDOR = {"mp_31": "musa", "mp_22": "musa", "cpu": "cpu", "sm_90a": "cuda", "sm_80": "cuda"}
TARGETS = tuple(VENDOR)
FOR_UNITS = re.compile(r"\b(gemm|pipelined)\(")
FOR_THREADS = re.compile(r"\b(tid|lane|warp|leader)\b")  # on the cpu a block has one


class Argument(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_char_p), ("data", ctypes.c_void_p), ("rank", ctypes.c_int64),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("bits", ctypes.c_uint64),
                ("output", ctypes.c_int32), ("strides", ctypes.POINTER(ctypes.c_int64))]


class Options(ctypes.Structure):
    _fields_ = [("target", ctypes.c_char_p), ("tag", ctypes.c_char_p), ("slack", ctypes.c_double),
                ("ulps", ctypes.c_double), ("seed", ctypes.c_uint64)]


def load(path):
    library = ctypes.CDLL(path)
    for function in (library.tl_check_kernel, library.tl_check_emitted, library.tl_check_difference):
        function.restype = ctypes.c_char_p
    return library


def argument(value, dtype, output=False):
    """Struct for one parameter; the array must outlive it."""
    if isinstance(value, np.ndarray):
        shape = (ctypes.c_int64 * value.ndim)(*value.shape)
        strides = None if value.flags.c_contiguous else (ctypes.c_int64 * value.ndim)(*(s // value.itemsize for s in value.strides))
        return Argument(dtype.encode(), value.ctypes.data or 1, value.ndim, shape, 0, output, strides)
    return Argument(dtype.encode(), None, 0, None, int(value) & (2**64 - 1), 0)


def declared(values, params):
    """Explicit arguments of a call: floats that NumPy lacks are given as bits with their dtype."""
    return [case.Bits(value, p["dtype"]) if "float" in p["dtype"] and isinstance(value, np.ndarray) and value.dtype.kind == "u" else value
            for value, p in zip(values, params)]


def with_strides(array, param, wider):
    """The array as the parameter declares it: row-major, or a view of a wider one whose other elements are 0. `wider`: by how many where the
    stride is known at run time only."""
    strides = [s if isinstance(s, int) else array.shape[1] + wider for s in param["strides"]]
    return strided(array, [s * array.itemsize for s in strides]) if strides else array


def strided(array, strides):
    """A copy with these strides, in bytes; what is between its elements is 0."""
    if 0 in array.shape:
        return array.copy()
    memory = np.zeros(1 + sum((n - 1) * s for n, s in zip(array.shape, strides)) // array.itemsize, array.dtype)
    view = np.lib.stride_tricks.as_strided(memory, array.shape, strides)
    view[...] = array
    return view


def arrays_of(one, size, func, rng):
    """Arguments in parameter order: given inputs, and empty outputs of the declared shapes."""
    inputs = [np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x for x in one.inputs(rng, **size)]
    params = func.params
    outputs = sorted(o % len(params) for o in one.outputs)
    given, arguments = iter(inputs), []
    expected = [np.asarray(e) for e in one.reference(inputs, **size)]
    shapes = iter(expected)
    for i, param in enumerate(params):
        if i in outputs:
            e = next(shapes)
            arguments.append(np.zeros(e.shape, param["dtype"]))
        else:
            arguments.append(next(given))
        if isinstance(arguments[-1], np.ndarray):
            arguments[-1] = with_strides(arguments[-1], param, one.wider)
    arguments = [a.table(arguments) if isinstance(a, case.Addresses) else a for a in arguments]
    return arguments, outputs, expected


def check_one(library, one, number, target, seed, plain=False):
    """Runs one kernel in one size for one target; returns what is wrong, or "". `plain`: without the machine's units,
    where it has something for them."""
    size = one.sizes[number]
    rng = np.random.default_rng([seed, number, *one.name.encode()])
    func = one.factory(**size).func
    configs = {"tl.enable_aggressive_shared_memory_merge": True} if (seed + number) % 2 else {}
    if plain:
        if not FOR_UNITS.search(func.text()):
            return ""
        configs["tilelab.hardware_units"] = False
    func = func.changed(configs=configs)
    if target == "cpu" and FOR_THREADS.search(func.text()):
        return ""
    arguments, outputs, expected = arrays_of(one, size, func, rng)
    described = (Argument * len(arguments))(*[
        argument(a, p["dtype"], i in outputs)
        for i, (a, p) in enumerate(zip(arguments, func.params))])
    got = [arguments[i] for i in outputs]
    tag = f"{one.name}_{number}" + "_plain" * plain
    allowed = [case.slack(g.dtype, e, one.terms(**size), one.magnitude) for g, e in zip(got, expected)]
    options = Options(target.encode(), tag.encode(), *max(allowed), seed)
    said = library.tl_check_kernel(func.text(True).encode(), ctypes.byref(options), described,
                                   len(arguments)).decode()
    if said:
        return said
    return case.check(one, size, got, expected) or ""


EMITTED_AT_ONCE = 128  # runs whose C is compiled as one text: most of a small text's time is the headers'
TAILS = 1  # the number of the size that blocks do not divide


def of_vendor(target, targets):
    return [t for t in targets if VENDOR[t] == VENDOR[target]]


def chosen(one, number, target, seed, everything):
    """Whether this size runs for this target. The seed's last bit is that of the shared memory (check_one)."""
    if target == "cpu" or number == TAILS or everything:
        return target != "cpu" or number == TAILS
    alike = of_vendor(target, one.targets)
    return alike[(zlib.crc32(f"{one.name}:{number}".encode()) + seed // 2) % len(alike)] == target


def plan(filters, seed):
    """(case, size number, target, whether without the machine's units)."""
    everything = filters or os.environ.get("TILELAB_LONG")
    for one in case.CASES:
        for number in range(len(one.sizes)):
            words = [f"{one.name}:{number}", one.name]
            if filters and not any(f in words[1] if ":" not in f else f == words[0] for f in filters):
                continue
            for target in one.targets:
                if chosen(one, number, target, seed, everything):
                    yield one, number, target, False
                if target == "mp_31" and number == TAILS:
                    yield one, number, target, True


def main(path, filters):
    library = load(path)
    seed = int(os.environ.get("TILELAB_SEED") or time.time_ns() % 10**6)
    print(f"TILELAB_SEED={seed}", flush=True)
    start, failed, count, names, batch = time.time(), 0, 0, set(), 0

    def emitted():
        nonlocal failed
        for target in TARGETS:
            said = library.tl_check_emitted(target.encode()).decode()
            if said:
                failed += 1
                print(f"FAILED emitted C for {target}\n{said}", flush=True)

    for one, number, target, plain in plan(filters, seed):
        try:
            said = check_one(library, one, number, target, seed, plain)
        except Exception:
            said = traceback.format_exc()
        count, batch = count + 1, batch + 1
        names.add(one.name)
        if said:
            failed += 1
            print(f"FAILED {one.name}:{number} {one.sizes[number]} {target}{' plain' * plain}\n{said.rstrip()}", flush=True)
        if batch == EMITTED_AT_ONCE:
            emitted()
            batch = 0
    emitted()
    figures = (ctypes.c_int64 * 5)()
    library.tl_check_counts(figures)
    runs, exact, loose, texts, in_c = figures
    print(f"{len(names)} kernels, {count} runs through all passes: {runs} simulations, {exact} passes exact "
          f"to the bit, {loose} within a tolerance, {texts} texts, {in_c} runs of emitted C; {failed} failed; "
          f"{time.time() - start:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
