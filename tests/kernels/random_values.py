# SPDX-License-Identifier: Apache-2.0
"""Ownership of values in random kernels: variables that iterations assign, assignments of several names,
reads before the start of a tensor, dynamic extents, reductions into other formats."""
import numpy as np

import random_expressions as ex
from random_expressions import pick


def of_names(leaf, names):
    """A leaf that reads these names (name -> dtype) more often than what `leaf` gives."""
    def make(rng):
        if rng.random() < 0.5:
            return leaf(rng)
        name = pick(rng, list(names))
        return ex.Expr(name, lambda env: env[name], names[name])
    return make


def iterations(kernel):
    """Variables declared before a T.Parallel that its iterations assign, each for itself: under conditions, twice,
    in one assignment. After the loop they are assigned before they are read."""
    rng = kernel.rng
    tile = kernel.need(("ij", "i", "j"))
    if not tile:
        return None
    axes = tile.axes
    dtypes = {kernel.fresh("v"): pick(rng, ("int32", "int32", "int8", "uint8", "int16", "int64", "float32", "float16")) for _ in range(2)}
    outer = kernel.leaf(axes, lambda t: t.name != tile.name)
    inner = of_names(outer, dtypes)
    (first, a), (second, b) = dtypes.items()
    values = [ex.expression(rng, outer, 2, a), ex.expression(rng, of_names(outer, {first: a}), 2, b)]
    test = ex.condition(rng, inner, 2) if rng.random() < 0.5 else None
    under = ex.expression(rng, inner, 1, a)
    other = ex.expression(rng, inner, 1, a) if test and rng.random() < 0.5 else None
    both = [ex.expression(rng, inner, 1, a), ex.expression(rng, inner, 1, b)] if rng.random() < 0.5 else None
    stored = [ex.expression(rng, inner, 1, tile.dtype)]
    start, again = int(rng.integers(0, 5)), bool(rng.random() < 0.5 and a == "int32")

    def run(env):
        grids, shape = kernel.grid(env, axes)
        own = {**env, **grids}

        def value(e):
            return np.broadcast_to(e.value(own), shape)
        own[first] = value(values[0])
        own[second] = value(values[1])
        if test:
            chosen = value(test)
            otherwise = value(other) if other else own[first]
            own[first] = np.where(chosen, value(under), otherwise).astype(ex.numpy_dtype(a))
        if both:
            own[first], own[second] = value(both[0]), value(both[1])
        env[tile.name][...] = value(stored[0])
        if again:
            env[first] = np.int32(start + 1)

    def lines():
        body = [f"{first} = {values[0].text}", f"{second} = {values[1].text}"]
        if test:
            body += [f"if {test.text}:", f"    {first} = {under.text}"]
            body += ["else:", f"    {first} = {other.text}"] if other else []
        if both:
            body += [f"{first}, {second} = {both[0].text}, {both[1].text}"]
        body += [f"{tile.name}[{', '.join(axes)}] = {stored[0].text}"]
        return [f'{first} = T.alloc_var("{a}", {start})', f'{second} = T.alloc_var("{b}")',
                f"for {', '.join(axes)} in T.Parallel({kernel.extents(axes)}):", *("    " + line for line in body),
                *([f"{first} = {start + 1}"] if again else [])]
    if again:
        kernel.variables.append(first)
    return kernel.step(lines, run, value=stored)


def exchanged(kernel):
    """Several variables of the block in one assignment: all values are read first."""
    rng = kernel.rng
    names = [kernel.fresh("v") for _ in range(int(rng.integers(2, 4)))]
    starts = [int(n) for n in rng.integers(-5, 9, len(names))]
    outside = list(kernel.variables)

    def leaf(rng):
        name = pick(rng, names + names + outside)
        return ex.Expr(name, lambda env: np.asarray(env[name], np.int32), "int32")
    values, count = [ex.expression(rng, leaf, 1, "int32") for _ in names], int(rng.integers(1, 4))
    k = kernel.fresh("k")
    kernel.variables += names

    def run(env):
        env.update({name: np.int32(start) for name, start in zip(names, starts)})
        for _ in range(count):
            env.update(zip(names, [value.value(env) for value in values]))
    return kernel.step(lambda: [f'{name} = T.alloc_var("int32", {start})' for name, start in zip(names, starts)] + [
        f"for {k} in T.serial({count}):", f"    {', '.join(names)} = {', '.join(value.text for value in values)}"], run)


def in_front(kernel):
    """An element before the start of the tensor, by an index that is negative for some iterations only: it reads as 0."""
    rng = kernel.rng
    tile = kernel.need(("ij", "i", "j"))
    if not tile:
        return None
    source = {"ij": "A", "i": "U", "j": "V"}[tile.axes]
    sizes = kernel.shape(tile.axes)
    shifts = [int(rng.integers(0, n)) for n in sizes]  # less than the block's tile: no block is outside alone
    at = {"i": f"by * {kernel.BM} + i", "j": f"bx * {kernel.BN} + j"}
    text = f"{source}[{', '.join(f'{at[x]} - {s}' for x, s in zip(tile.axes, shifts))}]"
    guard = rng.random() < 0.4
    dtype, (bound, clamp) = kernel.input_dtype[source], kernel.bounded(tile)
    axis, shift = tile.axes[0], shifts[0]

    def run(env):
        inner, _ = kernel.grid(env, tile.axes)
        padded = np.pad(env["padded " + source], [(n, 0) for n in sizes])
        places = {x: env["origin " + x] + inner[x] - s for x, s in zip(tile.axes, shifts)}
        values = padded[tuple(places[x] + n for x, n in zip(tile.axes, sizes))]
        if guard:
            values = np.where(places[axis] >= 0, values, np.asarray(3, dtype))
        env[tile.name][...] = ex.converted(values, tile.dtype)
        clamp(env)
    value = f"T.if_then_else({at[axis]} - {shift} >= 0, {text}, T.cast(3, {dtype!r}))" if guard else text
    return kernel.step(lambda: [f"for {', '.join(tile.axes)} in T.Parallel({kernel.extents(tile.axes)}):",
                                f"    {tile.name}[{', '.join(tile.axes)}] = T.cast({value}, {tile.dtype!r})"] + bound, run)


def part(kernel):
    """The first lines of a shared tile, as many as a variable says: in a T.Parallel, or a serial loop inside of one."""
    rng = kernel.rng
    tile, name = kernel.need(("ij", "i", "j"), "shared"), pick(kernel.rng, kernel.variables)
    if not tile:
        return None
    n = kernel.shape(tile.axes)[0]
    text, i = f"({name} % {n + 1} + {n + 1}) % {n + 1}", tile.axes[0]
    nested = tile.axes == "ij" and rng.random() < 0.5
    kernel.target = tile.name
    value = [ex.expression(rng, kernel.leaf(tile.axes, lambda t: t.scope == "shared" and t.name != tile.name), 2, tile.dtype)]
    kernel.target = None

    def run(env):
        inner, shape = kernel.grid(env, tile.axes)
        made = np.broadcast_to(value[0].value(inner), shape)
        count = int(env[name]) % (n + 1)
        env[tile.name][:count] = made[:count]
    store = f"{tile.name}[{', '.join(tile.axes)}] = {value[0].text}"
    if nested:
        return kernel.step(lambda: [f"for j in T.Parallel({kernel.BN}):", f"    for i in T.serial({text}):", f"        {store}"], run, value=value)
    rest = "".join(f", {kernel.extents(a)}" for a in tile.axes[1:])
    return kernel.step(lambda: [f"for {', '.join(tile.axes)} in T.Parallel({text}{rest}):", f"    {store}"], run, value=value)


def widths(kernel):
    """A reduction into another format than its operand's: every element is converted first, then combined."""
    rng = kernel.rng
    tile = kernel.need(("ij",), dtypes=ex.INTEGERS[:5])
    target = kernel.need(("i", "j"), dtypes=ex.INTEGERS[:5]) if tile else None
    if not target:
        return None
    dim, name, made = 1 - "ij".index(target.axes), kernel.fresh("r"), pick(rng, ex.INTEGERS)
    op, function = pick(rng, (("sum", np.add), ("max", np.maximum), ("min", np.minimum), ("bitxor", np.bitwise_xor), ("bitand", np.bitwise_and)))

    def run(env):
        env[target.name][...] = ex.converted(function.reduce(ex.converted(env[tile.name], made), axis=dim, dtype=made), target.dtype)
    return kernel.step(lambda: [
        f'{name} = T.alloc_fragment(({kernel.extents(target.axes)},), "{made}")', f"T.reduce_{op}({tile.name}, {name}, dim={dim})",
        f"T.copy({name}, {target.name})"], run)


MAKERS = (iterations, iterations, exchanged, in_front, part, widths)
