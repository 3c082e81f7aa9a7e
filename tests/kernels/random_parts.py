# SPDX-License-Identifier: Apache-2.0
"""Single elements, slices and other shapes of tiles in random kernels; loops inside of T.Parallel."""
import numpy as np

import random_expressions as ex
from random_expressions import pick


def element(kernel, tile):
    """(text, index) of an element of the tile, at constants or at a variable of the block."""
    texts, places = [], []
    for n in kernel.shape(tile.axes):
        k, name = int(kernel.rng.integers(n)), pick(kernel.rng, kernel.variables)
        by_name = tile.scope == "shared" and kernel.rng.random() < 0.4
        texts.append(f"({name} % {n} + {n}) % {n}" if by_name else str(k))
        places.append((lambda env, n=n, name=name: int(env[name]) % n) if by_name else lambda env, k=k: k)
    return f"{tile.name}[{', '.join(texts)}]", lambda env: tuple(place(env) for place in places)


def read_element(kernel):
    """A name or a T.alloc_var for an element as it is now; later statements read it, whatever the tile then holds."""
    tile, name = pick(kernel.rng, [t for t in kernel.tiles if t.name in kernel.ready]), kernel.fresh("e")
    text, at = element(kernel, tile)
    stored = kernel.rng.random() < 0.5
    value = f"T.cast({text}, 'int32')"
    kernel.variables.append(name)

    def run(env):
        env[name] = ex.converted(env[tile.name][at(env)], "int32")
    return kernel.step(lambda: ([f'{name} = T.alloc_var("int32")'] if stored else []) + [f"{name} = {value}"], run)


def store_element(kernel):
    """One element, from a variable, or from an element of another tile."""
    rng = kernel.rng
    tile, source, name = pick(rng, kernel.tiles), pick(rng, kernel.tiles), pick(rng, kernel.variables)
    (target, at), (text, origin) = element(kernel, tile), element(kernel, source)
    # Replicated fragments must be small: otherwise layout-conflict is reported.
    from_tile = rng.random() < 0.5 and (source.scope == "shared" or np.prod(kernel.shape(source.axes)) <= 256)
    value = (ex.Expr(text, lambda env: env[source.name][origin(env)], source.dtype) if from_tile else
             ex.Expr(name, lambda env: np.asarray(env[name], np.int32), "int32"))
    value = ex.cast(value, tile.dtype)

    def run(env):
        env[tile.name][at(env)] = value.value(env)
    return kernel.step(lambda: [f"{target} = {value.text}"], run)


def flat(kernel):
    """A tile under another shape, rewritten in place."""
    rng = kernel.rng
    tile = pick(rng, [t for t in kernel.tiles if len(t.axes) == 2 and t.name not in kernel.annotated and t.scope == "shared"])
    if not tile:
        return None
    n, name, p, (bound, clamp) = kernel.BM * kernel.BN, kernel.fresh("flat"), kernel.fresh("p"), kernel.bounded(tile)
    k = int(rng.integers(1, 5))

    def run(env):
        line = env[tile.name].reshape(-1)
        line[...] = ex.converted(line + ex.converted(np.arange(n) % k, tile.dtype), tile.dtype)
        clamp(env)
    return kernel.step(lambda: [f"{name} = T.reshape({tile.name}, ({n},))", f"for {p} in T.Parallel({n}):",
                                f"    {name}[{p}] = {name}[{p}] + T.cast({p} % {k}, {tile.dtype!r})"] + bound, run)


def transposed(kernel):
    a = kernel.need(("ij", "ji"), "shared")
    b = kernel.need((a.axes[::-1],), "shared", but=a) if a else None
    if not b:
        return None
    bound, clamp = kernel.bounded(b)

    def run(env):
        env[b.name][...] = ex.converted(env[a.name].T, b.dtype)
        clamp(env)
    return kernel.step(lambda: [f"T.transpose({a.name}, {b.name})"] + bound, run)


def inner_loop(kernel):
    """T.Parallel over rows, and another loop over columns inside; operands are in shared and global memory."""
    rng = kernel.rng
    tile = kernel.need(("ij",), "shared")
    if not tile:
        return None
    kernel.target = tile.name
    leaf = kernel.leaf("ij", lambda t: t.scope == "shared" and (t.name != tile.name or t.axes == tile.axes))
    value = [ex.expression(rng, leaf, 2, tile.dtype)]
    kernel.target = None
    word = pick(rng, ("serial", "unroll", "vectorized", "vectorized"))

    def run(env):
        inner, shape = kernel.grid(env, "ij")
        env[tile.name][...] = np.broadcast_to(value[0].value(inner), shape)
    return kernel.step(lambda: [f"for i in T.Parallel({kernel.BM}):", f"    for j in T.{word}({kernel.BN}):",
                                f"        {tile.name}[i, j] = {value[0].text}"], run, value=value)


def folded(kernel):
    """Each iteration over a line adds a row or column of a shared tile to its element."""
    rng = kernel.rng
    target, source = kernel.need(("i", "j"), dtypes=("int32", "float32", "int64", "int16", "uint8")), kernel.need(("ij",), "shared")
    if not target or not source:
        return None
    own, other = target.axes, "j" if target.axes == "i" else "i"
    start, word = int(rng.integers(0, 3)), pick(rng, ("serial", "unroll"))
    n, (bound, clamp) = kernel.shape(other)[0], kernel.bounded(target)
    x = ex.cast(ex.Expr(f"{source.name}[i, j]", lambda env: env[source.name], source.dtype), target.dtype)

    def run(env):
        parts = x.value(env)[:, start:] if other == "j" else x.value(env)[start:, :]
        env[target.name][...] += parts.sum(axis="ij".index(other), dtype=target.dtype)
        clamp(env)
    return kernel.step(lambda: [f"for {own} in T.Parallel({kernel.extents(own)}):", f"    for {other} in T.{word}({start}, {n}):",
                                f"        {target.name}[{own}] += {x.text}"] + bound, run) if start < n else None


def decided_by_data(kernel):
    """T.any_of or T.all_of of a shared line decides what a variable becomes."""
    tile = kernel.need(("i", "j"), "shared")
    if not tile:
        return None
    name, (word, function) = kernel.fresh("d"), pick(kernel.rng, (("any_of", np.any), ("all_of", np.all)))
    kernel.variables.append(name)

    def run(env):
        env[name] = 2 if function(env[tile.name]) else 1
    return kernel.step(lambda: [f'{name} = T.alloc_var("int32", 1)', f"if T.{word}({tile.name}):", f"    {name} = 2"], run)


MAKERS = (read_element, store_element, flat, transposed, inner_loop, folded, decided_by_data)
