# SPDX-License-Identifier: Apache-2.0
"""Products of matrices as whole kernels of random functions, in the ways in which users write them."""
import re

import numpy as np

from random_expressions import pick
from random_launch import Launch, Tensor, ceildiv, indented, small, small_text, small_value


def packed(rng, shape):
    """Two numbers from -2 to 2 a byte, each plus eight."""
    return rng.integers(6, 11, shape) + 16 * rng.integers(6, 11, shape)


def unpacked(values):
    return np.stack([values % 16, values // 16], axis=-1).reshape(len(values), -1) - 8


class ProductLaunch(Launch):
    """y = x w, its sums modulo five; w may be stored transposed or packed."""
    CHOICES = {
        "BM": (64, 32, 128, 16), "BN": (32, 64, 16, 128, 24), "BK": (32, 16, 64), "threads": (128, 256, 64, 32), "stages": (0, 1, 2, 3, 4),
        "ta": (False, True), "tb": (False, True), "a_scope": ("shared", "fragment"),
        "blocks": ("grid", "grid", "T.serial", "T.Persistent", "while", "split"), "start": ("clear", "clear_accum", "if"),
        "load": ("copy", "copy", "gather", "sparse", "half", "im2col"), "x_seen": ("", "", "view", "twice"), "w_seen": ("", "", "view", "twice", "bits"),
        "a_seen": ("", "", "view", "flat"), "b_seen": ("", "", "view", "flat", "bytes"), "c_seen": ("", "", "flat"), "weights": ("plain", "plain", "packed", "two"),
        "parts": ("whole", "whole", "slices", "versions"), "epilogue": ("direct", "cast", "shared", "stores", "atomic"),
        "bias": (False, True), "policy": (None, "FullRow", "FullCol", "Square"), "panel": (0, 2, 3), "layout": ("", "", "a", "ab"),
        "macro": (False, True)}

    def drawn(self, rng):
        formats = ("int8",) if self.x.dtype in ("int8", "uint8") and rng.random() < 0.6 else ("float16", "bfloat16", "float32", "float8_e4m3fn")
        own = self.x.dtype if self.x.dtype in ("float16", "float32", "int8") and rng.random() < 0.7 else None
        self.operand = own or pick(rng, formats)
        self.sums = "int32" if self.operand == "int8" else "float32"
        self.w_dtype = self.operand if self.operand in ("float16", "bfloat16", "float32", "int8") else "float16"
        self.columns = int(rng.integers(1, 9)) * 8 if rng.random() < 0.8 else int(rng.integers(1, 70))
        self.columns_text = f"n{self.number}" if self.function.dynamic and rng.random() < 0.5 else self.columns

    # -- what is drawn, where one choice excludes another ---------------------------------------
    @property
    def depth(self):
        """(the number of terms, its text)."""
        at = 0 if self.ta else 1
        return self.x.shape[at], self.x.extents[at]

    @property
    def rows(self):
        at = 1 if self.ta else 0
        return self.x.shape[at], self.x.extents[at]

    @property
    def is_packed(self):
        return self.weights == "packed" and isinstance(self.depth[1], int)

    @property
    def b_transposed(self):
        return self.tb or self.is_packed

    @property
    def begins(self):
        return "clear" if self.load == "sparse" or self.blocks == "split" else self.start

    @property
    def in_parts(self):
        return self.parts if self.a_scope == "shared" or self.parts == "whole" else "whole"

    @property
    def tiles(self):
        """Row blocks and iterations."""
        return -(-self.rows[0] // self.BM), -(-self.depth[0] // self.BK)

    def shape_of_y(self):
        return (self.rows[0], self.columns), (self.rows[1], self.columns_text)

    @property
    def y(self):
        return Tensor(f"Y{self.number}", *self.shape_of_y(), self.y_dtype)

    @y.setter
    def y(self, tensor):
        self.y_dtype = tensor.dtype

    def own_inputs(self):
        (k, k_text), n, n_text = self.depth, self.columns, self.columns_text
        values = lambda dtype: lambda r, s: small(r, s, dtype)  # noqa: E731
        number = self.number
        if self.is_packed:
            made = [Tensor(f"W{number}", (n, -(-k // 2)), (n_text, -(-k // 2)), "uint8", packed)]
        else:
            shape, extents = ((n, k), (n_text, k_text)) if self.tb else ((k, n), (k_text, n_text))
            made = [Tensor(f"{w}{number}", shape, extents, self.w_dtype, values(self.w_dtype)) for w in "WV"[:1 + (self.weights == "two")]]
        if self.load == "gather":
            made.append(Tensor(f"I{number}", self.rows[:1], self.rows[1:], "int32", lambda r, s: r.integers(0, s[0], s)))
        if self.load in ("sparse", "half"):
            made.append(Tensor(f"S{number}", self.tiles, self.tiles, "int32", lambda r, s: r.integers(0, 2, s)))
        if self.bias:
            made.append(Tensor(f"U{number}", (n,), (n_text,), "float32", values("float32")))
        return made

    @property
    def total(self):
        """The target to which all blocks of a split matmul add."""
        return Tensor(f"Z{self.number}", *self.shape_of_y(), self.sums)

    def outputs(self):
        return [self.total, self.y] if self.blocks == "split" else [self.y]

    # -- the text ------------------------------------------------------------------------------
    def buffers(self):
        n = self.name
        a, b = ((self.BK, self.BM) if self.ta else (self.BM, self.BK)), ((self.BN, self.BK) if self.b_transposed else (self.BK, self.BN))
        made = [*self.stage("a", a, self.a_scope, self.seen_of("a")), *self.stage("b", b, "shared", self.seen_of("b")),
                *self.sums_of(n("c")), *self.views_of_tensors()]
        if self.is_packed:
            made.append(f'{n("packed")} = T.alloc_{"shared" if self.stages else "fragment"}(({self.BN}, {self.BK // 2}), "uint8")')
        if self.weights == "two":
            made += [f'{n("v")} = T.alloc_shared(({b[0]}, {b[1]}), "{self.operand}")', f'{n("d")} = T.alloc_fragment(({self.BM}, {self.BN}), "{self.sums}")']
        if self.bias:
            made.append(f'{n("u")} = T.alloc_fragment(({self.BN},), "float32")')
        swizzled = [n(x) for x in self.layout if self.in_parts != "versions" and (x == "b" or self.a_scope == "shared")]
        if swizzled:
            made.append(f"T.annotate_layout({{{', '.join(f'{x}: T.make_swizzled_layout({x})' for x in swizzled)}}})")
        return made

    def sums_of(self, name):
        """Lines that make the fragment of the sums, or a view of one."""
        if not self.c_seen:
            return [f'{name} = T.alloc_fragment(({self.BM}, {self.BN}), "{self.sums}")']
        return [f'{name}_memory = T.alloc_fragment(({self.BM * self.BN},), "{self.sums}")', f"{name} = T.view({name}_memory, ({self.BM}, {self.BN}))"]

    def seen_of(self, which):
        """The view of an operand's memory: versions and layouts belong to the named buffer."""
        plain = self.in_parts == "versions" or self.layout or self.is_packed or (which == "a" and self.a_scope != "shared")
        return "" if plain else {"a": self.a_seen, "b": self.b_seen}[which]

    def stage(self, which, shape, scope, seen):
        """Lines that make the memory of an operand; its name is the buffer's, or that of a view of it."""
        name, more = self.name(which), "2, " if self.in_parts == "versions" else ""
        if not seen:
            return [f'{name} = T.alloc_{scope}(({more}{shape[0]}, {shape[1]}), "{self.operand}")']
        count = shape[0] * shape[1]
        if seen == "bytes":
            held, dtype = f"{count * (4 if self.operand == 'float32' else 1 if self.operand in ('int8', 'float8_e4m3fn') else 2)},", "uint8"
        else:
            held, dtype = f"{count}," if seen == "flat" else f"{shape[0] // 4}, {4 * shape[1]}", self.operand
        memory = self.name(f"{which}_memory")
        return [f'{memory} = T.alloc_shared(({held}), "{dtype}")', f'{name} = T.view({memory}, ({shape[0]}, {shape[1]}), "{self.operand}")']

    def is_seen(self, which):
        """The view of the tensor: gathered rows and packed tensors are named directly."""
        if which == "w":
            return "" if self.is_packed or (self.w_seen == "bits" and not self.has_bits) else self.w_seen
        return self.x_seen

    @property
    def has_bits(self):
        """Whether w can be copied as whole numbers of its size."""
        return self.w_dtype == self.operand and self.w_dtype in ("float16", "int8", "float32") and not self.seen_of("b") \
            and self.in_parts != "versions" and not self.layout

    def bits_of(self, dtype):
        return {"float16": "int16", "int8": "uint8", "float32": "int32"}[dtype]

    def views_of_tensors(self):
        """Names that an iteration reads: tensors, or views of them."""
        made = []
        for which, tensor, shape in (("x", self.x.name, self.x.extents), ("w", f"W{self.number}", self.extents_of_w())):
            seen = self.is_seen(which)
            whole = ", ".join(map(str, shape))
            if seen == "view":
                made.append(f"{self.name(which)} = T.view({tensor}, ({whole}))")
            elif seen == "twice":
                made.append(f"{self.name(which)} = T.reshape(T.view({tensor}, (1, {' * '.join(map(str, shape))})), ({whole}))")
            elif seen == "bits":
                made.append(f'{self.name(which)} = T.view({tensor}, ({whole}), "{self.bits_of(self.w_dtype)}")')
                b = (self.BN, self.BK) if self.b_transposed else (self.BK, self.BN)
                made.append(f'{self.name("b_bits")} = T.view({self.name("b")}, ({b[0]}, {b[1]}), "{self.bits_of(self.operand)}")')
        if self.load == "im2col" and not self.ta:
            m, k = self.x.extents
            made.append(f"{self.name('image')} = T.view({self.x.name}, (1, {m}, 1, {k}))")
        return made

    def extents_of_w(self):
        (_, k_text), n_text = self.depth, self.columns_text
        return (n_text, k_text) if self.tb else (k_text, n_text)

    def load_lines(self, k):
        """Lines that fill a and b of an iteration."""
        n, number = self.name, self.number
        version = f"[{k} % 2, :, :]" if self.in_parts == "versions" else ""
        row, column, at = f"by * {self.BM}", f"bx * {self.BN}", f"{k} * {self.BK}"
        a, b = n("a") + version, n("b") + version
        element = n("a") + (f"[{k} % 2, " if version else "[")
        start = f"{at}, {row}" if self.ta else f"{row}, {at}"
        if self.load == "gather" and self.ta:
            lines = [f"for p, q in T.Parallel({self.BK}, {self.BM}):", f"    {element}p, q] = {self.x.name}[{at} + p, I{number}[{row} + q]]"]
        elif self.load == "gather":
            lines = [f"for p, q in T.Parallel({self.BM}, {self.BK}):", f"    {element}p, q] = {self.x.name}[I{number}[{row} + p], {at} + q]"]
        elif self.load == "im2col" and not self.ta and not version:
            lines = [f"T.im2col({n('image')}, {a}, by, {k}, 1, 1, 1, 0)"]
        else:
            lines = [f"T.copy({n('x') if self.is_seen('x') else self.x.name}[{start}], {a})"]
        if self.load == "half":
            lines = [f"if S{number}[by, {k}] != 0:", *indented(lines), "else:", f"    T.clear({a})"]
        place = f"{column}, {at}" if self.tb else f"{at}, {column}"
        if self.is_packed:
            digit = f"((T.cast({n('packed')}[p, q // 2], 'int32') >> (q % 2 * 4)) & 15) - 8"
            target = n("b") + (f"[{k} % 2, p, q]" if version else "[p, q]")
            return lines + [f"T.copy(W{number}[{column}, {k} * {self.BK // 2}], {n('packed')})", f"for p, q in T.Parallel({self.BN}, {self.BK}):",
                            f"    {target} = T.cast({digit}, '{self.operand}')"]
        seen = self.is_seen("w")
        lines += [f"T.copy({n('w') if seen else f'W{number}'}[{place}], {n('b_bits') if seen == 'bits' else b})"]
        return lines + ([f"T.copy(V{number}[{place}], {n('v')})"] if self.weights == "two" else [])

    def product_lines(self, k):
        n = self.name
        more = f", policy=T.GemmWarpPolicy.{self.policy}" if self.policy else ""
        more = (", transpose_A=True" if self.ta else "") + (", transpose_B=True" if self.b_transposed else "") + more
        clears = f", clear_accum=({k} == 0)" if self.begins == "clear_accum" else ""
        if self.in_parts == "slices":
            h = self.BK // 2
            cut = [(f"0:{h}", clears), (f"{h}:{self.BK}", "")]
            lines = [f"T.gemm({n('a')}[{part if self.ta else ':'}, {':' if self.ta else part}], "
                     f"{n('b')}[{':' if self.b_transposed else part}, {part if self.b_transposed else ':'}], {n('c')}{more}{c})" for part, c in cut]
        else:
            version = f"[{k} % 2, :, :]" if self.in_parts == "versions" else ""
            lines = [f"T.gemm({n('a')}{version}, {n('b')}{version}, {n('c')}{more}{clears})"]
        if self.weights == "two":
            version = f"[{k} % 2, :, :]" if self.in_parts == "versions" else ""
            lines.append(f"T.gemm({n('a')}{version}, {n('v')}, {n('d')}{more}{clears})")
        return lines

    def iteration(self, k):
        accumulators = [self.name("c")] + [self.name("d")] * (self.weights == "two")
        begin = [f"if {k} == 0:"] + [f"    T.clear({c})" for c in accumulators] if self.begins == "if" else []
        lines = begin + self.load_lines(k) + self.product_lines(k)
        return [f"if S{self.number}[by, {k}] != 0:", *indented(lines)] if self.load == "sparse" else lines

    def words_of_iteration(self):
        """Arguments of an iteration's macro."""
        words = re.findall(r"\b[A-Za-z]\w*\b", "\n".join(self.iteration("kk")))
        own = {t.name for t in [self.x, *self.own_inputs()]} | {self.name(x) for x in ("a", "b", "c", "d", "v", "packed", "x", "w", "b_bits", "image")} | {"by", "bx", "kk"}
        return [w for w in dict.fromkeys(words) if w in own]

    def macros(self):
        if not self.macro:
            return []
        return ["@T.macro", f"def iteration{self.number}({', '.join(self.words_of_iteration())}):", *indented(self.iteration("kk")), ""]

    def tile(self):
        """A block's work for one tile of y."""
        n, iterations = self.name, ceildiv(self.depth[1], self.BK)
        accumulators = [n("c")] + [n("d")] * (self.weights == "two")
        lines = [f"T.clear({c})" for c in accumulators] if self.begins == "clear" else []
        k = "k"
        if self.blocks == "split":
            iterations, k = ceildiv(iterations, 3), "kk"
        head = f"for k in T.Pipelined({iterations}, num_stages={self.stages}):" if self.stages else f"for k in T.serial({iterations}):"
        inside = [f"iteration{self.number}({', '.join({'kk': k}.get(w, w) for w in self.words_of_iteration())})"] if self.macro else self.iteration(k)
        if self.blocks == "split":
            inside = [f"kk = bz * {iterations} + k", *(
                [f"if kk < {self.tiles[1]}:", *indented(inside)] if self.load in ("sparse", "half") else inside)]
        return lines + [head, *indented(inside)] + self.end()

    def end(self):
        n, y = self.name, self.y
        whole, at = f"{self.BM}, {self.BN}", f"by * {self.BM}, bx * {self.BN}"
        c = f"{n('c')}[i, j]"
        add = [f"for i, j in T.Parallel({whole}):", f"    {c} = {c} + {n('d')}[i, j] * 2"] if self.weights == "two" else []
        if self.blocks == "split":
            if self.epilogue in ("atomic", "direct"):
                return add + [f"T.atomic_add({self.total.name}[{at}], {n('c')})"]
            return add + [f"for i, j in T.Parallel({whole}):", f"    if by * {self.BM} + i < {y.extents[0]} and bx * {self.BN} + j < {y.extents[1]}:",
                          f"        T.atomic_add({self.total.name}[by * {self.BM} + i, bx * {self.BN} + j], {c})"]
        add += [f"T.copy(U{self.number}[bx * {self.BN}], {n('u')})"] if self.bias else []
        value = f"T.cast({c}, 'int32')" + (f" + T.max(T.cast({n('u')}[j], 'int32'), 0)" if self.bias else "")
        if self.epilogue in ("direct", "atomic"):
            return add + [f"for i, j in T.Parallel({whole}):", f"    {c} = T.cast({small_text(value, y.dtype)}, '{self.sums}')", f"T.copy({n('c')}, {y.name}[{at}])"]
        if self.epilogue == "stores":
            return add + [f"for i, j in T.Parallel({whole}):", f"    {y.name}[by * {self.BM} + i, bx * {self.BN} + j] = {small_text(value, y.dtype)}"]
        scope = "shared" if self.epilogue == "shared" else "fragment"
        return add + [f'{n("o")} = T.alloc_{scope}(({whole}), "{y.dtype}")', f"for i, j in T.Parallel({whole}):",
                      f"    {n('o')}[i, j] = {small_text(value, y.dtype)}", f"T.copy({n('o')}, {y.name}[{at}])"]

    def lines(self):
        rows, columns = ceildiv(self.y.extents[0], self.BM), ceildiv(self.y.extents[1], self.BN)
        swizzle = [f"T.use_swizzle({self.panel})"] if self.panel and self.blocks in ("grid", "split") else []
        top, tile, threads = swizzle + self.buffers(), self.tile(), f"threads={self.threads}"
        if self.blocks == "grid":
            return [f"with T.Kernel({columns}, {rows}, {threads}) as (bx, by):", *indented(top + tile)]
        if self.blocks == "T.serial":
            return [f"with T.Kernel({columns}, {threads}) as bx:", *indented(top + [f"for by in T.serial({rows}):", *indented(tile)])]
        if self.blocks == "T.Persistent":
            return [f"with T.Kernel(3, {threads}) as z:", *indented(top + [f"for by, bx in T.Persistent([{rows}, {columns}], 3, z):", *indented(tile)])]
        if self.blocks == "while":
            iteration = [f"by = t // {columns}", f"bx = t % {columns}", *tile, "t = t + 3"]
            return [f"with T.Kernel(3, {threads}) as z:", *indented(top + ['t = T.alloc_var("int32", z)', f"while t < {rows} * {columns}:", *indented(iteration)])]
        return self.split(f"{columns}, {rows}, 3, {threads}", top + tile)

    def split(self, grid, body):
        z, y, n, whole = self.total, self.y, self.name, f"{self.BM}, {self.BN}"
        at, rows, columns = f"by * {self.BM}, bx * {self.BN}", ceildiv(y.extents[0], self.BM), ceildiv(y.extents[1], self.BN)
        clear = [f'{n("zero")} = T.alloc_fragment(({whole}), "{z.dtype}")', f"T.clear({n('zero')})", f"T.copy({n('zero')}, {z.name}[{at}])"]
        last = [f'{n("c")} = T.alloc_fragment(({whole}), "{z.dtype}")', f'{n("o")} = T.alloc_fragment(({whole}), "{y.dtype}")',
                f"T.copy({z.name}[{at}], {n('c')})", f"for i, j in T.Parallel({whole}):",
                f"    {n('o')}[i, j] = {small_text(n('c') + '[i, j]', y.dtype)}", f"T.copy({n('o')}, {y.name}[{at}])"]
        around = f"with T.Kernel({columns}, {rows}, threads=128) as (bx, by):"
        return [around, *indented(clear), f"with T.Kernel({grid}) as (bx, by, bz):", *indented(body), around, *indented(last)]

    # -- what it computes ----------------------------------------------------------------------
    def run(self, env):
        number, x = self.number, env[self.x.name]
        a = x.T if self.ta else x
        if self.load == "gather":
            a = a[env[f"I{number}"]]
        if self.load in ("sparse", "half"):
            mask = np.repeat(np.repeat(env[f"S{number}"], self.BM, axis=0), self.BK, axis=1)
            a = a * mask[:a.shape[0], :a.shape[1]]
        w = env[f"W{number}"]
        w = unpacked(w)[:, :self.depth[0]].T if self.is_packed else w.T if self.tb else w
        if self.weights == "two":
            v = env[f"V{number}"]
            w = w + 2 * (v.T if self.tb else v)
        made = a @ w
        if self.blocks == "split":
            env[self.total.name] = made
        elif self.bias:
            made = made + np.maximum(env[f"U{number}"], 0)
        env[self.y.name] = small_value(made, self.y.dtype)
