# SPDX-License-Identifier: Apache-2.0
"""More statements of random kernels: boxes of tiles, counters with breaks, atomics, code of threads.

Each function takes the kernel and gives a Step, or None where the kernel has nothing that fits.
"""
import numpy as np

import random_expressions as ex


def pick(rng, choices):
    return choices[rng.integers(len(choices))] if choices else None


def copy_box(kernel):
    """A part of one tile into another part, of the same size, of another; also T.fill of a part."""
    rng = kernel.rng
    whole = [t for t in kernel.tiles if t.axes in ("ij", "i", "j") and t.scope == "shared"]
    a, b = pick(rng, whole), pick(rng, whole)
    if a is None or a is b or a.axes != b.axes:
        return None
    sizes = kernel.shape(a.axes)
    extent = [int(rng.integers(1, n + 1)) for n in sizes]
    starts = [[int(rng.integers(0, n - e + 1)) for n, e in zip(sizes, extent)] for _ in range(2)]
    boxes = [", ".join(f"{s}:{s + e}" for s, e in zip(start, extent)) for start in starts]
    source, target = (tuple(slice(s, s + e) for s, e in zip(start, extent)) for start in starts)

    def run(env):
        env[b.name][target] = ex.converted(env[a.name][source], b.dtype)
    return kernel.step(lambda: [f"T.copy({a.name}[{boxes[0]}], {b.name}[{boxes[1]}])"], run)


def counted(kernel):
    """A variable that a while loop with a break counts up; later statements of the body read it."""
    rng = kernel.rng
    name, limit, stop = kernel.fresh("v"), int(rng.integers(0, 6)), int(rng.integers(0, 5))
    kernel.variables.append(name)

    def run(env):
        env[name] = min(limit, stop) if stop < limit else limit
    return kernel.step(lambda: [f'{name} = T.alloc_var("int32")', f"{name} = 0", f"while {name} < {limit}:",
                                f"    if {name} == {stop}:", "        break", f"    {name} = {name} + 1"], run)


def accumulate(kernel):
    """T.atomic_add of an integer tile into elements of a shared one that many iterations share."""
    rng = kernel.rng
    targets = [t for t in kernel.tiles if t.scope == "shared" and t.axes in ("i", "j") and t.dtype in ("int32", "uint32")]
    b = pick(rng, targets)
    if b is None:
        return None
    sizes = {"i": kernel.BM, "j": kernel.BN}
    n, step = sizes[b.axes], int(rng.integers(1, 5))
    index = f"(i * {step} + j) % {n}"

    def run(env):
        i, j = np.meshgrid(np.arange(kernel.BM), np.arange(kernel.BN), indexing="ij")
        np.add.at(env[b.name], (i * step + j) % n, (i - j).astype(b.dtype))
    return kernel.step(lambda: [f"for i, j in T.Parallel({kernel.BM}, {kernel.BN}):",
                                f"    T.atomic_add({b.name}[{index}], T.cast(i - j, {b.dtype!r}))"], run)


def by_threads(kernel):
    """Threads write one shared line and read it backwards, between barriers; a local array on the way."""
    rng = kernel.rng
    lines = [t for t in kernel.tiles if t.scope == "shared" and len(t.axes) == 1]
    a, b = pick(rng, lines), pick(rng, lines)
    if a is None or a.axes != b.axes or a is b:
        return None
    n, = kernel.shape(a.axes)
    if n > kernel.threads:
        return None
    tx, own = kernel.fresh("tx"), kernel.fresh("own")

    def run(env):
        env[b.name][...] = ex.converted(env[a.name][::-1], "int32").astype(b.dtype) * np.asarray(3, b.dtype)
    return kernel.step(lambda: [f"{tx} = T.get_thread_binding(0)", f'{own} = T.alloc_local((2,), "int32")',
                                "T.sync_threads()", f"if {tx} < {n}:",
                                f"    {own}[{tx} % 2] = T.cast({a.name}[{n - 1} - {tx}], 'int32')",
                                f"    {b.name}[{tx}] = T.cast({own}[{tx} % 2], {b.dtype!r}) * T.cast(3, {b.dtype!r})",
                                "T.sync_threads()"], run)


def reduce_shared(kernel):
    """A reduction straight from shared memory, in integers."""
    rng = kernel.rng
    pairs = [(a, b) for a in kernel.tiles for b in kernel.tiles
             if a.axes == "ij" and a.scope == "shared" and b.axes in ("i", "j")
             and b.scope == "fragment" and a.dtype == b.dtype and a.dtype in ("int32", "int64", "uint32")]
    found = pick(rng, pairs)
    if found is None:
        return None
    a, b = found
    op, function = pick(rng, (("sum", np.add), ("max", np.maximum), ("bitxor", np.bitwise_xor)))
    dim = 1 if b.axes == "i" else 0

    def run(env):
        env[b.name][...] = function.reduce(env[a.name], axis=dim, dtype=a.dtype)
    return kernel.step(lambda: [f"T.reduce_{op}({a.name}, {b.name}, dim={dim})"], run)


MAKERS = (copy_box, counted, accumulate, by_threads, reduce_shared)
