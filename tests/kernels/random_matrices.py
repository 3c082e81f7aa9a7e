# SPDX-License-Identifier: Apache-2.0
"""Products of matrices of small integers in random kernels: transposes, fragments, chains, pipelines."""
import numpy as np

from random_expressions import converted, pick

FORMATS = {"float16": "float32", "bfloat16": "float32", "float32": "float32", "float8_e4m3fn": "float32", "float8_e5m2": "float32",
           "int8": "int32"}


def accumulator(kernel, narrow=()):
    """(a tile that may hold a sum, the format of the operands), or None. `narrow`: other formats of it."""
    rng = kernel.rng
    target = kernel.need(("ij",), "fragment", ("float32", "int32", *narrow))
    if not target:
        return None
    return target, pick(rng, [f for f in kernel.operands if FORMATS[f] == target.dtype] or [target.dtype])


def clear_text(rng):
    """(the argument, whether it clears)."""
    return pick(rng, (("", False), (", clear_accum=True", True), (", clear_accum=False", False)))


def store(kernel, name, rows, columns, text, dtype):
    i, j = kernel.fresh("p"), kernel.fresh("q")
    return [f"for {i}, {j} in T.Parallel({rows}, {columns}):",
            f"    {name}[{i}, {j}] = T.cast({text.format(i, j)}, '{dtype}')"]


class Operand:
    """A matrix of the kernel's own, a pattern over its indices in -3..3, stored transposed or not."""

    def __init__(self, kernel, rows, columns, dtype):
        rng = kernel.rng
        self.name, self.transposed = kernel.fresh("g"), bool(rng.random() < 0.5)
        self.scope, self.dtype = pick(rng, ("shared", "shared", "fragment")), dtype
        self.a, self.b, self.variable = int(rng.integers(1, 7)), int(rng.integers(1, 7)), pick(rng, kernel.variables)
        self.shape = (columns, rows) if self.transposed else (rows, columns)
        self.pattern = f"({{0}} * {self.a} + {{1}} * {self.b} + {self.variable}) % 7 - 3"
        self.stored = store(kernel, self.name, *self.shape, self.pattern, dtype)

    def lines(self):
        return [f'{self.name} = T.alloc_{self.scope}({self.shape}, "{self.dtype}")', *self.stored]

    def value(self, env):
        i, j = np.meshgrid(*map(np.arange, self.shape), indexing="ij")
        made = (i * self.a + j * self.b + np.asarray(env[self.variable], np.int32).astype(np.int64)) % 7 - 3
        return made.T if self.transposed else made


def flag(letter, operand):
    return f", transpose_{letter}=True" if operand.transposed else ""


def gemm_of_patterns(kernel):
    """c (+)= a b, all transposes, operands in shared memory or fragments; narrow sums round once, at the end."""
    found = accumulator(kernel, ("float16", "bfloat16"))
    if not found:
        return None
    c, dtype = found
    depth = int(pick(kernel.rng, kernel.depths))
    a, b = Operand(kernel, kernel.BM, depth, dtype), Operand(kernel, depth, kernel.BN, dtype)
    (text, clears), (bound, clamp) = clear_text(kernel.rng), kernel.bounded(c)

    def run(env):
        made = a.value(env) @ b.value(env) + (0 if clears else env[c.name].astype(np.int64))
        env[c.name][...] = converted(made, c.dtype)
        clamp(env)
    return kernel.step(lambda: a.lines() + b.lines() + [
        f"T.gemm({a.name}, {b.name}, {c.name}{flag('A', a)}{flag('B', b)}{text})"] + bound, run)


def chained(kernel):
    """A product whose result, reduced modulo 5, is an operand of the next, as in attention."""
    found = accumulator(kernel)
    if not found:
        return None
    c, dtype = found
    rng, depth = kernel.rng, int(pick(kernel.rng, kernel.depths))
    a, b, v = (Operand(kernel, *shape, dtype) for shape in
               ((kernel.BM, depth), (depth, kernel.BN), (kernel.BN, kernel.BN)))
    sums, part, i, j = (kernel.fresh("h") for _ in range(4))
    scope, (bound, clamp) = pick(rng, ("shared", "fragment")), kernel.bounded(c)

    def run(env):
        between = np.mod(a.value(env) @ b.value(env), 5)
        env[c.name][...] = (env[c.name].astype(np.int64) + between @ v.value(env)).astype(c.dtype)
        clamp(env)
    return kernel.step(lambda: a.lines() + b.lines() + v.lines() + [
        f'{sums} = T.alloc_fragment(({kernel.extents("ij")}), "{c.dtype}")',
        f'{part} = T.alloc_{scope}(({kernel.extents("ij")}), "{dtype}")', f"T.clear({sums})",
        f"T.gemm({a.name}, {b.name}, {sums}{flag('A', a)}{flag('B', b)})",
        f"for {i}, {j} in T.Parallel({kernel.extents('ij')}):",
        f"    {part}[{i}, {j}] = T.cast(T.cast({sums}[{i}, {j}], 'int32') % 5, '{dtype}')",
        f"T.gemm({part}, {v.name}, {c.name}{flag('B', v)})"] + bound, run)


def pipelined(kernel):
    """Tiles of A times tiles of A, over a ring of 0 to 3 slots; the copies have tails."""
    found = accumulator(kernel)
    if not found:
        return None
    c, _ = found
    rng, depth = kernel.rng, int(pick(kernel.rng, kernel.depths))
    formats = ("float32", "float16", "bfloat16") if c.dtype == "float32" else ("int8",)
    own = kernel.input_dtype["A"]  # what an engine can copy as it is
    dtype = own if own in formats and rng.random() < 0.7 else pick(rng, formats)
    a, b, k = (kernel.fresh("g") for _ in range(3))
    stages, count = int(rng.integers(0, 4)), f"T.ceildiv({kernel.columns_text()}, {depth})"
    swap, (bound, clamp) = bool(rng.random() < 0.5), kernel.bounded(c)
    first, second = (b, a) if swap else (a, b)
    start = {a: f"by * {kernel.BM}", b: f"bx * {kernel.BN}"}

    def run(env):
        whole = np.pad(env["padded A"].astype(np.int64), [(0, 256), (0, 64)])[:, :-(-kernel.N // depth) * depth]
        rows = [whole[s:s + n] for s, n in ((int(env["by"]) * kernel.BM, kernel.BM), (int(env["bx"]) * kernel.BN, kernel.BN))]
        env[c.name][...] = (env[c.name].astype(np.int64) + rows[0] @ rows[1].T).astype(c.dtype)
        clamp(env)
    return kernel.step(lambda: [
        f'{a} = T.alloc_shared(({kernel.BM}, {depth}), "{dtype}")', f'{b} = T.alloc_shared(({kernel.BN}, {depth}), "{dtype}")',
        f"for {k} in T.Pipelined({count}, num_stages={stages}):",
        f"    T.copy(A[{start[first]}, {k} * {depth}], {first})", f"    T.copy(A[{start[second]}, {k} * {depth}], {second})",
        f"    T.gemm({a}, {b}, {c.name}, transpose_B=True)"] + bound, run)


MAKERS = (gemm_of_patterns, gemm_of_patterns, chained, pipelined)
