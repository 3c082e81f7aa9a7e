# SPDX-License-Identifier: Apache-2.0
"""Accesses of other people's kernels in random kernels: foreign functions of values and of rows, gathers whose index is data,
explicit barriers in loops."""
import numpy as np
import tilelang.language as T

import random_expressions as ex
from random_expressions import pick

# The emulation compiles the source; the simulator and the cpu run the models. Several kernels are one file.
SOURCE = ("#ifndef RANDOM_FOREIGN\\n#define RANDOM_FOREIGN\\n"
          "__device__ int random_mixed(int x, int n) { return x < n ? n - x : (x & 15) + n; }\\n"
          "template <class S, class D> __device__ void random_turned(S* source, D* out, int n) "
          "{ for (int i = 0; i < n; ++i) out[i] = source[n - 1 - i]; }\\n#endif\\n")


@T.extern_model("random_mixed")
def mixed(x, n):
    return T.if_then_else(x < n, n - x, (x & 15) + n)


@T.extern_model("random_turned")
@T.macro
def turned(source, out, n):
    for i in T.serial(n):
        out[i] = source[n - 1 - i]


def foreign_value(kernel):
    """A foreign function of the values of each iteration, perhaps under a condition."""
    rng = kernel.rng
    tile = kernel.need(("ij", "i", "j"), dtypes=("int32", "int64", "float32", "int16"))
    if not tile:
        return None
    axes, n = tile.axes, int(rng.integers(-3, 9))
    value, (bound, clamp) = kernel.value(axes, "int32", 2, but=tile.name), kernel.bounded(tile)
    test = kernel.condition(axes, but=tile.name) if rng.random() < 0.3 else None

    def run(env):
        inner, shape = kernel.grid(env, axes)
        x = np.broadcast_to(value[0].value(inner), shape).astype(np.int32)
        made = ex.converted(np.where(x < n, np.int32(n) - x, (x & 15) + np.int32(n)).astype(np.int32), tile.dtype)
        chosen = np.broadcast_to(test.value(inner), shape) if test else np.full(shape, True)
        env[tile.name][chosen] = made[chosen]
        clamp(env)

    def lines():
        call = f'T.call_extern("int32", "random_mixed", {value[0].text}, {n})'
        store = f"{tile.name}[{', '.join(axes)}] = T.cast({call}, {tile.dtype!r})"
        return [f'T.import_source("{SOURCE}")', f"for {', '.join(axes)} in T.Parallel({kernel.extents(axes)}):",
                *([f"    if {test.text}:", f"        {store}"] if test else [f"    {store}"])] + bound
    return kernel.step(lines, run, value=value)


def foreign_rows(kernel):
    """Each thread passes a row of shared memory to a foreign function, which writes another one: the compiler orders them."""
    rng = kernel.rng
    source = kernel.need(("ij",), "shared")
    target = kernel.need(("ij",), "shared", dtypes=(source.dtype,), but=source) if source else None
    if not target or kernel.BM > kernel.threads:
        return None
    tx, n = kernel.fresh("tx"), int(rng.integers(1, kernel.BN + 1))
    first, into = (int(rng.integers(0, kernel.BN - n + 1)) for _ in range(2))

    def run(env):
        env[target.name][:, into:into + n] = env[source.name][:, first:first + n][:, ::-1]
    return kernel.step(lambda: [
        f'T.import_source("{SOURCE}")', f"{tx} = T.get_thread_binding()", f"if {tx} < {kernel.BM}:",
        f'    T.call_extern("handle", "random_turned", T.access_ptr({source.name}[{tx}, {first}], "r", {n}), '
        f'T.access_ptr({target.name}[{tx}, {into}], "w", {n}), {n})'], run)


def gathered(kernel):
    """Rows or elements of an argument, or of a shared tile, that values of memory select; perhaps beyond the end, where zeros are."""
    rng = kernel.rng
    tile = kernel.need(("ij", "i", "j"))
    if not tile:
        return None
    axes = tile.axes
    name = {"ij": "A", "i": "U", "j": "V"}[axes]
    rows = (kernel.M if axes[0] == "i" else kernel.N) + int(rng.integers(0, 3))
    extent = kernel.rows_text() if axes[0] == "i" else kernel.columns_text()
    limit = f"{extent} + {rows - (kernel.M if axes[0] == 'i' else kernel.N)}"
    index, (bound, clamp) = kernel.value(axes[0], "int32", 2, but=tile.name), kernel.bounded(tile)
    through = rng.random() < 0.5  # the index is kept in shared memory first
    kept, tail = kernel.fresh("rows"), {"ij": f", bx * {kernel.BN} + j", "i": "", "j": ""}[axes]

    def run(env):
        inner, shape = kernel.grid(env, axes)
        line, _ = kernel.grid(env, axes[0])
        at = np.broadcast_to(index[0].value(line), line[axes[0]].shape).astype(np.int64) % rows
        padded = np.pad(env["given " + name], [(0, 80)] * len(axes))
        at = at.reshape([-1] + [1] * (len(axes) - 1)) + np.zeros(shape, np.int64)
        places = (at, env["origin j"] + inner["j"]) if axes == "ij" else (at,)
        env[tile.name][...] = ex.converted(padded[places], tile.dtype)
        clamp(env)

    def lines():
        row = f"({index[0].text} % ({limit}) + ({limit})) % ({limit})"
        read = f"{kept}[{axes[0]}]" if through else row
        keep = [f'{kept} = T.alloc_shared(({kernel.extents(axes[0])},), "int32")', f"for {axes[0]} in T.Parallel({kernel.extents(axes[0])}):",
                f"    {kept}[{axes[0]}] = {row}"] if through else []
        return keep + [f"for {', '.join(axes)} in T.Parallel({kernel.extents(axes)}):",
                       f"    {tile.name}[{', '.join(axes)}] = T.cast({name}[{read}{tail}], {tile.dtype!r})"] + bound
    return kernel.step(lines, run, value=index)


def by_barriers(kernel):
    """Threads write a shared line and read what others wrote, in a loop whose iterations an explicit barrier separates."""
    rng = kernel.rng
    tile = kernel.need(("i", "j"), "shared")
    if not tile or kernel.shape(tile.axes)[0] > kernel.threads:
        return None
    n, count, add = kernel.shape(tile.axes)[0], 2 * int(rng.integers(1, 3)), int(rng.integers(0, 5))  # an even number of phases
    tx, k, bar, own = (kernel.fresh(letter) for letter in ("tx", "k", "bar", "own"))
    bound, clamp = kernel.bounded(tile)

    def run(env):
        for _ in range(count):
            env[tile.name][...] = ex.converted(env[tile.name][::-1] + ex.converted(add, tile.dtype), tile.dtype)
            clamp(env)

    def lines():
        inside = [f"{own} = T.alloc_var({tile.dtype!r}, 0)", f"if {tx} < {n}:", f"    {own} = {tile.name}[{n - 1} - {tx}]",
                  f"T.barrier_arrive({bar})", f"T.barrier_wait({bar}, {k} % 2)", f"if {tx} < {n}:",
                  f"    {tile.name}[{tx}] = {own} + T.cast({add}, {tile.dtype!r})", "T.sync_threads()"]
        return [f"{bar} = T.alloc_barrier({kernel.threads})", f"{tx} = T.get_thread_binding()", "T.sync_threads()", f"for {k} in T.serial({count}):",
                *("    " + line for line in inside + bound)]
    return kernel.step(lines, run)


MAKERS = (foreign_value, foreign_rows, gathered, gathered, by_barriers)
