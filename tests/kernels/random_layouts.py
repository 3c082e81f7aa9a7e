# SPDX-License-Identifier: Apache-2.0
"""Explicit layouts in random kernels: of shared tiles, of fragments, of loops."""
import numpy as np

import random_expressions as ex
from random_expressions import pick

SWIZZLES = {128: "T.make_full_bank_swizzled_layout({0})", 64: "T.make_half_bank_swizzled_layout({0})",
            32: "T.make_quarter_bank_swizzled_layout({0})"}
SHARED = ("T.make_swizzled_layout({0})", "T.make_linear_layout({0})", "T.Layout(({1}, {2}), lambda i, j: i * {pitch} + j)",
          "T.Layout(({1}, {2}), lambda i, j: [j, i])", "T.Layout(({1}, {2}), lambda i, j: [i // 2, j, i % 2])")

# No digits of the indices give these: rows that are turned, mirrored or exchanged by the other index.
SCATTERED = ("lambda i, j: [i, (j + i * {step}) % {2}]", "lambda i, j: [i, j if i % 2 == 0 else {2} - 1 - j]",
             "lambda i, j: i * {pitch} + {2} - 1 - j", "lambda i, j: [j, {1} - 1 - i]", "lambda i, j: [i, j ^ i % 4]",
             "lambda i, j: [(i + j) % {1}, j]", "T.Layout(({1}, {2}), lambda i, j: (i * {2} + j) * {prime} % {all})")


def prime_to(rng, n):
    """A number without common divisors with n."""
    return pick(rng, [p for p in (3, 5, 7, 11, 13) if n % p])


def scattered(kernel, tile):
    """A layout of a shared tile that has no digits."""
    rows, columns = kernel.shape(tile.axes)
    rng = kernel.rng
    text = pick(rng, SCATTERED)
    text = text.format(
        tile.name, rows, columns, all=rows * columns, step=int(rng.integers(1, 9)), pitch=columns + int(rng.integers(0, 5)), prime=prime_to(rng, rows * columns))
    return text if rng.random() < 0.5 or text.startswith("T.") else f"T.Layout(({rows}, {columns}), {text})"


def shared(kernel, tile):
    """A layout of a shared tile: a swizzle as wide as its rows, padded rows, its dimensions in another order, or no digits at all."""
    if kernel.rng.random() < 0.4:
        return scattered(kernel, tile)
    rows, columns = kernel.shape(tile.axes)
    fit = [text for width, text in SWIZZLES.items() if rows % 8 == 0 and columns * ex.numpy_dtype(tile.dtype).itemsize % (2 * width) == 0]
    odd = rows % 2 and rows > 1
    texts = SHARED[:4] if odd else SHARED
    return pick(kernel.rng, (*fit, *texts)).format(tile.name, rows, columns, pitch=columns + int(kernel.rng.integers(0, 5)))


def fragment(kernel, axes):
    """A T.Fragment over the tile: how its elements, in one order or another, are dealt to the threads."""
    rng, sizes, threads = kernel.rng, kernel.shape(axes), kernel.threads
    names = ", ".join(axes)
    places = [" + ".join([f"{axes[0]} * {sizes[1]}", axes[1]]), " + ".join([f"{axes[1]} * {sizes[0]}", axes[0]]),
              axes[0], axes[1]] if len(axes) == 2 else [axes]
    place = pick(rng, places)
    copies = pick(rng, (1, 1, 1, 2, 4))
    group = threads // copies
    extents = ", ".join(map(str, sizes)) + ","
    n = sizes[axes.index(place)] if place in axes else int(np.prod(sizes))
    if copies > 1 and (group % n == 0 or n % group == 0):
        return f"T.Fragment(({extents}), forward_thread_fn=lambda {names}, rep: ({place}) % {group} + rep * {group}, replicate={copies})"
    width = pick(rng, (1, 2, 4))
    if rng.random() < 0.4:
        return f"T.Fragment(({extents}), forward_thread_fn=lambda {names}: ({place}) // {width} % {threads})"
    if place in axes and len(axes) == 2:
        other = axes[1 - axes.index(place)]
        n = sizes[axes.index(other)]
        return f"T.Fragment(({extents}), forward_fn=lambda {names}: ({place} % {threads}, {place} // {threads} * {n} + {other}))"
    return f"T.Fragment(({extents}), forward_fn=lambda {names}: (({place}) % {threads}, ({place}) // {threads}))"


def annotation(kernel):
    """T.annotate_layout of one tile, at the top of the kernel."""
    rng = kernel.rng
    tile = pick(rng, [t for t in kernel.tiles if t.scope == "fragment" or len(t.axes) == 2])
    if not tile or tile.name in kernel.annotated:
        return None
    kernel.annotated.add(tile.name)
    text = fragment(kernel, tile.axes) if tile.scope == "fragment" else shared(kernel, tile)
    return kernel.step(lambda: [f"T.annotate_layout({{{tile.name}: {text}}})"], lambda env: None)


def copy_with_layout(kernel):
    """T.copy between tiles, the loop's layout given."""
    rng = kernel.rng
    pairs = [(a, b) for a in kernel.tiles for b in kernel.tiles
             if a is not b and a.axes == b.axes and "shared" in (a.scope, b.scope)]
    found = pick(rng, pairs)
    if not found:
        return None
    a, b = found
    layout, (bound, clamp) = fragment(kernel, a.axes), kernel.bounded(b)

    def run(env):
        env[b.name][...] = ex.converted(env[a.name], b.dtype)
        clamp(env)
    return kernel.step(lambda: [f"T.copy({a.name}, {b.name}, loop_layout={layout})"] + bound, run)


MAKERS = (copy_with_layout,)
