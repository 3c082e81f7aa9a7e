# SPDX-License-Identifier: Apache-2.0
"""Random kernels: their TileLang text, and what they compute as NumPy over whole tiles, block by block.

A kernel reads A (M, N), U (M,) and V (N,), keeps tiles in fragments and shared memory, and writes one
tile of its output per block. Every tile is written whole before it is read, no loop reads another
iteration's element of the buffer that it writes, and the values are exact (see random_expressions.py): so
every level, pass, target and text has to give these bits, and no watcher may find anything.
"""
import dataclasses

import numpy as np

import random_expressions as ex
import random_statements


@dataclasses.dataclass
class Tile:
    name: str
    scope: str      # "fragment" or "shared"
    axes: str       # "ij", "i", "j" or "ji": which of the block's two axes it has
    dtype: str


@dataclasses.dataclass
class Step:
    """One statement: its lines, and what it does to env."""
    lines: object            # () -> list of lines
    run: object              # (env) -> None
    bodies: tuple = ()       # the lists of statements inside
    value: list = None       # [what it stores]: an expression, which may be replaced by a smaller one


class Kernel:
    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        pick = lambda *choices: choices[rng.integers(len(choices))]  # noqa: E731
        self.BM, self.BN = int(pick(1, 2, 4, 5, 8, 16, 32)), int(pick(1, 3, 8, 16, 24, 32, 64))
        self.M, self.N = int(rng.integers(1, 3 * self.BM + 1)), int(rng.integers(1, 3 * self.BN + 1))
        self.threads = int(pick(32, 64, 96, 128, 256))
        self.input_dtype = {x: pick("float32", "int32", "int16", "uint8", "float16") for x in "AUV"}
        self.out_dtype = pick("float32", "int32", "int64", "int8")
        self.dynamic = rng.random() < 0.25  # M and N are known at run time only
        self.tiles, self.ready, self.variables, self.named = [], set(), ["bx", "by"], 0
        self.steps = []
        for _ in range(int(rng.integers(2, 6))):
            self.tiles.append(self.new_tile())
        for tile in self.tiles:
            self.steps.append(self.first_write(tile))
            self.ready.add(tile.name)
        self.steps += [self.statement(2) for _ in range(int(rng.integers(1, 7)))]
        self.steps.append(self.final())

    # -- the parts of a kernel ---------------------------------------------------------------
    def new_tile(self):
        rng = self.rng
        scope = ("fragment", "shared")[rng.integers(2)]
        axes = ("ij", "ij", "i", "j", "ji")[rng.integers(5 if scope == "shared" else 4)]
        dtype = ("float32", "int32", "int32", "int64", "uint8", "int16", "uint32")[rng.integers(7)]
        return Tile(f"{scope[0]}{len(self.tiles)}", scope, axes, dtype)

    def step(self, *arguments):
        return Step(*arguments)

    def fresh(self, letter):
        self.named += 1
        return f"{letter}{self.named - 1}"

    def shape(self, axes):
        return tuple({"i": self.BM, "j": self.BN}[a] for a in axes)

    def extents(self, axes):
        return ", ".join(str(n) for n in self.shape(axes))

    def leaf(self, axes, allowed):
        """Operands inside a loop over `axes`; `allowed` says which tiles may be read, and how freely."""
        def make(rng):
            kind = rng.random()
            if kind < 0.2:
                name = axes[rng.integers(len(axes))]
                return ex.Expr(name, lambda env: env[name], "int32")
            if kind < 0.35:
                name = self.variables[rng.integers(len(self.variables))]
                return ex.Expr(name, lambda env: np.asarray(env[name], np.int32), "int32")
            if kind < 0.5:
                return self.global_element(rng, axes)
            choices = [t for t in self.tiles if t.name in self.ready and allowed(t) and set(t.axes) <= set(axes)]
            if not choices:
                return ex.constant(rng, "int32")
            return self.element(rng, choices[rng.integers(len(choices))])
        return make

    def element(self, rng, tile):
        """tile[i, j], and of shared memory also tile[i, BN - 1 - j] or tile[i, (j + 1) % BN]."""
        texts, functions = [], []
        for axis, extent in zip(tile.axes, self.shape(tile.axes)):
            way = rng.random() if tile.scope == "shared" and tile.name != self.target else 1
            if way < 0.2:
                texts.append(f"{extent - 1} - {axis}")
                functions.append(lambda env, a=axis, n=extent: n - 1 - env[a])
            elif way < 0.4:
                shift = int(rng.integers(1, 4))
                texts.append(f"({axis} + {shift}) % {extent}")
                functions.append(lambda env, a=axis, n=extent, s=shift: (env[a] + s) % n)
            else:
                texts.append(axis)
                functions.append(lambda env, a=axis: env[a])
        return ex.Expr(f"{tile.name}[{', '.join(texts)}]",
                       lambda env: env[tile.name][tuple(f(env) for f in functions)], tile.dtype)

    def global_element(self, rng, axes):
        """An element of an argument under the block's tile; beyond the end it reads as 0."""
        choices = [("V", "j")] if axes == "j" else [("U", "i")] if axes == "i" else [("A", "ij"), ("U", "i"), ("V", "j")]
        name, own = choices[rng.integers(len(choices))]
        at = {"i": f"by * {self.BM} + i", "j": f"bx * {self.BN} + j"}
        return ex.Expr(f"{name}[{', '.join(at[a] for a in own)}]",
                       lambda env: env["padded " + name][tuple(env["origin " + a] + env[a] for a in own)],
                       self.input_dtype[name])

    def first_write(self, tile):
        kind = self.rng.random()
        if kind < 0.4 and tile.axes in ("ij", "i", "j"):
            return self.copy_in(tile)
        if kind < 0.5:
            return self.fill(tile)
        return self.parallel(tile, guard=False)

    def statement(self, depth):
        rng = self.rng
        kind = rng.random()
        if depth and kind < 0.12:
            return self.loop(depth)
        if depth and kind < 0.22:
            return self.branch(depth)
        makers = [self.copy_between, self.reduce, self.refill, self.gemm, self.variable]
        if kind < 0.4:
            made = random_statements.pick(rng, random_statements.MAKERS)(self)
            if made:
                return made
        if kind < 0.65:
            made = makers[rng.integers(len(makers))]()
            if made:
                return made
        return self.parallel(self.tiles[rng.integers(len(self.tiles))], guard=rng.random() < 0.4)

    # -- statements ----------------------------------------------------------------------------
    def copy_in(self, tile):
        name = {"ij": "A", "i": "U", "j": "V"}[tile.axes]
        at = {"i": f"by * {self.BM}", "j": f"bx * {self.BN}"}
        start = ", ".join(at[a] for a in tile.axes)

        def run(env):
            window = tuple(slice(env["origin " + a], env["origin " + a] + n) for a, n in zip(tile.axes, self.shape(tile.axes)))
            env[tile.name][...] = ex.converted(env["padded " + name][window], tile.dtype)
        return Step(lambda: [f"T.copy({name}[{start}], {tile.name})"], run)

    def fill(self, tile):
        n = int(self.rng.integers(0, 5))
        text = f"T.clear({tile.name})" if n == 0 else f"T.fill({tile.name}, {n})"

        def run(env):
            env[tile.name][...] = n
        return Step(lambda: [text], run)

    def refill(self):
        return self.fill(self.tiles[self.rng.integers(len(self.tiles))])

    def copy_between(self):
        pairs = [(a, b) for a in self.tiles for b in self.tiles if a is not b and a.axes == b.axes]
        if not pairs:
            return None
        a, b = pairs[self.rng.integers(len(pairs))]

        def run(env):
            env[b.name][...] = ex.converted(env[a.name], b.dtype)
        return Step(lambda: [f"T.copy({a.name}, {b.name})"], run)

    def reduce(self):
        """Sums and extremes over one axis of a tile, into a tile of the other axis and the same dtype."""
        pairs = [(a, b) for a in self.tiles for b in self.tiles
                 if a.axes == "ij" and b.axes in "ij" and len(b.axes) == 1 and a.dtype == b.dtype]
        if not pairs:
            return None
        a, b = pairs[self.rng.integers(len(pairs))]
        dim = 1 if b.axes == "i" else 0
        op = ("sum", "max", "min")[self.rng.integers(3)]
        clear = bool(self.rng.random() < 0.6)
        function = {"sum": np.add, "max": np.maximum, "min": np.minimum}[op]
        bound = b.dtype == "float32"

        def run(env):
            made = function.reduce(env[a.name], axis=dim, dtype=a.dtype)
            made = made if clear else function(env[b.name], made)
            env[b.name][...] = np.clip(made, -ex.LIMIT, ex.LIMIT) if bound else made

        def lines():
            text = f"T.reduce_{op}({a.name}, {b.name}, dim={dim}{'' if clear else ', clear=False'})"
            x = f"{b.name}[{b.axes}]"
            clamp = f"T.max(T.min({x}, T.float32({ex.LIMIT})), T.float32({-ex.LIMIT}))"
            return [text] + ([f"for {b.axes} in T.Parallel({self.extents(b.axes)}):", f"    {x} = {clamp}"] if bound else [])
        return Step(lines, run)

    def gemm(self):
        """c += a @ b.T over float32 tiles of small integers; b is a or another shared tile."""
        sources = [t for t in self.tiles if t.axes == "ij" and t.scope == "shared" and t.dtype == "float32"]
        targets = [t for t in self.tiles if t.axes == "ij" and t.scope == "fragment" and t.dtype == "float32"]
        if not sources or not targets or self.BM % 8 or self.BN % 8 or self.BM != self.BN:
            return None
        a, b = (sources[self.rng.integers(len(sources))] for _ in range(2))
        c = targets[self.rng.integers(len(targets))]
        bounded = f"T.max(T.min({c.name}[i, j], T.float32({ex.LIMIT})), T.float32({-ex.LIMIT}))"

        def run(env):
            made = env[c.name].astype(np.int64) + env[a.name].astype(np.int64) @ env[b.name].astype(np.int64).T
            env[c.name][...] = np.clip(made, -ex.LIMIT, ex.LIMIT)

        def small(t):
            return [f"for i, j in T.Parallel({self.extents('ij')}):", f"    {t.name}[i, j] = T.max(T.min({t.name}[i, j], "
                    "T.float32(100)), T.float32(-100))"]

        def shrink(env):
            for t in (a, b):
                env[t.name][...] = np.clip(env[t.name], -100, 100)
            run(env)
        return Step(lambda: small(a) + small(b) + [f"T.gemm({a.name}, {b.name}, {c.name}, transpose_B=True)",
                                                   f"for i, j in T.Parallel({self.extents('ij')}):",
                                                   f"    {c.name}[i, j] = {bounded}"], shrink)

    def variable(self):
        """A variable of the block, used by later expressions of the same level."""
        name = self.fresh("n")
        value = [ex.expression(self.rng, lambda rng: ex.Expr(
            name_ := self.variables[rng.integers(len(self.variables))],
            lambda env: np.asarray(env[name_], np.int32), "int32"), 2, "int32")]
        self.variables.append(name)

        def run(env):
            env[name] = value[0].value(env)
        return Step(lambda: [f"{name} = {value[0].text}"], run, value=value)

    def parallel(self, tile, guard):
        rng, axes = self.rng, "".join(sorted(tile.axes))
        self.target = tile.name
        leaf = self.leaf(axes, lambda t: t.name != tile.name or t.axes == tile.axes)
        value = [ex.expression(rng, leaf, int(rng.integers(1, 4)), tile.dtype)]
        test = ex.condition(rng, leaf, 2) if guard else None
        self.target = None
        index = ", ".join(tile.axes)

        def run(env):
            inner = dict(env)
            grids = np.meshgrid(*[np.arange(n, dtype=np.int32) for n in self.shape(axes)], indexing="ij")
            inner.update(zip(axes, grids))
            made = np.broadcast_to(value[0].value(inner), grids[0].shape)
            chosen = np.broadcast_to(test.value(inner), grids[0].shape) if test else np.full(grids[0].shape, True)
            at = tuple(inner[a][chosen] for a in tile.axes)
            env[tile.name][at] = made[chosen]

        def lines():
            head = f"for {', '.join(axes)} in T.Parallel({self.extents(axes)}):"
            store = f"{tile.name}[{index}] = {value[0].text}"
            return [head, *([f"    if {test.text}:", f"        {store}"] if test else [f"    {store}"])]
        return Step(lines, run, value=value)

    def scoped(self, depth):
        """Statements of a body; what they define ends with it."""
        kept = list(self.variables)
        body = [self.statement(depth - 1) for _ in range(int(self.rng.integers(1, 4)))]
        self.variables = kept
        return body

    def loop(self, depth):
        name = self.fresh("k")
        how, n = self.rng.integers(4), int(self.rng.integers(0, 4))
        kept = list(self.variables)
        self.variables.append(name)
        body = self.scoped(depth)
        self.variables = kept
        extent = "bx + 1" if how == 0 else str(n)
        head = {0: "T.serial", 1: "T.serial", 2: "T.unroll", 3: "T.Pipelined"}[int(how)]

        def run(env):
            for k in range(int(env["bx"]) + 1 if how == 0 else n):
                env[name] = k
                for step in body:
                    step.run(env)
        stages = ", num_stages=2" if how == 3 else ""
        return Step(lambda: [f"for {name} in {head}({extent}{stages}):"] + indented(body), run, (body,))

    def branch(self, depth):
        names = list(self.variables)
        test = ex.condition(self.rng, lambda rng: ex.Expr(
            name := names[rng.integers(len(names))], lambda env: np.asarray(env[name], np.int32), "int32"), 2)
        body, other = self.scoped(depth), self.scoped(depth) if self.rng.random() < 0.5 else []

        def run(env):
            for step in body if test.value(env) else other:
                step.run(env)
        return Step(lambda: [f"if {test.text}:"] + indented(body) + (["else:"] + indented(other) if other else []),
                    run, (body, other))

    def final(self):
        """The block's tile of the output: an expression over everything that fits."""
        leaf = self.leaf("ij", lambda t: True)
        self.target = None
        value = ex.expression(self.rng, leaf, 3, self.out_dtype)
        for tile in self.tiles:
            same = ex.cast(self.element(self.rng, tile), self.out_dtype)
            value = ex._binary(value, same, "({} + {})", np.add, self.out_dtype)
        value = [value]

        def run(env):
            inner = dict(env)
            inner["i"], inner["j"] = np.meshgrid(np.arange(self.BM, dtype=np.int32),
                                                 np.arange(self.BN, dtype=np.int32), indexing="ij")
            made = np.broadcast_to(value[0].value(inner), (self.BM, self.BN))
            i, j = env["origin i"], env["origin j"]
            out = env["C"][i:i + self.BM, j:j + self.BN]
            out[...] = made[:out.shape[0], :out.shape[1]]
        return Step(lambda: [f"for i, j in T.Parallel({self.BM}, {self.BN}):",
                             f"    C[by * {self.BM} + i, bx * {self.BN} + j] = {value[0].text}"], run, value=value)

    # -- what a kernel is for others -----------------------------------------------------------
    def source(self):
        dtype = self.input_dtype
        m, n = ("m", "n") if self.dynamic else (self.M, self.N)
        lines = [f'A: T.Tensor(({m}, {n}), "{dtype["A"]}")', f'U: T.Tensor(({m},), "{dtype["U"]}")',
                 f'V: T.Tensor(({n},), "{dtype["V"]}")', f'C: T.Tensor(({m}, {n}), "{self.out_dtype}")']
        head = ['m, n = T.dynamic("m"), T.dynamic("n")', "", ""] if self.dynamic else []
        head += ["@T.prim_func", f"def main({', '.join(lines)}):",
                 f"    with T.Kernel(T.ceildiv({n}, {self.BN}), T.ceildiv({m}, {self.BM}), threads={self.threads}) as (bx, by):"]
        body = [f'{t.name} = T.alloc_{t.scope}(({self.extents(t.axes)},), "{t.dtype}")' for t in self.tiles]
        for step in self.steps:
            body += step.lines()
        return "\n".join(head + ["        " + line for line in body]) + "\n"

    def inputs(self, rng):
        made = []
        for name, shape in (("A", (self.M, self.N)), ("U", (self.M,)), ("V", (self.N,))):
            low = 0 if self.input_dtype[name][0] == "u" else -50
            made.append(rng.integers(low, 50, shape).astype(self.input_dtype[name]))
        return made

    def reference(self, inputs):
        env = {"C": np.zeros((self.M, self.N), self.out_dtype)}
        rows, columns = -(-self.M // self.BM), -(-self.N // self.BN)
        for name, array in zip("AUV", inputs):
            full = {"A": (rows * self.BM, columns * self.BN), "U": (rows * self.BM,), "V": (columns * self.BN,)}[name]
            env["padded " + name] = np.pad(array, [(0, f - n) for f, n in zip(full, array.shape)])
        with np.errstate(all="ignore"):
            for by in range(rows):
                for bx in range(columns):
                    env.update({"bx": bx, "by": by, "origin i": by * self.BM, "origin j": bx * self.BN})
                    for tile in self.tiles:
                        env[tile.name] = np.zeros(self.shape(tile.axes), tile.dtype)
                    for step in self.steps:
                        step.run(env)
        return [env["C"]]


def indented(steps):
    return ["    " + line for step in steps for line in step.lines()] or ["    pass"]
