# SPDX-License-Identifier: Apache-2.0
"""Reductions of every operation, scans and reducers in random kernels."""
import numpy as np

import random_expressions as ex
from random_expressions import pick

EXTREMES = {"max": np.maximum, "min": np.minimum}
BITS = {"bitand": np.bitwise_and, "bitor": np.bitwise_or, "bitxor": np.bitwise_xor}
SIGNS = {"sum": "+", "bitand": "&", "bitor": "|", "bitxor": "^"}  # of updates
REDUCE = {"sum": np.add, **EXTREMES, "abssum": np.add, "absmax": np.maximum, **BITS}


SUMMED = {"float16": 15, "bfloat16": 3}  # 64 numbers of this size have an exact sum


def operations(dtype):
    """Operations of T.reduce in this dtype; bits are for integers, absolute values for signed ones."""
    return [op for op in REDUCE if not (op in BITS and dtype in ex.LIMITS) and not (op[:3] == "abs" and dtype[0] == "u")]


def summable(kernel, tile):
    """(lines, run) before a sum."""
    return kernel.bounded(tile, SUMMED[tile.dtype]) if tile.dtype in SUMMED else ([], lambda env: None)


def reduced(op, source, dim, old):
    """The reduction of exact values, in the source's dtype, including `old` unless it is None."""
    values = np.abs(source) if op[:3] == "abs" else source
    made = REDUCE[op].reduce(values, axis=dim, dtype=source.dtype)
    if old is None:
        return made
    return REDUCE[op](np.abs(old) if op == "absmax" else old, made).astype(source.dtype)


def reduce_any(kernel):
    """Any operation over either dimension of a tile, into a separate buffer of one or two dimensions."""
    rng = kernel.rng
    tile = kernel.need(("ij", "ij", "ji"))
    target = kernel.need(("i", "j"), dtypes=(tile.dtype,)) if tile else None
    if not target:
        return None
    dim = 1 - tile.axes.index(target.axes)
    op, clear = pick(rng, operations(tile.dtype)), bool(rng.random() < 0.5)
    name, keep = kernel.fresh("r"), bool(rng.random() < 0.5)
    sizes = list(kernel.shape(tile.axes))
    sizes[dim:dim + 1] = [1] if keep else []
    start, scope = int(rng.integers(0, 5)), pick(rng, ("fragment", "fragment", "shared"))
    at = ", ".join([target.axes] if not keep else ["0", target.axes] if dim == 0 else [target.axes, "0"])
    number, (bound, clamp) = pick(rng, (str(dim), str(dim - 2))), kernel.bounded(target)
    before, shrink = summable(kernel, tile)

    def run(env):
        shrink(env)
        old = None if clear else np.full(kernel.shape(target.axes), start, ex.numpy_dtype(tile.dtype))
        env[target.name][...] = reduced(op, env[tile.name], dim, old)
        clamp(env)
    return kernel.step(lambda: before + [
        f'{name} = T.alloc_{scope}(({", ".join(map(str, sizes))},), "{tile.dtype}")', f"T.fill({name}, {start})",
        f"T.reduce_{op}({tile.name}, {name}, dim={number}{'' if clear else ', clear=False'})",
        f"for {target.axes} in T.Parallel({kernel.extents(target.axes)}):",
        f"    {target.name}[{target.axes}] = {name}[{at}]"] + bound, run)


def reduce_line(kernel):
    """A whole line into one element, which every element of a tile then takes part of."""
    rng = kernel.rng
    line = pick(rng, [t for t in kernel.tiles if len(t.axes) == 1])
    target = pick(rng, [t for t in kernel.tiles if line and t.dtype == line.dtype])
    if not target:
        return None
    op, name, (bound, clamp) = pick(rng, operations(line.dtype)), kernel.fresh("r"), kernel.bounded(target)
    index, (before, shrink) = ", ".join(target.axes), summable(kernel, line)

    def run(env):
        shrink(env)
        env[target.name][...] = np.minimum(env[target.name], reduced(op, env[line.name], 0, None))
        clamp(env)
    return kernel.step(lambda: before + [
        f'{name} = T.alloc_fragment((1,), "{line.dtype}")', f"T.reduce_{op}({line.name}, {name})",
        f"for {index} in T.Parallel({kernel.extents(target.axes)}):",
        f"    {target.name}[{index}] = T.min({target.name}[{index}], {name}[0])"] + bound, run)


def scan(kernel):
    """T.cumsum or T.cummax along each dimension, in both directions, in place or into another tile."""
    rng = kernel.rng
    a = pick(rng, kernel.tiles)
    b = pick(rng, [t for t in kernel.tiles if t.axes == a.axes and t.dtype == a.dtype])
    dim, reverse = int(rng.integers(len(a.axes))), bool(rng.random() < 0.5)
    op, function = pick(rng, (("cumsum", np.add), ("cummax", np.maximum)))
    target, more = "" if a is b else f", {b.name}", ", reverse=True" if reverse else ""
    (before, shrink), (bound, clamp) = summable(kernel, a), kernel.bounded(b)

    def run(env):
        shrink(env)
        values = np.flip(env[a.name], dim) if reverse else env[a.name]
        made = function.accumulate(values, axis=dim, dtype=values.dtype)
        env[b.name][...] = np.flip(made, dim) if reverse else made
        clamp(env)
    return kernel.step(lambda: before + [f"T.{op}({a.name}{target}, dim={dim}{more})"] + bound, run)


def sort(kernel):
    """T.sort of the lines along the last axis, in both directions."""
    a, down = pick(kernel.rng, kernel.tiles), bool(kernel.rng.random() < 0.5)

    def run(env):
        made = np.sort(env[a.name], -1)
        env[a.name][...] = np.flip(made, -1) if down else made
    return kernel.step(lambda: [f"T.sort({a.name}{', descending=True' if down else ''})"], run)


def reducer(kernel):
    """T.alloc_reducer: filled by a loop over the block's tile, manually or by function, under a condition."""
    rng = kernel.rng
    target = kernel.need(("i", "j"), dtypes=("int32", "int64", "float32", "int16", "uint8", "uint32"))
    if not target:
        return None
    dtype, axis, name = target.dtype, target.axes, kernel.fresh("acc")
    op = pick(rng, ("sum", "max", "min", *(tuple(BITS) if dtype[0] in "iu" else ())))
    start = pick(rng, (None, int(rng.integers(0 if dtype[0] == "u" else -3, 4))))
    value = kernel.value("ij", dtype, 2)
    test = kernel.condition("ij") if rng.random() < 0.4 else None
    plain = f"{name}[{axis}]"
    by_hand = f"{plain} {SIGNS[op]}= {{}}" if op in SIGNS else f"{plain} = T.{op}({plain}, {{}})"
    update = pick(rng, (by_hand, f"T.reducer_update({plain}, {{}})"))
    replication = pick(rng, ("", ', replication="all"', ', replication="none"'))
    bound, clamp = kernel.bounded(target)
    limits = np.iinfo(dtype) if dtype[0] in "iu" else None
    neutral = {"max": limits.min if limits else -np.inf, "min": limits.max if limits else np.inf,
               "bitand": -1 if dtype[0] == "i" else limits and limits.max}.get(op, 0)

    def run(env):
        inner, shape = kernel.grid(env, "ij")
        made = np.broadcast_to(value[0].value(inner), shape)
        chosen = np.broadcast_to(test.value(inner), shape) if test else np.full(shape, True)
        made = REDUCE[op].reduce(np.where(chosen, made, np.asarray(neutral, dtype)), axis="ij".index(axis) ^ 1, dtype=dtype)
        env[target.name][...] = REDUCE[op](made, np.asarray(neutral if start is None else start, dtype))
        clamp(env)

    def lines():
        inside = [update.format(value[0].text)]
        return [f'{name} = T.alloc_reducer({kernel.shape(axis)}, "{dtype}", op="{op}"{replication})',
                f"T.reducer_init({name}{'' if start is None else f', {start}'})",
                f"for i, j in T.Parallel({kernel.extents('ij')}):",
                *([f"    if {test.text}:", "        " + inside[0]] if test else ["    " + inside[0]]),
                *pick_finish(name, target, finish)] + bound
    finish = bool(rng.random() < 0.5)
    return kernel.step(lines, run, value=value)


def pick_finish(name, target, at_once):
    return ([f"T.finalize_reducer({name}, {target.name})"] if at_once
            else [f"T.finalize_reducer({name})", f"T.copy({name}, {target.name})"])


MAKERS = (reduce_any, reduce_line, scan, scan, sort, reducer)
