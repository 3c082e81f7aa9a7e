# SPDX-License-Identifier: Apache-2.0
"""Random kernels of inexact floats: chains of elementary functions, casts and row reductions in three formats.

Every value of the reference comes with a bound of its error, carried through by the derivatives, so NumPy
in float64 is held against within what the arithmetic allows; passes, levels and C still give equal bits.
"""
import dataclasses

import numpy as np

from random_expressions import pick
from random_kernel import Step

EPS = {"float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
NARROW = {"float8_e4m3fnuz": 2.0**-3, "float8_e5m2fnuz": 2.0**-2, "float4_e2m1fn": 2.0**-1}
TINY = {"float32": 2.0**-126, "float16": 2.0**-14, "bfloat16": 2.0**-126,  # below it spacing is absolute
        "float8_e4m3fnuz": 2.0**-7, "float8_e5m2fnuz": 2.0**-15, "float4_e2m1fn": 1.0}
MOST = 8  # values are kept within +-MOST


@dataclasses.dataclass
class Real:
    text: str
    value: object   # (env) -> (values, bounds of their errors)
    dtype: str


def rounded(v, e, dtype, ulps=1):
    size = np.abs(v) + (e if dtype in NARROW else 0)
    return v, e + ulps * {**EPS, **NARROW}[dtype] * (size + TINY[dtype])


def cast(x, dtype):
    if x.dtype == dtype:
        return x
    return Real(f"T.cast({x.text}, {dtype!r})", lambda env: rounded(*x.value(env), dtype), dtype)


def bounded(x):
    n = f"T.cast({MOST}, {x.dtype!r})"
    low = f"T.cast({-MOST}, {x.dtype!r})"
    return Real(f"T.max(T.min({x.text}, {n}), {low})", lambda env: (lambda v, e: (np.clip(v, -MOST, MOST), e))(*x.value(env)), x.dtype)


# text, function, bound of the derivative's size for |x| <= MOST, ulps of the result
UNARY = (("T.exp(-T.abs({}))", lambda v: np.exp(-np.abs(v)), 1, 3), ("T.exp2(-T.abs({}))", lambda v: np.exp2(-np.abs(v)), 1, 3),
         ("T.tanh({})", np.tanh, 1, 4), ("T.sin({})", np.sin, 1, 4), ("T.cos({})", np.cos, 1, 4),
         ("T.sqrt(T.abs({}) + 1)", lambda v: np.sqrt(np.abs(v) + 1), 0.5, 2), ("T.rsqrt(T.abs({}) + 1)", lambda v: (np.abs(v) + 1) ** -0.5, 0.5, 3),
         ("T.log(T.abs({}) + 1)", lambda v: np.log1p(np.abs(v)), 1, 6), ("T.sigmoid({})", lambda v: 1 / (1 + np.exp(-v)), 0.25, 6),
         ("T.abs({})", np.abs, 1, 0), ("(-{})", np.negative, 1, 0), ("(1 / (T.abs({}) + 1))", lambda v: 1 / (np.abs(v) + 1), 1, 3))


def unary(rng, x):
    text, function, slope, ulps = pick(rng, UNARY)

    def value(env):
        v, e = x.value(env)
        inner = {**EPS, **NARROW}[x.dtype] * (np.abs(v) + 1) if "+ 1" in text else 0  # of |x| + 1, rounded on the way
        return rounded(function(v), slope * (e + inner), x.dtype, ulps)
    return Real(text.format(x.text), value, x.dtype)


def binary(rng, x, y):
    word = pick(rng, ("+", "-", "*", "max", "min"))

    def value(env):
        (a, ea), (b, eb) = x.value(env), y.value(env)
        if word in ("max", "min"):
            return (np.maximum if word == "max" else np.minimum)(a, b), np.maximum(ea, eb)
        if word == "*":
            return rounded(a * b, np.abs(a) * eb + np.abs(b) * ea + ea * eb, x.dtype)
        return rounded(a + b if word == "+" else a - b, ea + eb, x.dtype)
    text = f"T.{word}({x.text}, {y.text})" if word in ("max", "min") else f"({x.text} {word} {y.text})"
    return bounded(Real(text, value, x.dtype))


class FloatKernel:
    """The same face as random_kernel.ExactKernel."""
    terms = 1

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        self.BM, self.BN = int(pick(rng, (1, 4, 8, 16))), int(pick(rng, (3, 8, 16, 32, 64)))
        self.M, self.N = int(rng.integers(1, 3 * self.BM + 1)), int(rng.integers(1, 3 * self.BN + 1))
        self.threads, self.dtypes = int(pick(rng, (32, 64, 128))), {x: pick(rng, ("float32", "float16")) for x in "ABC"}
        self.names, self.steps = {}, []  # of tiles and rows: (dtype, indices)
        self.in_pairs = []  # two elements in a byte: no reduction takes them
        for _ in range(int(rng.integers(1, 6))):
            self.steps.append(self.tile() if not self.names or rng.random() < 0.6 else self.row())
        self.last = cast(self.expression(3, "float32"), self.dtypes["C"])

    def leaf(self, dtype):
        rng = self.rng
        if not self.names or rng.random() < 0.3:
            name = pick(rng, "AB")
            text = f"{name}[by * {self.BM} + i, bx * {self.BN} + j]"
            return cast(Real(text, lambda env: (env[name], 0 * env[name]), self.dtypes[name]), dtype)
        if rng.random() < 0.15:
            n = int(rng.integers(-16, 17)) / 4
            exact = np.asarray(n), 0.0
            return Real(f"T.cast({n}, {dtype!r})", lambda env: rounded(*exact, dtype) if dtype in NARROW else exact, dtype)
        name = pick(rng, list(self.names))
        kept, index = self.names[name]
        return cast(Real(f"{name}[{index}]", lambda env: env[name], kept), dtype)

    def expression(self, depth, dtype):
        if depth == 0:
            return self.leaf(dtype)
        x = self.expression(depth - 1, dtype)
        if self.rng.random() < 0.4:
            return unary(self.rng, bounded(x))
        if self.rng.random() < 0.2:
            return cast(cast(x, pick(self.rng, list(EPS))), dtype)
        return binary(self.rng, x, self.expression(depth - 1, dtype))

    def tile(self):
        scope, dtype, name = pick(self.rng, ("fragment", "shared")), pick(self.rng, ("float32", *EPS)), f"t{len(self.names)}"
        if self.rng.random() < 0.25:
            dtype = pick(self.rng, list(NARROW))
        if scope == "shared" and dtype == "float4_e2m1fn":
            self.in_pairs.append(name)
        made = cast(self.expression(2, pick(self.rng, (dtype, "float32"))), dtype)
        self.names[name] = dtype, "i, j"

        def run(env):
            env[name] = tuple(np.broadcast_to(x, (self.BM, self.BN)) for x in made.value(env))
        return Step(lambda: [f'{name} = T.alloc_{scope}(({self.BM}, {self.BN}), "{dtype}")',
                             f"for i, j in T.Parallel({self.BM}, {self.BN}):", f"    {name}[i, j] = {made.text}"], run)

    def row(self):
        """The largest or the mean of each row of a tile."""
        tiles = [n for n, (_, index) in self.names.items() if index == "i, j" and n not in self.in_pairs]
        if not tiles:
            return self.tile()
        source = pick(self.rng, tiles)
        dtype, name, op = self.names[source][0], f"r{len(self.names)}", pick(self.rng, ("max", "min", "sum", "absmax"))
        op = "max" if dtype in NARROW and op == "sum" else op  # sums saturate
        self.names[name] = dtype, "i"
        scale = 1 / self.BN if op == "sum" else 1

        def run(env):
            v, e = env[source]
            whole = np.abs(v) if op == "absmax" else v
            if op != "sum":
                made = (np.min if op == "min" else np.max)(whole, 1, keepdims=True), e.max(1, keepdims=True)
            else:
                size = np.abs(v).sum(1, keepdims=True)
                made = v.mean(1, keepdims=True), (e.sum(1, keepdims=True) + self.BN * EPS[dtype] * (size + TINY[dtype])) * scale * 1.1
            env[name] = rounded(*made, dtype, 3 if op == "sum" else 0)
        lines = [f'{name} = T.alloc_fragment(({self.BM},), "{dtype}")', f"T.reduce_{op}({source}, {name}, dim=1)"]
        mean = [f"for i in T.Parallel({self.BM}):", f"    {name}[i] = {name}[i] * T.cast({scale!r}, {dtype!r})"]
        return Step(lambda: lines + (mean if op == "sum" else []), run)

    def simpler(self):
        """Besides leaving statements out: nothing."""
        return ()

    def source(self):
        arguments = [f'{x}: T.Tensor(({self.M}, {self.N}), "{d}")' for x, d in self.dtypes.items()]
        lines = ["@T.prim_func", f"def main({', '.join(arguments)}):",
                 f"    with T.Kernel(T.ceildiv({self.N}, {self.BN}), T.ceildiv({self.M}, {self.BM}), threads={self.threads}) as (bx, by):"]
        body = [line for step in self.steps for line in step.lines()] + [
            f"for i, j in T.Parallel({self.BM}, {self.BN}):", f"    C[by * {self.BM} + i, bx * {self.BN} + j] = {self.last.text}"]
        return "\n".join(lines + ["        " + line for line in body]) + "\n"

    def inputs(self, rng):
        return [rng.uniform(-4, 4, (self.M, self.N)).astype(self.dtypes[x]) for x in "AB"]

    def outputs(self):
        return [2]

    def whole(self, inputs):
        """(values, bounds of their errors) of C, all blocks."""
        value, error = np.zeros((2, self.M, self.N))
        rows, columns = -(-self.M // self.BM), -(-self.N // self.BN)
        padded = [np.pad(x.astype(np.float64), [(0, rows * self.BM - self.M), (0, columns * self.BN - self.N)]) for x in inputs]
        for y in range(0, self.M, self.BM):
            for x in range(0, self.N, self.BN):
                env = dict(zip("AB", (p[y:y + self.BM, x:x + self.BN] for p in padded)))
                for step in self.steps:
                    step.run(env)
                for to, made in zip((value, error), self.last.value(env)):
                    part = to[y:y + self.BM, x:x + self.BN]
                    part[...] = np.broadcast_to(made, (self.BM, self.BN))[:part.shape[0], :part.shape[1]]
        return value, error

    def reference(self, inputs):
        value, self.error = self.whole(inputs)
        return [value]

    def magnitude(self, expected):
        """case.tolerance() then is the bound: 4 times float32's eps times this."""
        return self.error / (4 * EPS["float32"])
