# SPDX-License-Identifier: Apache-2.0
"""Code of single threads in random kernels: shared lines by index of the thread, shuffles, vectors; atomics."""
import numpy as np

import random_expressions as ex
from random_expressions import pick

INTEGERS = ("int32", "uint32")


def shared_lines(kernel):
    """Two shared lines over one axis, of no more elements than there are threads; or None."""
    a = kernel.need(("i", "j"), "shared")
    b = kernel.need((a.axes,), "shared", but=a) if a and kernel.shape(a.axes)[0] <= kernel.threads else None
    if not b:
        return None
    return a, b, kernel.shape(a.axes)[0]


def backwards(kernel):
    """Threads write one shared line and read it backwards, between barriers; a local array on the way."""
    found = shared_lines(kernel)
    if not found:
        return None
    a, b, n = found
    tx, own, (bound, clamp) = kernel.fresh("tx"), kernel.fresh("own"), kernel.bounded(b)

    def run(env):
        whole = ex.converted(ex.converted(env[a.name][::-1], "int32"), b.dtype)
        env[b.name][...] = ex.converted(whole * ex.converted(3, b.dtype), b.dtype)
        clamp(env)
    return kernel.step(lambda: [f"{tx} = T.get_thread_binding(0)", f'{own} = T.alloc_local((2,), "int32")',
                                "T.sync_threads()", f"if {tx} < {n}:",
                                f"    {own}[{tx} % 2] = T.cast({a.name}[{n - 1} - {tx}], 'int32')",
                                f"    {b.name}[{tx}] = T.cast({own}[{tx} % 2], {b.dtype!r}) * T.cast(3, {b.dtype!r})",
                                "T.sync_threads()"] + bound, run)


def by_warps(values, function):
    """function of each group of 32 values, the line filled up with zeros."""
    padded = np.pad(values, (0, -len(values) % 32)).reshape(-1, 32)
    return np.apply_along_axis(function, 1, padded).reshape(-1)[:len(values)]


def shuffle(kernel):
    """Lanes exchange what they hold, or reduce it, over 32 neighbours. Of the number of a lane only the low bits count."""
    found = shared_lines(kernel)
    if not found:
        return None
    a, b, n = found
    rng, lanes = kernel.rng, np.arange(32)
    wraps, k = divmod(int(rng.integers(0, 96)), 32)
    lane = k + 128 * (wraps - 1)  # on a warp of any size the same as k
    text, function = pick(rng, (
        (f"T.shfl_xor({{}}, {lane})", lambda x: x[lanes ^ k]), (f"T.shfl_sync({{}}, {lane}, 32)", lambda x: x[lanes * 0 + k]),
        (f"T.shfl_up({{}}, {lane}, 32)", lambda x: x[np.where(lanes < k, lanes, lanes - k)]),
        (f"T.shfl_down({{}}, {lane}, 32)", lambda x: x[np.where(lanes + k > 31, lanes, lanes + k)]),
        ("T.warp_reduce_sum({})", lambda x: np.full(32, x.sum(dtype=np.int32))), ("T.warp_reduce_max({})", lambda x: np.full(32, x.max())),
        ("T.warp_reduce_min({})", lambda x: np.full(32, x.min())),
        ("T.warp_reduce_bitor({})", lambda x: np.full(32, np.bitwise_or.reduce(x)))))
    tx, own, got, (bound, clamp) = kernel.fresh("tx"), kernel.fresh("own"), kernel.fresh("got"), kernel.bounded(b)

    def run(env):
        env[b.name][...] = ex.converted(by_warps(ex.converted(env[a.name], "int32"), function), b.dtype)
        clamp(env)
    return kernel.step(lambda: [
        f"{tx} = T.get_thread_binding()", f'{own} = T.alloc_var("int32", 0)', "T.sync_threads()", f"if {tx} < {n}:",
        f"    {own} = T.cast({a.name}[{tx}], 'int32')", f"{got} = {text.format(own)}", f"if {tx} < {n}:",
        f"    {b.name}[{tx}] = T.cast({got}, {b.dtype!r})", "T.sync_threads()"] + bound, run)


def rows_by_threads(kernel):
    """Each thread rewrites one row of a shared tile: vectors in a serial or unrolled loop, through registers."""
    rng = kernel.rng
    tile = kernel.need(("ij",), "shared")
    if not tile or kernel.BM > kernel.threads:
        return None
    width = pick(rng, [w for w in (1, 2, 4, 8) if kernel.BN % w == 0])
    loop, copy, add = pick(rng, ("serial", "unroll")), pick(rng, ("vectorized", "unroll", "serial")), int(rng.integers(0, 9))
    tx, own, k, v = (kernel.fresh(letter) for letter in ("tx", "own", "k", "u"))
    whole, (bound, clamp) = f"{tile.name}[{tx}, {k} * {width} + {v}]", kernel.bounded(tile)

    def run(env):
        parts = env[tile.name].reshape(kernel.BM, -1, width)[:, :, ::-1].reshape(kernel.BM, -1)
        env[tile.name][...] = ex.converted(parts + ex.converted(add, tile.dtype), tile.dtype)
        clamp(env)
    return kernel.step(lambda: [
        f"{tx} = T.get_thread_binding()", f'{own} = T.alloc_local(({width},), "{tile.dtype}")', "T.sync_threads()",
        f"if {tx} < {kernel.BM}:", f"    for {k} in T.{loop}({kernel.BN // width}):",
        f"        for {v} in T.{copy}({width}):", f"            {own}[{v}] = {whole}",
        f"        for {v} in T.vectorized({width}):",
        f"            {whole} = {own}[{width - 1} - {v}] + T.cast({add}, {tile.dtype!r})", "T.sync_threads()"] + bound, run)


ATOMICS = (("add", np.add), ("max", np.maximum), ("min", np.minimum), ("or", np.bitwise_or))


def spread(kernel, n):
    """(text, function of env) of an index below n that several iterations over the block's tile share."""
    step, shift = int(kernel.rng.integers(1, 5)), pick(kernel.rng, kernel.variables)
    return (f"((i * {step} + j + {shift}) % {n} + {n}) % {n}",
            lambda env: (env["i"].astype(np.int64) * step + env["j"] + np.asarray(env[shift], np.int32)) % n)


def atomic_loop(kernel, name, n, dtype):
    """T.atomic_* of values over the block's tile into n elements of `name`."""
    op, function = pick(kernel.rng, ATOMICS)
    value, (index, at) = kernel.value("ij", dtype, 2, but=name), spread(kernel, n)
    test = kernel.condition("ij", but=name) if kernel.rng.random() < 0.3 else None
    inside = (f"by * {kernel.BM} + i < {kernel.rows_text()} and bx * {kernel.BN} + j < {kernel.columns_text()}"
              if name == "H" else "")  # what a tail reads does not belong into a tensor

    def run(env):
        inner, shape = kernel.grid(env, "ij")
        chosen = np.broadcast_to(test.value(inner), shape) if test else np.full(shape, True)
        if inside:
            chosen = chosen & (inner["i"] + env["origin i"] < kernel.M) & (inner["j"] + env["origin j"] < kernel.N)
        function.at(env[name], at(inner)[chosen], np.broadcast_to(value[0].value(inner), shape)[chosen])

    def lines():
        update = f"T.atomic_{op}({name}[{index}], {value[0].text})"
        tests = " and ".join(text for text in (inside, f"({test.text})" if test else "") if text)
        return [f"for i, j in T.Parallel({kernel.BM}, {kernel.BN}):",
                *([f"    if {tests}:", "        " + update] if tests else ["    " + update])]
    return lines, run, value


def accumulate(kernel):
    """Into elements of a shared line that many iterations share."""
    b = kernel.need(("i", "j"), "shared", INTEGERS)
    if b is None:
        return None
    lines, run, value = atomic_loop(kernel, b.name, kernel.shape(b.axes)[0], b.dtype)
    return kernel.step(lines, run, value=value)


def tally(kernel):
    """Into an output of eight elements that all blocks share; one operation, for that every order gives."""
    if kernel.tallied:
        return None
    kernel.tallied.append("H")
    lines, run, value = atomic_loop(kernel, "H", 8, "int32")
    return kernel.step(lines, run, value=value)


def add_tiles(kernel):
    """T.atomic_add of a whole tile to a shared one."""
    b = kernel.need(("i", "j", "ij"), "shared", (*INTEGERS, "float32"))
    a = kernel.need((b.axes,), dtypes=(b.dtype,), but=b) if b else None
    if not a:
        return None
    bound, clamp = kernel.bounded(b)

    def run(env):
        env[b.name][...] += env[a.name]
        clamp(env)
    return kernel.step(lambda: [f"T.atomic_add({b.name}, {a.name})"] + bound, run)


MAKERS = (backwards, shuffle, rows_by_threads, accumulate, tally, add_tiles)
