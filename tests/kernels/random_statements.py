# SPDX-License-Identifier: Apache-2.0
"""The kinds of statements of random kernels: the table of their makers.

Each function takes the kernel and gives a Step, or None where the kernel has nothing that fits.
"""
import numpy as np

import random_expressions as ex
import random_control
import random_foreign
import random_layouts
import random_matrices
import random_parts
import random_reductions
import random_threads
import random_together
import random_values
from random_expressions import pick


def copy_box(kernel):
    """A part of one tile into another part, of the same size, of another; also T.fill of a part."""
    rng = kernel.rng
    a = kernel.need(("ij", "i", "j"), "shared")
    b = kernel.need((a.axes,), "shared", but=a) if a else None
    if b is None:
        return None
    sizes = kernel.shape(a.axes)
    extent = [int(rng.integers(1, n + 1)) for n in sizes]
    starts = [[int(rng.integers(0, n - e + 1)) for n, e in zip(sizes, extent)] for _ in range(2)]
    boxes = [", ".join(f"{s}:{s + e}" for s, e in zip(start, extent)) for start in starts]
    source, target = (tuple(slice(s, s + e) for s, e in zip(start, extent)) for start in starts)

    bound, clamp = kernel.bounded(b)

    def run(env):
        env[b.name][target] = ex.converted(env[a.name][source], b.dtype)
        clamp(env)
    return kernel.step(lambda: [f"T.copy({a.name}[{boxes[0]}], {b.name}[{boxes[1]}])"] + bound, run)


def reload(kernel):
    """A tile of an argument into a tile, from where a variable says, or a number; beyond the end zeros come."""
    rng = kernel.rng
    tile, name = kernel.need(("ij", "i", "j")), pick(rng, kernel.variables)
    source = {"ij": "A", "i": "U", "j": "V"}[tile.axes] if tile else None
    if not tile:
        return None
    step, (bound, clamp) = int(rng.integers(0, 5)), kernel.bounded(tile)
    fixed = bool(rng.random() < 0.3)
    starts = [str(step) if fixed else f"({name} % 3 + 3) % 3 * {step}"] + [f"bx * {kernel.BN}"] * (len(tile.axes) - 1)
    more = pick(rng, ("", "", ", coalesced_width=1", ", coalesced_width=2"))

    def run(env):
        first, sizes = step if fixed else int(env[name]) % 3 * step, kernel.shape(tile.axes)
        whole = np.pad(env["given " + source], [(0, 80)] * len(sizes))[first:first + sizes[0]]
        part = whole[:, env["origin j"]:env["origin j"] + kernel.BN] if tile.axes == "ij" else whole
        env[tile.name][...] = ex.converted(part, tile.dtype)
        clamp(env)
    return kernel.step(lambda: [f"T.copy({source}[{', '.join(starts)}], {tile.name}{more})"] + bound, run)


def cube(kernel):
    """Several versions of a tile in one buffer, written and read by slices that a variable chooses; or their sum."""
    rng = kernel.rng
    a = kernel.need(("ij", "i", "j"), dtypes=("int32", "float32", "int64"))
    b = kernel.need((a.axes,), dtypes=(a.dtype,)) if a else None
    if not b:
        return None
    n, name, p = int(rng.integers(1, 4)), kernel.fresh("cube"), kernel.fresh("p")
    first, second = pick(rng, kernel.variables), pick(rng, kernel.variables)
    scope, (bound, clamp) = pick(rng, ("shared", "fragment")), kernel.bounded(b)
    summed = rng.random() < 0.4
    chosen = [f"({v} % {n} + {n}) % {n}" if scope == "shared" else str(k) for v, k in ((first, 0), (second, n - 1))]
    slices = [", ".join([c] + [pick(rng, (":", f"0:{size}")) for size in kernel.shape(a.axes)]) for c in chosen]
    index = ", ".join(a.axes)
    axes_extents = f"{n}, {kernel.extents(a.axes)}"

    def run(env):
        whole = np.stack([ex.converted(np.broadcast_to(k, env[a.name].shape), a.dtype) for k in range(n)])
        whole[int(env[first]) % n if scope == "shared" else 0] = env[a.name]
        env[b.name][...] = whole.sum(axis=0, dtype=whole.dtype) if summed else whole[int(env[second]) % n if scope == "shared" else n - 1]
        clamp(env)
    last = f"T.reduce_sum({name}, {b.name}, dim=0)" if summed else f"T.copy({name}[{slices[1]}], {b.name})"
    return kernel.step(lambda: [
        f'{name} = T.alloc_{scope}(({axes_extents}), "{a.dtype}")', f"for {p}, {index} in T.Parallel({axes_extents}):",
        f"    {name}[{p}, {index}] = T.cast({p}, {a.dtype!r})", f"T.copy({a.name}, {name}[{slices[0]}])", last] + bound, run)


def turned(kernel):
    """Elements of a tile, and perhaps a variable, that change places in one assignment: all are read first."""
    rng, tile = kernel.rng, kernel.need(("ij", "i", "j"), "shared")
    if not tile:
        return None
    size = int(np.prod(kernel.shape(tile.axes)))
    places = [np.unravel_index(int(k), kernel.shape(tile.axes)) for k in rng.integers(0, size, int(rng.integers(2, 4)))]
    order = [int(k) for k in rng.permutation(len(places))]
    texts = [f"{tile.name}[{', '.join(map(str, place))}]" for place in places]

    def run(env):
        values = [env[tile.name][places[k]] for k in order]
        for place, value in zip(places, values):
            env[tile.name][place] = value
    return kernel.step(lambda: [f"{', '.join(texts)} = {', '.join(texts[k] for k in order)}"], run)


def nothing(kernel):
    """A loop without iterations, known when the kernel is compiled or not."""
    rng, tile, name = kernel.rng, kernel.need(("ij", "i", "j", "ji")), kernel.fresh("e")
    none = pick(rng, ("0", "-2", "bx - 200", "by * 0"))
    head = pick(rng, ("{0} in T.Parallel({1})", "{0}, {0}b in T.Parallel(4, {1})", "{0}, {0}b in T.Parallel({1}, 4)",
                      "{0} in T.serial({1})", "{0} in T.Pipelined({1}, num_stages=2)", "{0} in T.serial(5, {1} + 5)"))
    if tile is None or (tile.scope == "fragment" and "Parallel" in head and not none.lstrip("-").isdigit()):
        return None
    index = ", ".join("0" if "Parallel" not in head or k else f"{name} * 0" for k in range(len(tile.axes)))
    return kernel.step(lambda: [f"for {head.format(name, none)}:", f"    {tile.name}[{index}] = T.cast(7, {tile.dtype!r})"],
                       lambda env: None)


MAKERS = (turned, nothing, copy_box, reload, cube, *random_control.MAKERS, *random_reductions.MAKERS, *random_layouts.MAKERS, *random_matrices.MAKERS,
          *random_threads.MAKERS, *random_parts.MAKERS, *random_together.MAKERS, *random_values.MAKERS,
          *random_foreign.MAKERS)
