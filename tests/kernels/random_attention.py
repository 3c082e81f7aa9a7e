# SPDX-License-Identifier: Apache-2.0
"""Chains of products as whole kernels of random functions: attention's, and a state carried from chunk to chunk."""
import numpy as np

from random_expressions import pick
from random_launch import Launch, Tensor, ceildiv, indented, small, small_text, small_value


def sixteens(n):
    return -(-n // 16) * 16


class OfFloats(Launch):
    """Operands of one floating format, from tensors of it."""

    def drawn(self, rng):
        self.operand = self.x.dtype if self.x.dtype == "float16" else pick(rng, ("float16", "bfloat16", "float32"))
        self.keys = int(rng.integers(1, 150))
        self.columns = int(rng.integers(1, 5)) * 16

    def given(self, letter, shape, extents):
        return Tensor(f"{letter}{self.number}", shape, extents, self.operand, lambda r, s: small(r, s, self.operand))


class AttentionLaunch(OfFloats):
    """Queries against the keys of several heads: products in a chain, with a maximum and a sum of each row carried along."""
    CHOICES = {"BM": (64, 32, 128), "BN": (32, 64, 16), "threads": (128, 256), "stages": (0, 1, 2, 3), "heads": (1, 2), "causal": (False, True),
               "lengths": (False, True), "p_scope": ("fragment", "shared"), "q_scope": ("shared", "fragment"), "late": (False, True),
               "policy": ("FullRow", None), "epilogue": ("direct", "shared"), "blocks": ("grid", "T.Persistent"), "clears": ("clear_accum", "T.clear")}

    def shape_of_y(self):
        return self.x.shape, self.x.extents

    def own_inputs(self):
        shape = (self.keys, self.heads, self.x.shape[1])
        extents = (f"s{self.number}" if self.function.dynamic else self.keys, self.heads, self.x.extents[1])
        blocks = (-(-self.x.shape[0] // self.BM),)
        lengths = Tensor(f"L{self.number}", blocks, blocks, "int32", lambda r, s: r.integers(0, 1 - self.keys // -self.BN, s))
        return [self.given("K", shape, extents), self.given("V", shape, extents)] + [lengths] * self.lengths

    def lines(self):
        x, n, number, D = self.x, self.name, self.number, sixteens(self.x.shape[1])
        alloc = [("q", self.q_scope, (self.BM, D), self.operand), ("k", "shared", (self.BN, D), self.operand), ("v", "shared", (self.BN, D), self.operand),
                 ("s", "fragment", (self.BM, self.BN), "float32"), ("p", self.p_scope, (self.BM, self.BN), self.operand),
                 ("o", "fragment", (self.BM, D), "float32"), *((name, "fragment", (self.BM,), "float32") for name in ("top", "old", "part", "total"))]
        body = [f'{n(name)} = T.alloc_{scope}({shape}, "{dtype}")' for name, scope, shape, dtype in alloc]
        tile = [f"T.copy({x.name}[b * {self.BM}, 0], {n('q')})", f"T.clear({n('o')})", f"T.clear({n('total')})", f"T.fill({n('top')}, -9)"]
        tile += self.loops() + self.end(D)
        if self.blocks == "grid":
            return [f"with T.Kernel({ceildiv(x.extents[0], self.BM)}, threads={self.threads}) as b:", *indented(body + tile)]
        return [f"with T.Kernel(2, threads={self.threads}) as z:", *indented(
            body + [f"for b, in T.Persistent([{ceildiv(x.extents[0], self.BM)}], 2, z):", *indented(tile)])]

    def loops(self):
        n, number, D = self.name, self.number, sixteens(self.x.shape[1])
        keys = self.own_inputs()[0].extents[0]
        count = ceildiv(keys, self.BN)
        if self.lengths:
            count = f"L{number}[b]"
        elif self.causal:
            count = f"T.min({ceildiv(f'(b + 1) * {self.BM}', self.BN)}, {count})"
        head = f"for t in T.Pipelined({count}, num_stages={self.stages}):" if self.stages else f"for t in T.serial({count}):"
        policy = f", policy=T.GemmWarpPolicy.{self.policy}" if self.policy else ""
        h = "h" if self.heads > 1 else "0"
        load_v = [f"T.copy(V{number}[t * {self.BN}:(t + 1) * {self.BN}, {h}, 0:{D}], {n('v')})"]
        clear = [f"T.clear({n('s')})"] if self.clears == "T.clear" else []
        s, p = f"{n('s')}[i, j]", n("p")
        value = f"T.cast(T.cast({s}, 'int32') % 5, 'float32')"
        value = f"T.if_then_else(b * {self.BM} + i >= t * {self.BN} + j, {value}, 0.0)" if self.causal else value
        iteration = [f"T.copy(K{number}[t * {self.BN}:(t + 1) * {self.BN}, {h}, 0:{D}], {n('k')})", *clear, *(load_v * (not self.late)),
                     f"T.gemm({n('q')}, {n('k')}, {n('s')}, transpose_B=True{policy}{'' if clear else ', clear_accum=True'})",
                     f"for i, j in T.Parallel({self.BM}, {self.BN}):", f"    {s} = {value}", *(load_v * self.late), f"T.copy({n('top')}, {n('old')})",
                     f"T.reduce_max({n('s')}, {n('top')}, dim=1, clear=False)", f"for i in T.Parallel({self.BM}):",
                     f"    {n('old')}[i] = T.if_then_else({n('old')}[i] == {n('top')}[i], 1.0, -1.0)",
                     f"T.reduce_sum({n('s')}, {n('part')}, dim=1)", f"for i in T.Parallel({self.BM}):",
                     f"    {n('total')}[i] = {n('total')}[i] * {n('old')}[i] + {n('part')}[i]", f"T.copy({n('s')}, {p})",
                     f"for i, j in T.Parallel({self.BM}, {D}):", f"    {n('o')}[i, j] *= {n('old')}[i]", f"T.gemm({p}, {n('v')}, {n('o')}{policy})"]
        loop = [head, *indented(iteration)]
        return [f"for h in T.serial({self.heads}):", *indented(loop)] if self.heads > 1 else loop

    def end(self, D):
        n, y, o = self.name, self.y, f"{self.name('o')}[i, j]"
        value = small_text(f"{o} + {n('total')}[i] + {n('top')}[i]", y.dtype)
        if self.epilogue == "direct":
            return [f"for i, j in T.Parallel({self.BM}, {D}):", f"    {o} = T.cast({value}, 'float32')", f"T.copy({n('o')}, {y.name}[b * {self.BM}, 0])"]
        return [f'{n("out")} = T.alloc_shared(({self.BM}, {D}), "{y.dtype}")', f"for i, j in T.Parallel({self.BM}, {D}):",
                f"    {n('out')}[i, j] = {value}", f"T.copy({n('out')}, {y.name}[b * {self.BM}, 0])"]

    def run(self, env):
        q, number, made = env[self.x.name], self.number, []
        pad = [(0, -self.keys % self.BN), (0, 0), (0, 0)]
        k, v = np.pad(env[f"K{number}"], pad), np.pad(env[f"V{number}"], pad)
        for b, start in enumerate(range(0, len(q), self.BM)):
            rows = q[start:start + self.BM]
            o, total, top = np.zeros_like(rows), np.zeros((len(rows), 1), int), np.full((len(rows), 1), -9)
            for h in range(self.heads):
                for t in range(env[f"L{number}"][b] if self.lengths else len(k) // self.BN):
                    part = slice(t * self.BN, (t + 1) * self.BN)
                    p = (rows @ k[part, h].T) % 5
                    if self.causal:
                        p = p * (start + np.arange(len(rows))[:, None] >= t * self.BN + np.arange(self.BN))
                    if self.causal and not self.lengths and t >= -(-(b + 1) * self.BM // self.BN):
                        continue
                    old, top = top, np.maximum(top, p.max(axis=1, keepdims=True))
                    scale = np.where(old == top, 1, -1)
                    o, total = o * scale + p @ v[part, h], total * scale + p.sum(axis=1, keepdims=True)
            made.append(o + total + top)
        env[self.y.name] = small_value(np.concatenate(made), self.y.dtype)


class ChunksLaunch(OfFloats):
    """Chunks of rows against a state that each changes for the next, as in linear attention."""
    CHOICES = {"BC": (64, 32, 16), "BN": (32, 64, 16), "threads": (128, 256), "stages": (0, 1, 2, 3), "inner": (False, True),
               "kept": ("fragment", "shared"), "epilogue": ("shared", "fragment")}

    def shape_of_y(self):
        return (self.x.shape[0], self.columns), (self.x.extents[0], self.columns)

    def own_inputs(self):
        return [self.given("W", *self.shape_of_y())]

    def lines(self):
        x, y, n, number, D = self.x, self.y, self.name, self.number, sixteens(self.x.shape[1])
        alloc = [("a", "shared", (self.BC, D), self.operand), ("w", "shared", (self.BC, self.BN), self.operand), ("hs", "shared", (D, self.BN), self.operand),
                 ("h", "fragment", (D, self.BN), "float32"), ("c", "fragment", (self.BC, self.BN), "float32"), ("o", self.epilogue, (self.BC, self.BN), y.dtype)]
        if self.inner:
            alloc += [("s", "fragment", (self.BC, self.BC), "float32"), ("p", self.kept, (self.BC, self.BC), self.operand)]
        body = [f'{n(name)} = T.alloc_{scope}({shape}, "{dtype}")' for name, scope, shape, dtype in alloc] + [f"T.clear({n('h')})"]
        iterations = ceildiv(x.extents[0], self.BC)
        head = f"for t in T.Pipelined({iterations}, num_stages={self.stages}):" if self.stages else f"for t in T.serial({iterations}):"
        iteration = [f"T.copy({x.name}[t * {self.BC}, 0], {n('a')})", f"T.copy(W{number}[t * {self.BC}, b * {self.BN}], {n('w')})",
                     f"T.copy({n('h')}, {n('hs')})", f"T.gemm({n('a')}, {n('hs')}, {n('c')}, clear_accum=True)"]
        if self.inner:
            iteration += [f"T.gemm({n('a')}, {n('a')}, {n('s')}, transpose_B=True, clear_accum=True)", f"for i, j in T.Parallel({self.BC}, {self.BC}):",
                          f"    {n('p')}[i, j] = T.if_then_else(i >= j, T.cast(T.cast({n('s')}[i, j], 'int32') % 3, '{self.operand}'), T.cast(0, '{self.operand}'))",
                          f"T.gemm({n('p')}, {n('w')}, {n('c')})"]
        iteration += [f"for i, j in T.Parallel({self.BC}, {self.BN}):", f"    {n('o')}[i, j] = {small_text(n('c') + '[i, j]', y.dtype)}",
                      f"T.copy({n('o')}, {y.name}[t * {self.BC}, b * {self.BN}])", f"T.gemm({n('a')}, {n('w')}, {n('h')}, transpose_A=True)",
                      f"for i, j in T.Parallel({D}, {self.BN}):", f"    {n('h')}[i, j] = {small_text(n('h') + '[i, j]', 'float32')}"]
        return [f"with T.Kernel({ceildiv(self.columns, self.BN)}, threads={self.threads}) as b:", *indented(body + [head, *indented(iteration)])]

    def run(self, env):
        x, w = env[self.x.name], env[f"W{self.number}"]
        state, made = np.zeros((x.shape[1], w.shape[1]), int), []
        for start in range(0, len(x), self.BC):
            a, v = x[start:start + self.BC], w[start:start + self.BC]
            c = a @ state
            if self.inner:
                c = c + np.tril(a @ a.T % 3) @ v
            made.append(c)
            state = (state + a.T @ v) % 5 - 2
        env[self.y.name] = small_value(np.concatenate(made), self.y.dtype)
