# SPDX-License-Identifier: Apache-2.0
"""Random functions whose kernels load tiles in outer loops, which inner pipelined loops read, and which are filled at several levels."""
import numpy as np

from random_attention import OfFloats, sixteens
from random_expressions import pick
from random_function import FunctionKernel
from random_launch import Tensor, ceildiv, indented, small_text, small_value
from random_launches import MAKERS


class NestedLaunch(OfFloats):
    """Items of rows of x, each against groups of tiles of keys: with no matmul, one, or two in a chain."""
    CHOICES = {"items": ("T.serial", "T.Persistent", "while", "T.Pipelined"), "blocks": (1, 2), "item_stages": (0, 1, 2, 3), "stages": (0, 1, 2, 3, 4), "matmuls": (1, 1, 2, 0),
               "BM": (64, 32, 128, 16), "BN": (32, 64, 16), "threads": (128, 256, 64), "groups": (1, 2, 3), "q_scope": ("shared", "shared", "shared", "fragment"),
               "scale": ("none", "item", "group"), "guard": ("none", "none", "none", "item", "continue", "group", "break", "load", "matmul"), "lengths": (False, True),
               "prefix": (False, False, True), "refilled": (False, False, True), "q_after": (False, False, True), "k_after": (False, True), "k_sums": (False, True), "q_level": ("item", "item", "early", "group"), "epilogue": ("direct", "shared")}

    def drawn(self, rng):
        super().drawn(rng)
        self.keys = int(rng.integers(1, 6 * self.BN))
        self.stages = pick(rng, (2, 3, 4, 4)) if rng.random() < 0.6 else self.stages

    @property
    def depth(self):
        return sixteens(self.x.shape[1])

    @property
    def width(self):
        """(columns of the sums, those that exist, their text)."""
        return (self.BN, self.BN, self.BN) if self.matmuls == 1 else (self.depth, self.x.shape[1], self.x.extents[1])

    @property
    def level(self):
        """Where q is filled; `early`: at the end of the item before."""
        early = self.items in ("T.serial", "T.Pipelined") and self.guard not in ("item", "continue") and not self.refilled
        group = not self.prefix and not (self.guard == "break" and self.q_after)
        return "item" if not {"early": early, "group": group}.get(self.q_level, True) else self.q_level

    @property
    def reads_last(self):
        """Whether what follows an inner loop reads its last tile."""
        return self.k_after and not self.lengths and self.guard != "group"

    def shape_of_y(self):
        _, n, text = self.width
        return (self.x.shape[0], n), (self.x.extents[0], text)

    @property
    def y(self):
        return Tensor(f"Y{self.number}", *self.shape_of_y(), self.y_dtype)

    @y.setter
    def y(self, tensor):
        self.y_dtype = tensor.dtype

    def own_inputs(self):
        shape, extents = (self.groups, self.keys, self.x.shape[1]), (self.groups, f"s{self.number}" if self.function.dynamic else self.keys, self.x.extents[1])
        made = [self.given(letter, shape, extents) for letter in "KV"[:1 + (self.matmuls == 2)]]
        made += [self.given("R", self.x.shape, self.x.extents)] * self.refilled
        made += [self.given("E", *self.of_scale())] * (self.scale != "none")
        items = -(-self.x.shape[0] // self.BM)
        limit = -(-self.keys // self.BN) + 1
        made += [Tensor(f"S{self.number}", (items, 4), (items, 4), "int32", lambda r, s: r.integers(0, 3, s))] * (self.guard != "none")
        return made + [Tensor(f"L{self.number}", (items,), (items,), "int32", lambda r, s: r.integers(0, limit, s))] * self.lengths

    def of_scale(self):
        rows = self.x.shape[:1], self.x.extents[:1]
        return rows if self.scale == "item" else ((self.groups, self.BM),) * 2

    # -- the text ------------------------------------------------------------------------------
    def flag(self, which):
        return f"S{self.number}[t, {which} % 4] != 0"

    def under(self, guard, which, lines):
        return [f"if {self.flag(which)}:", *indented(lines)] if self.guard == guard else lines

    def iteration(self, g, m):
        """One tile of keys, which g and m name."""
        n, number, D = self.name, self.number, self.depth
        tile = f"[{g}, {m} * {self.BN}:({m} + 1) * {self.BN}, 0:{D}]"
        load = [f"T.copy(K{number}{tile}, {n('k')})"]
        if self.guard == "load":
            load = [f"if {self.flag(m)}:", *indented(load), "else:", f"    T.clear({n('k')})"]
        sums, term = [], ""
        if self.k_sums and self.matmuls:
            sums, term = [f"T.reduce_sum({n('k')}, {n('r')}, dim=1)"], f" + {n('r')}[j]"
        if self.matmuls == 0:
            each = [f"for i, j in T.Parallel({self.BM}, {D}):", f"    {n('c')}[i, j] += T.cast({n('q')}[i, j] + {n('k')}[i % {self.BN}, j], 'float32')"]
        elif self.matmuls == 1:
            each = [f"T.gemm({n('q')}, {n('k')}, {n('c')}, transpose_B=True)", *sums]
            each += [f"for i, j in T.Parallel({self.BM}, {self.BN}):", f"    {n('c')}[i, j] = {n('c')}[i, j]{term}"] if sums else []
        else:
            each = [f"T.gemm({n('q')}, {n('k')}, {n('s')}, transpose_B=True, clear_accum=True)", *sums, f"for i, j in T.Parallel({self.BM}, {self.BN}):",
                    f"    {n('p')}[i, j] = T.cast(T.cast({n('s')}[i, j]{term}, 'int32') % 5, '{self.operand}')",
                    f"T.copy(V{number}{tile}, {n('v')})", f"T.gemm({n('p')}, {n('v')}, {n('c')})"]
        return load + self.under("matmul", m, each)

    def inner(self, g):
        count = f"L{self.number}[t]" if self.lengths else ceildiv(self.own_inputs()[0].extents[1], self.BN)
        head = f"for kt in T.Pipelined({count}, num_stages={self.stages}):" if self.stages else f"for kt in T.serial({count}):"
        last = [f"for i, j in T.Parallel({self.BM}, {self.width[0]}):",
                f"    {self.name('c')}[i, j] += T.cast({self.name('k')}[i % {self.BN}, j % {self.depth}], 'float32')"]
        return [head, *indented(self.iteration(g, "kt")), *last * self.reads_last]

    def group(self, g):
        """Loads of a group, its tiles of keys, and what reads its tiles after them."""
        n, whole = self.name, f"{self.BM}, {self.width[0]}"
        lines = [f"if S{self.number}[t, {g}] == 0:", "    break"] if self.guard == "break" else []
        lines += [f"T.copy(E{self.number}[{g}, 0:{self.BM}], {n('e')})"] if self.scale == "group" else []
        lines += [f"T.copy({self.x.name}[t * {self.BM} + {g} * 16, 0], {n('q')})"] * (self.level == "group")
        lines += self.under("group", g, self.inner(g))
        after = f"{n('c')}[i, j] + T.cast({n('e')}[i], 'float32')" if self.scale != "none" else f"{n('c')}[i, j]"
        return lines + [f"for i, j in T.Parallel({whole}):", f"    {n('c')}[i, j] = T.cast(T.cast({after}, 'int32') % 5, 'float32')"]

    def item(self):
        x, n, number, whole = self.x, self.name, self.number, f"{self.BM}, {self.width[0]}"
        groups = [f"for g in T.serial({self.groups}):", *indented(self.group("g"))] if self.groups > 1 or self.guard == "break" else self.group("0")
        load = [f"T.copy({x.name}[t * {self.BM}, 0], {n('q')})"] * (self.level == "item") + [f"T.clear({n('c')})"]
        load += [f"T.copy(E{number}[t * {self.BM}], {n('e')})"] if self.scale == "item" else []
        lines = load + (self.iteration("0", "0") if self.prefix else []) + groups
        if self.refilled:
            lines += [f"T.copy(R{number}[t * {self.BM}, 0], {n('q')})", *self.inner("0")]
        if self.q_after:
            lines += [f"for i, j in T.Parallel({whole}):", f"    {n('c')}[i, j] += T.cast({n('q')}[i, j % {self.depth}], 'float32')"]
        lines += [f"T.copy({x.name}[(t + 1) * {self.BM}, 0], {n('q')})"] * (self.level == "early")
        return self.guarded(lines) + self.end()

    def guarded(self, lines):
        if self.guard == "item":
            return [f"T.clear({self.name('c')})", f"if {self.flag(0)}:", *indented(lines)]
        return [f"if S{self.number}[t, 0] == 0:", "    continue", *lines] if self.guard == "continue" else lines

    def end(self):
        n, y, whole = self.name, self.y, f"{self.BM}, {self.width[0]}"
        value = small_text(f"{n('c')}[i, j]", y.dtype)
        if self.epilogue == "direct":
            return [f"for i, j in T.Parallel({whole}):", f"    {n('c')}[i, j] = T.cast({value}, 'float32')", f"T.copy({n('c')}, {y.name}[t * {self.BM}, 0])"]
        return [f"for i, j in T.Parallel({whole}):", f"    {n('out')}[i, j] = {value}", f"T.copy({n('out')}, {y.name}[t * {self.BM}, 0])"]

    def lines(self):
        n, D, items = self.name, self.depth, ceildiv(self.x.extents[0], self.BM)
        alloc = [("q", self.q_scope, (self.BM, D), self.operand), ("k", "shared", (self.BN, D), self.operand), ("c", "fragment", (self.BM, self.width[0]), "float32")]
        alloc += [("v", "shared", (self.BN, D), self.operand), ("p", "shared", (self.BM, self.BN), self.operand),
                  ("s", "fragment", (self.BM, self.BN), "float32")] if self.matmuls == 2 else []
        alloc += [("r", "fragment", (self.BN,), "float32")] if self.k_sums and self.matmuls else []
        alloc += [("e", "shared", (self.BM,), self.operand)] if self.scale != "none" else []
        alloc += [("out", "shared", (self.BM, self.width[0]), self.y.dtype)] if self.epilogue == "shared" else []
        top, item = [f'{n(name)} = T.alloc_{scope}({shape}, "{dtype}")' for name, scope, shape, dtype in alloc], self.item()
        top += [f"T.copy({self.x.name}[0, 0], {n('q')})"] * (self.level == "early")
        zero = ["with T.Kernel(1, threads=128):", f"    T.clear({self.y.name})"] if self.guard == "continue" else []
        if self.items == "T.Persistent":
            return [*zero, f"with T.Kernel({self.blocks}, threads={self.threads}) as z:", *indented(top + [f"for t, in T.Persistent([{items}], {self.blocks}, z):", *indented(item)])]
        if self.items == "while":
            return [*zero, f"with T.Kernel({self.blocks}, threads={self.threads}) as z:", *indented(
                top + ['u = T.alloc_var("int32", z)', f"while u < {items}:", "    t = u", f"    u = u + {self.blocks}", *indented(item)])]
        stages = f", num_stages={self.item_stages}" if self.items == "T.Pipelined" else ""
        return [*zero, f"with T.Kernel(1, threads={self.threads}):", *indented(top + [f"for t in {self.items}({items}{stages}):", *indented(item)])]

    # -- what it computes ----------------------------------------------------------------------
    def run(self, env):
        x, number, D = env[self.x.name], self.number, self.depth
        keys = [np.pad(env[f"{letter}{number}"], [(0, 0), (0, 2 * self.BN), (0, D - x.shape[1])]) for letter in "KV"[:1 + (self.matmuls == 2)]]
        made = np.zeros((x.shape[0], self.width[0]), int)
        for t, start in enumerate(range(0, len(x), self.BM)):
            rows = slice(start, start + self.BM)
            padded = lambda values: np.pad(values[start:start + self.BM + 64], [(0, self.BM + 64), (0, D - x.shape[1])])  # noqa: E731
            flags = env[f"S{number}"][t] if self.guard != "none" else np.ones(4)
            if self.guard in ("item", "continue") and not flags[0]:
                made[rows] = 2 * (self.guard == "continue" and self.y.dtype[0] != "u")  # which is stored as 0
                continue
            made[rows] = self.sums(env, t, padded(x), padded(env[f"R{number}"]) if self.refilled else None, keys, flags)[:len(x) - start]
        env[self.y.name] = small_value(made[:, :self.width[1]], self.y.dtype)

    def sums(self, env, t, q, refill, keys, flags):
        """Those of the item t, whose rows, and those after them, are q."""
        number, c, following = self.number, np.zeros((self.BM, self.width[0]), int), q
        q = following[:self.BM]
        count = env[f"L{number}"][t] if self.lengths else -(-self.keys // self.BN)

        def tile(q, g, k):
            part = [each[g, k * self.BN:(k + 1) * self.BN] for each in keys]
            first = part[0] * bool(self.guard != "load" or flags[k % 4])
            if self.guard == "matmul" and not flags[k % 4]:
                return 0
            if self.matmuls == 0:
                return q + first[np.arange(len(q)) % self.BN]
            made = q @ first.T + (first.sum(axis=1) if self.k_sums else 0)
            return made if self.matmuls == 1 else made % 5 @ part[1]

        def loop(q, g):
            last = keys[0][g, (count - 1) * self.BN:count * self.BN] * bool(self.guard != "load" or flags[(count - 1) % 4])
            last = last[np.arange(self.BM) % self.BN][:, np.arange(self.width[0]) % self.depth] if self.reads_last else 0
            return sum(tile(q, g, k) for k in range(count)) + last
        if self.prefix:
            c = c + tile(q, 0, 0)
        for g in range(self.groups):
            if self.guard == "break" and not flags[g]:
                break
            if self.level == "group":
                q = following[g * 16:][:self.BM]
            if self.guard != "group" or flags[g]:
                c = c + loop(q, g)
            if self.scale != "none":
                e = env[f"E{number}"]
                c = c + (np.pad(e, (0, self.BM))[t * self.BM:][:self.BM] if self.scale == "item" else e[g])[:, None]
            c = c % 5
        if self.refilled:
            q = refill[:self.BM]
            c = c + loop(q, 0)
        return c + q[:, np.arange(self.width[0]) % self.depth] if self.q_after else c


class NestedKernel(FunctionKernel):
    """Three of four kernels have tiles of outer loops, most of them such that the copy engine fills them."""
    FORMATS = ("float16", "float16", "float16", "float16", "float32", "int8")
    makers = (NestedLaunch,) * (3 * len(MAKERS)) + MAKERS

    def __init__(self, seed):
        super().__init__(seed)
        self.configs = pick(self.rng, ({}, {}, {"tl.disable_warp_specialized": True}))

    def first_shape(self):
        """With more rows: several items."""
        (rows, columns), extents = super().first_shape()
        more = rows + int(self.rng.integers(0, 260))
        return (more, columns), (more if extents[0] == rows else extents[0], extents[1])
