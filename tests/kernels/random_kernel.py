# SPDX-License-Identifier: Apache-2.0
"""Random kernels: their TileLang text, and what they compute as NumPy over whole tiles, block by block.

A kernel reads A (M, N), U (M,) and V (N,), keeps tiles in fragments and shared memory, and writes one
tile of its output per block. Every tile is written whole before it is read, no loop reads another
iteration's element of the buffer that it writes, and the values are exact (see random_expressions.py): so
every level, pass, target and text has to give these bits, and no watcher may find anything.
"""
import dataclasses
import random
import re

import numpy as np

import random_expressions as ex
import random_control
import random_layouts
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


class ExactKernel:
    terms, magnitude = 0, 1.0  # of case.Case: no tolerance
    # Ranges of random choices: extents of a block's tile, threads, types of the inputs; depths and operands of products.
    rows, columns, counts = (1, 2, 4, 5, 8, 16, 32), (1, 3, 8, 16, 24, 32, 64), (32, 64, 96, 128, 256)
    formats, depths = ("float32", "int32", "int16", "uint8", "float16"), (8, 16, 32)
    operands = ("float16", "bfloat16", "float32", "float8_e4m3fn", "float8_e5m2", "int8")
    configs = {}  # of its passes

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        pick = lambda *choices: choices[rng.integers(len(choices))]  # noqa: E731
        self.BM, self.BN = int(pick(*self.rows)), int(pick(*self.columns))
        self.M, self.N = int(rng.integers(1, 3 * self.BM + 1)), self.width()
        self.threads = int(pick(*self.counts))
        self.input_dtype = {x: pick(*self.formats) for x in "AUV"}
        self.out_dtype = pick("float32", "int32", "int64", "int8")
        self.dynamic = rng.random() < 0.25  # M and N are known at run time only
        separate = random.Random(f"strides of {seed}")
        self.strides = {name: f"s{name}" if self.dynamic else self.N + separate.choice((1, 3, 8, 16)) for name in "AC" if separate.random() < 0.2}
        self.tiles, self.ready, self.variables, self.named = [], set(), ["bx", "by"], 0
        self.stored, self.macros = [], {}   # names of T.alloc_var; texts of macros
        self.tallied = []                   # "H" where blocks share an output
        self.second = random_control.second_launch(self) if rng.random() < 0.2 else None
        self.steps, self.target, self.annotated = [], None, set()
        for _ in range(int(rng.integers(2, 6))):
            self.tiles.append(self.new_tile())
        self.tiles += self.sums()
        if rng.random() < 0.4:
            made = [random_layouts.annotation(self) for _ in range(int(rng.integers(1, 3)))]
            self.steps += [step for step in made if step]
        for tile in self.tiles:
            self.write_first(tile)
        statements = [self.statement(2) for _ in range(int(rng.integers(1, 7)))]  # which may ask for more tiles
        self.steps += statements + [self.final()]

    # -- the parts of a kernel ---------------------------------------------------------------
    def width(self):
        """Columns of the output."""
        return int(self.rng.integers(1, 3 * self.BN + 1))

    def sums(self):
        """Tiles for sums of products that it has in any case."""
        return []

    def new_tile(self):
        rng = self.rng
        scope = ("fragment", "shared")[rng.integers(2)]
        axes = ("ij", "ij", "i", "j", "ji")[rng.integers(5 if scope == "shared" else 4)]
        dtype = ex.pick(rng, ("float32", "float32", "int32", "int32", "int64", "uint8", "int16", "uint32", "float16", "bfloat16"))
        return Tile(f"{scope[0]}{len(self.tiles)}", scope, axes, dtype)

    def write_first(self, tile):
        """Before all statements, where bx and by are the only variables."""
        inner, self.variables = self.variables, ["bx", "by"]
        self.steps.append(self.first_write(tile))
        self.ready.add(tile.name)
        self.variables = inner

    def need(self, axes, scope=None, dtypes=None, but=None):
        """A tile over one of `axes`, of one of `dtypes`, other than `but`: there already, or new; or None."""
        fit = [t for t in self.tiles if t is not but and t.axes in axes and scope in (None, t.scope) and (not dtypes or t.dtype in dtypes)]
        if len(self.tiles) > 6 or fit and self.rng.random() < 0.8:
            return ex.pick(self.rng, fit)
        made = self.new_tile()
        made.axes, made.scope, made.dtype = ex.pick(self.rng, axes), scope or made.scope, ex.pick(self.rng, dtypes) or made.dtype
        if made.axes == "ji" and made.scope == "fragment":
            made.axes = "ij"
            if "ij" not in axes:
                return None
        made.name = f"{made.scope[0]}{len(self.tiles)}"
        self.write_first(made)
        self.tiles.append(made)
        return made

    def step(self, *arguments, **named):
        return Step(*arguments, **named)

    def fresh(self, letter):
        self.named += 1
        return f"{letter}{self.named - 1}"

    def rows_text(self):
        return "m" if self.dynamic else self.M

    def columns_text(self):
        return "n" if self.dynamic else self.N

    def value(self, axes, dtype, depth, but=None):
        """[an expression] for an element of a loop over `axes`; it does not read the tile called `but`."""
        return [ex.expression(self.rng, self.leaf(axes, lambda t: t.name != but), depth, dtype)]

    def condition(self, axes, but=None):
        return ex.condition(self.rng, self.leaf(axes, lambda t: t.name != but), 2)

    def grid(self, env, axes):
        """env inside a loop over `axes`, and the shape of what is computed there."""
        grids = np.meshgrid(*[np.arange(n, dtype=np.int32) for n in self.shape(axes)], indexing="ij")
        return {**env, **dict(zip(axes, grids))}, grids[0].shape

    def bounded(self, tile, limit=None):
        """(lines, run) that keep a tile of floats in the range where they are exact."""
        if tile.dtype not in ex.LIMITS:
            return [], lambda env: None
        n, index = limit or ex.LIMITS[tile.dtype], ", ".join(tile.axes)

        def run(env):
            env[tile.name][...] = np.clip(env[tile.name], -n, n)
        x = f"{tile.name}[{index}]"
        return [f"for {index} in T.Parallel({self.extents(tile.axes)}):", f"    {x} = {ex.clamp_text(x, tile.dtype, n)}"], run

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
        """tile[i, j], and of shared memory also tile[i, BN - 1 - j], tile[i, (j + 1) % BN] or tile[-1 - i, j - BN]."""
        texts, functions = [], []
        for axis, extent in zip(tile.axes, self.shape(tile.axes)):
            way = rng.random() if tile.scope == "shared" and tile.name != self.target else 1
            if way < 0.2:
                texts.append(f"{extent - 1 if way < 0.12 else -1} - {axis}")  # negative: from the end
                functions.append(lambda env, a=axis, n=extent: n - 1 - env[a])
            elif way < 0.4:
                shift = int(rng.integers(1, 4))
                texts.append(f"({axis} + {shift}) % {extent}")
                functions.append(lambda env, a=axis, n=extent, s=shift: (env[a] + s) % n)
            else:
                texts.append(f"{axis} - {extent}" if way < 0.5 else axis)
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
        if depth and kind < 0.22:
            return ex.pick(rng, random_control.HOLDERS)(self, depth)
        makers = [self.copy_between, self.refill]
        if kind < 0.62:
            made = ex.pick(rng, random_statements.MAKERS)(self)
            if made:
                return made
        if kind < 0.7:
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
        bound, clamp = self.bounded(b)

        def run(env):
            env[b.name][...] = ex.converted(env[a.name], b.dtype)
            clamp(env)
        return Step(lambda: [f"T.copy({a.name}, {b.name})"] + bound, run)

    def parallel(self, tile, guard):
        rng, axes = self.rng, "".join(sorted(tile.axes))
        self.target = tile.name
        leaf = self.leaf(axes, lambda t: t.name != tile.name or t.axes == tile.axes)
        value = [ex.expression(rng, leaf, int(rng.integers(1, 4)), tile.dtype)]
        test = ex.condition(rng, leaf, 2) if guard else None
        self.target = None
        index = ", ".join(tile.axes)
        layout = f", loop_layout={random_layouts.fragment(self, axes)}" if tile.scope == "shared" and rng.random() < 0.1 else ""

        def run(env):
            inner, shape = self.grid(env, axes)
            made = np.broadcast_to(value[0].value(inner), shape)
            chosen = np.broadcast_to(test.value(inner), shape) if test else np.full(shape, True)
            at = tuple(inner[a][chosen] for a in tile.axes)
            env[tile.name][at] = made[chosen]

        def lines():
            head = f"for {', '.join(axes)} in T.Parallel({self.extents(axes)}{layout}):"
            store = f"{tile.name}[{index}] = {value[0].text}"
            return [head, *([f"    if {test.text}:", f"        {store}"] if test else [f"    {store}"])]
        return Step(lines, run, value=value)

    def final(self):
        """The block's tile of the output: an expression over everything that fits."""
        leaf = self.leaf("ij", lambda t: True)
        self.target = None
        value = ex.expression(self.rng, leaf, 3, self.out_dtype)
        for tile in self.tiles:
            same = ex.cast(self.element(self.rng, tile), self.out_dtype)
            value = ex._binary(value, same, "({} + {})", np.add, self.out_dtype)
        value = [value]
        scope = ex.pick(self.rng, (None, "shared", "fragment"))  # of a tile that T.copy then stores

        def run(env):
            inner, shape = self.grid(env, "ij")
            made = np.broadcast_to(value[0].value(inner), shape)
            i, j = env["origin i"], env["origin j"]
            out = env["C"][i:i + self.BM, j:j + self.BN]
            out[...] = made[:out.shape[0], :out.shape[1]]
        copied = [f'out = T.alloc_{scope}(({self.BM}, {self.BN}), "{self.out_dtype}")', f"for i, j in T.Parallel({self.BM}, {self.BN}):",
                  "    out[i, j] = {}", f"T.copy(out, C[by * {self.BM}, bx * {self.BN}])"]
        if scope:
            return Step(lambda: [line.format(value[0].text) for line in copied], run, value=value)
        return Step(lambda: [f"for i, j in T.Parallel({self.BM}, {self.BN}):",
                             f"    C[by * {self.BM} + i, bx * {self.BN} + j] = {value[0].text}"], run, value=value)

    # -- what a kernel is for others -----------------------------------------------------------
    def simpler(self):
        """Besides leaving statements out: nothing."""
        return ()

    def matrix(self, name, m, n, dtype):
        """The declaration of a tensor (m, n), whose rows may be further apart."""
        stride = self.strides.get(name)
        return f'{name}: T.StridedTensor(({m}, {n}), ({stride}, 1), "{dtype}")' if stride else f'{name}: T.Tensor(({m}, {n}), "{dtype}")'

    def source(self):
        dtype = self.input_dtype
        m, n = ("m", "n") if self.dynamic else (self.M, self.N)
        arguments = [self.matrix("A", m, n, dtype["A"]), f'U: T.Tensor(({m},), "{dtype["U"]}")', f'V: T.Tensor(({n},), "{dtype["V"]}")',
                     self.matrix("C", m, n, self.out_dtype)]
        arguments += ['H: T.Tensor((8,), "int32")'] if self.tallied else []
        arguments += [f'D: T.Tensor(({m}, {n}), "int32")'] if self.second else []
        head = ['m, n = T.dynamic("m"), T.dynamic("n")', *(f'{stride} = T.dynamic("{stride}")' for stride in self.strides.values()), "", ""]
        head = head if self.dynamic else []
        first = ["    with T.Kernel(1, threads=32):", "        T.clear(H)"] if self.tallied else []
        head += self.macro_lines() + ["@T.prim_func", f"def main({', '.join(arguments)}):",
                               *([f"    T.annotate_pass_configs({self.configs})"] if self.configs else []), *first,
                 f"    with T.Kernel(T.ceildiv({n}, {self.BN}), T.ceildiv({m}, {self.BM}), threads={self.threads}) as (bx, by):"]
        lines = [line for step in self.steps for line in step.lines()]
        used = [t for t in self.tiles if any(re.search(rf"\b{t.name}\b", line) for line in lines)]
        body = [f'{t.name} = T.alloc_{t.scope}(({self.extents(t.axes)},), "{t.dtype}")' for t in used] + lines
        last = self.second[0](m, n) if self.second else []
        return "\n".join(head + ["        " + line for line in body] + ["    " + line for line in last]) + "\n"

    def macro_lines(self):
        """The macros that are called, each after those that it calls."""
        text = [line for step in self.steps for line in step.lines()]
        made = []
        for name in reversed(self.macros):
            if any(f"{name}(" in line for line in text):
                made = self.macros[name]() + made
                text += made
        return made

    def inputs(self, rng):
        made = []
        for name, shape in (("A", (self.M, self.N)), ("U", (self.M,)), ("V", (self.N,))):
            low = 0 if self.input_dtype[name][0] == "u" else -50
            made.append(rng.integers(low, 50, shape).astype(self.input_dtype[name]))
        return made

    def reference(self, inputs):
        env = {"C": np.zeros((self.M, self.N), self.out_dtype), "H": np.zeros(8, np.int32)}
        rows, columns = -(-self.M // self.BM), -(-self.N // self.BN)
        for name, array in zip("AUV", inputs):
            full = {"A": (rows * self.BM, columns * self.BN), "U": (rows * self.BM,), "V": (columns * self.BN,)}[name]
            env["given " + name] = array
            env["padded " + name] = np.pad(array, [(0, f - n) for f, n in zip(full, array.shape)])
        with np.errstate(all="ignore"):
            for by in range(rows):
                for bx in range(columns):
                    env.update({"bx": bx, "by": by, "origin i": by * self.BM, "origin j": bx * self.BN})
                    for tile in self.tiles:
                        env[tile.name] = np.zeros(self.shape(tile.axes), ex.numpy_dtype(tile.dtype))
                    for step in self.steps:
                        step.run(env)
        out = [env["C"]] + [env[name] for name in self.tallied]
        return out + ([self.second[1](env["C"])] if self.second else [])

    def outputs(self):
        """Positions among the parameters."""
        return list(range(3, 4 + len(self.tallied) + bool(self.second)))
