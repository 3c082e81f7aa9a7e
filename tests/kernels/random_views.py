# SPDX-License-Identifier: Apache-2.0
"""Random functions whose kernels access parts of memory: tensors with strides, shifted slices, regions and views of larger buffers."""
import dataclasses

import numpy as np

from random_expressions import pick
from random_function import FunctionKernel
from random_launch import Launch, Tensor, ceildiv, indented, small, small_text, small_value
from random_launches import MAKERS

FORMS = ("whole", "corner", "column", "row", "slot", "flat", "cut")  # of a tile's memory
STRIDES = ("gap", "every", "turned", "apart")                         # of a tensor


class Memory:
    """A tile of rows and columns: a buffer, a region of a larger one from `at` on, or a view."""

    def __init__(self, name, form, scope, rows, columns, dtype, at=(0, 0)):
        self.name, self.rows, self.columns = name, rows, columns
        self.format = {"slot": "{}[1, {}, {}]", "deep": "{}[{}, 1, {}]"}.get(form, "{}[{}, {}]")
        self.at = {"corner": at, "column": (0, columns), "row": (rows, 0)}.get(form, (0, 0))
        self.whole = form in ("whole", "flat", "cut")
        shape = {"corner": (rows + at[0], columns + at[1]), "column": (rows, 2 * columns), "row": (2 * rows, columns), "slot": (2, rows, columns),
                 "deep": (rows, 2, columns), "flat": (rows * columns,), "cut": (rows, columns // 4, 4)}.get(form, (rows, columns))
        seen = form in ("flat", "cut")
        self.lines = [f'{name}{"_memory" * seen} = T.alloc_{scope}({shape}, "{dtype}")'] + [f"{name} = T.view({name}_memory, ({rows}, {columns}))"] * seen

    def part(self, first_row, rows, first_column, columns):
        """The text of a region of the tile."""
        if self.whole and (rows, columns) == (self.rows, self.columns):
            return self.name
        of = [f"{first + at}:{first + at + n}" for first, at, n in ((first_row, self.at[0], rows), (first_column, self.at[1], columns))]
        return self.format.format(self.name, *of)

    def all(self):
        return self.part(0, self.rows, 0, self.columns)

    def element(self, i, j, plus=(0, 0)):
        return self.format.format(self.name, *(f"{x} + {n}" if n else x for x, n in zip((i, j), (self.at[0] + plus[0], self.at[1] + plus[1]))))


@dataclasses.dataclass
class Strided(Tensor):
    """A parameter with strides, of T.StridedTensor or of T.ptr; `apart`: its matrix is the second of two whose rows alternate."""
    strides: tuple = ()
    pointer: bool = False

    def declared(self):
        form = f'({", ".join(map(str, self.extents))},), {self.strides}, "{self.dtype}"'
        return f"{self.name}_address: T.ptr" if self.pointer else f"{self.name}: T.StridedTensor({form})"

    def first_lines(self):
        shape = f'({", ".join(map(str, self.extents))},)'
        return [f'{self.name} = T.make_tensor({self.name}_address, {shape}, "{self.dtype}", strides={self.strides})'] * self.pointer

    def region(self, row, column):
        """`row` and `column`: texts of slices or indices."""
        return f"{self.name}[1, {row}, {column}]" if len(self.shape) == 3 else f"{self.name}[{row}, {column}]"

    def matrix(self, values):
        return values[1] if values.ndim == 3 else values


def strided(name, form, gap, shape, extents, dtype, pointer, values=None):
    """A tensor of a matrix in this form."""
    rows, columns = shape
    strides = {"gap": (columns + gap, 1), "every": (2 * columns + gap, 2), "turned": (1, rows + gap), "same": (0, 1),
               "apart": (columns, 2 * columns + gap, 1)}[form]
    two = (2,) if form == "apart" else ()
    return Strided(name, (*two, *shape), (*two, *extents), dtype, values, strides, pointer)


class ViewsLaunch(Launch):
    """x from a shifted place, its neighbours and a tensor with strides; into y and another tensor with strides."""
    CHOICES = {"BM": (32, 16, 64, 5), "BN": (32, 64, 16, 24), "threads": (128, 64, 32, 256), "loop": ("T.serial", "T.Pipelined"), "stages": (0, 1, 2, 3, 4),
               "shift": ((0, 0), (2, 4), (1, 8), (-3, 16), (0, -1), (8, 3)), "back": ((0, 0), (3, 8), (8, 5)), "halo": (0, 1, 2), "x_seen": ("slices", "element", "view"),
               "gap": (8, 1, 3, 16), "p_form": (*STRIDES, "same"), "z_form": STRIDES, "pointer": (False, True), "z_way": ("copy", "stores"),
               "t_form": (*FORMS, "deep"), "q_form": (*FORMS, "deep"), "o_form": (*FORMS, "deep"), "at": ((0, 8), (1, 0), (2, 3), (8, 16)),
               "more": ("none", "sum", "copy", "clear"), "t_scope": ("shared", "fragment"), "q_scope": ("shared", "fragment"), "o_scope": ("fragment", "shared")}

    def drawn(self, rng):
        self.formats = [pick(rng, self.function.FORMATS) for _ in "PZ"]

    @property
    def p(self):
        values = lambda r, s: small(r, (1, s[-1]) if self.p_form == "same" else s, self.formats[0]) + np.zeros(s, int)  # noqa: E731
        return strided(f"P{self.number}", self.p_form, self.gap, self.x.shape, self.x.extents, self.formats[0], self.pointer, values)

    @property
    def z(self):
        return strided(f"Z{self.number}", self.z_form, self.gap, self.x.shape, self.x.extents, self.formats[1], self.pointer)

    def shape_of_y(self):
        return self.x.shape, self.x.extents

    def own_inputs(self):
        return [self.p]

    def outputs(self):
        return [self.z, self.y]

    def lines(self):
        x, y, z, p, n, h = self.x, self.y, self.z, self.p, self.name, self.halo
        BM, BN, (m, k) = self.BM, self.BN, x.extents
        t = Memory(n("t"), self.t_form, "shared" if h else self.t_scope, BM + 2 * h, BN + 2 * h if h != 1 else BN + 8, x.dtype, self.at)
        q = Memory(n("q"), self.q_form, self.q_scope, BM, BN, p.dtype, self.at)
        o = Memory(n("o"), self.o_form, self.o_scope, BM, BN, y.dtype, self.at)
        row, column = f"b * {BM} - {self.back[0]}", f"s * {BN} - {self.back[1]}"
        of = lambda start, more, count: f"{start} + {more}:{start} + {more + count}"  # noqa: E731
        start = [(row, self.shift[0] - h, t.rows), (column, self.shift[1] - h, t.columns)]
        name = n("x") if self.x_seen == "view" else x.name
        source = f"{name}[{', '.join(f'{s} + {more}' for s, more, _ in start)}]" if self.x_seen == "element" else \
            f"{name}[{'0, ' * (self.x_seen == 'view')}{', '.join(of(*each) for each in start)}]"
        head = [*t.lines, *q.lines, *o.lines] + [f'{n("f")} = T.alloc_fragment(({BM}, {BN}), "{x.dtype}")'] * bool(h)
        head += [f"{name} = T.view({x.name}, (1, {m}, {k}))"] * (self.x_seen == "view")
        loads = [f"T.copy({source}, {t.all()})", f"T.copy({p.region(of(row, 0, BM), of(column, 0, BN))}, {q.all()})"]
        value = f"T.cast({t.element('i', 'j', (h, h))}, 'int32') * 3 + T.cast({q.element('i', 'j')}, 'int32')"
        if h:
            loads.append(f"T.copy({t.part(2 * h, BM, 0, BN)}, {n('f')})")
            value += f" + T.cast({t.element('i', 'j', (0, 2 * h))}, 'int32') + T.cast({n('f')}[i, j], 'int32')"
        head, more, term = head + self.more_lines(q)[0], *self.more_lines(q)[1:]
        loads, value = loads + more, value + term
        loop = f"for i, j in T.Parallel({BM}, {BN}):"
        each = [*loads, loop, f"    {o.element('i', 'j')} = {small_text(value, y.dtype)}", f"T.copy({o.all()}, {y.name}[{of(row, 0, BM)}, {of(column, 0, BN)}])"]
        inside = f"if {row} + i >= 0 and {row} + i < {m} and {column} + j >= 0 and {column} + j < {k}:"
        if self.z_way == "copy":
            again = Memory(n("z"), "whole", "fragment", BM, BN, z.dtype)
            head += again.lines
            each += [loop, f"    {again.element('i', 'j')} = {small_text(value, z.dtype)}", f"T.copy({again.all()}, {z.region(of(row, 0, BM), of(column, 0, BN))})"]
        else:
            each += [loop, f"    {inside}", f"        {z.region(f'{row} + i', f'{column} + j')} = {small_text(value, z.dtype)}"]
        stages = f", num_stages={self.stages}" if self.loop == "T.Pipelined" else ""
        return [*p.first_lines(), *z.first_lines(), *self.first_of_z(),
                f"with T.Kernel({ceildiv(f'{m} + {self.back[0]}', BM)}, threads={self.threads}) as b:", *indented(head),
                f"    for s in {self.loop}({ceildiv(f'{k} + {self.back[1]}', BN)}{stages}):", *indented(indented(each))]

    @property
    def has_more(self):
        """What is done with half of the columns of q: their sums, a copy into another region, a clear."""
        sums = self.formats[0] not in ("int8", "uint8") and self.q_form not in ("slot", "deep")
        return "none" if self.more == "sum" and not sums else self.more

    def more_lines(self, q):
        """(declarations, statements, another term of the value)."""
        n, BM, half = self.name, self.BM, self.BN // 2
        if self.has_more == "sum":
            return [f'{n("r")} = T.alloc_fragment(({BM},), "{self.formats[0]}")'], [f"T.reduce_sum({q.part(0, BM, half, half)}, {n('r')}, dim=1)"], \
                f" + T.cast({n('r')}[i], 'int32')"
        if self.has_more == "copy":
            g = Memory(n("g"), self.t_form, "shared", BM, self.BN, self.formats[0], self.at)
            return g.lines, [f"T.copy({q.part(0, BM, half, half)}, {g.part(0, BM, 0, half)})", f"T.copy({q.part(0, BM, 0, half)}, {g.part(0, BM, half, half)})"], \
                f" + T.cast({g.element('i', 'j')}, 'int32')"
        return [], [f"T.clear({q.part(0, BM, half, half)})"] * (self.has_more == "clear"), ""

    def more_value(self, p):
        """That term, and p."""
        half, width = self.BN // 2, p.shape[1]
        tiles = np.pad(p, [(0, 0), (self.back[1], 2 * self.BN)])[:, :(width + self.back[1] + self.BN - 1) // self.BN * self.BN].reshape(len(p), -1, self.BN)
        term = np.zeros_like(tiles)
        if self.has_more == "sum":
            term = term + tiles[:, :, half:].sum(axis=2, keepdims=True)
        if self.has_more == "copy":
            term = np.concatenate([tiles[:, :, half:], tiles[:, :, :half]], axis=2)
        if self.has_more == "clear":
            term[:, :, half:] = -tiles[:, :, half:]
        return term.reshape(len(p), -1)[:, self.back[1]:][:, :width]

    def first_of_z(self):
        """A kernel that clears the other matrix of z."""
        z = self.z
        if len(z.shape) == 2:
            return []
        rows, columns = z.extents[1:]
        return [f"with T.Kernel({rows}, threads=32) as b:", f"    for j in T.Parallel({columns}):", f"        {z.name}[0, b, j] = 1"]

    def run(self, env):
        x, h = np.pad(env[self.x.name], 32), self.halo
        rows, columns = self.x.shape

        def shifted(down, right):
            top, left = 32 + self.shift[0] + down, 32 + self.shift[1] + right
            return x[top:top + rows, left:left + columns]
        p = self.p.matrix(env[f"P{self.number}"])
        made = shifted(0, 0) * 3 + p + self.more_value(p)
        if h:
            made = made + shifted(-h, h) + shifted(h, -h)
        env[self.y.name], z = small_value(made, self.y.dtype), small_value(made, self.z.dtype)
        env[self.z.name] = np.stack([np.ones_like(z), z]) if self.z_form == "apart" else z


class RegionsLaunch(Launch):
    """y = x w, with operands in regions and views of shared buffers; in one matmul, or in those of halves of the tile."""
    CHOICES = {"BM": (64, 32, 128, 16), "BN": (32, 64, 16, 128), "BK": (32, 16, 64), "threads": (128, 64, 256), "stages": (0, 1, 2, 3, 4), "tb": (True, False),
               "a_form": (*FORMS, "joined"), "b_form": FORMS, "at": ((0, 8), (8, 0), (16, 32), (1, 8), (3, 5)), "w_form": STRIDES, "gap": (8, 1, 16), "pointer": (False, True),
               "pieces": ("one", "depth", "rows", "columns"), "loads": ("one", "halves"), "units": (None, "FullRow", "FullCol")}

    def drawn(self, rng):
        self.operand = self.x.dtype if self.x.dtype in ("float16", "float32", "int8") else pick(rng, ("float16", "bfloat16"))
        self.w_dtype = self.operand if rng.random() < 0.7 else "float16"
        self.columns = int(rng.integers(1, 150))

    def shape_of_y(self):
        return (self.x.shape[0], self.columns), (self.x.extents[0], self.columns)

    @property
    def w(self):
        (k, n), (k_text, n_text) = (self.x.shape[1], self.columns), (self.x.extents[1], self.columns)
        shape, extents = ((n, k), (n_text, k_text)) if self.tb else ((k, n), (k_text, n_text))
        return strided(f"W{self.number}", self.w_form, self.gap, shape, extents, self.w_dtype, self.pointer, lambda r, s: small(r, s, self.w_dtype))

    def own_inputs(self):
        return [self.w]

    def operands(self):
        """(a, b): in one buffer or in two."""
        n, BM, BN, BK = self.name, self.BM, self.BN, self.BK
        shape = (BN, BK) if self.tb else (BK, BN)
        if self.a_form == "joined" and self.tb:
            a, b = (Memory(n("ab"), "whole", "shared", rows, BK, self.operand) for rows in (BM, BN))
            a.lines, b.lines = [f'{n("ab")} = T.alloc_shared(({BM + BN}, {BK}), "{self.operand}")'], []
            a.whole, b.whole, b.at = False, False, (BM, 0)
            return a, b
        form = "whole" if self.a_form == "joined" else self.a_form
        return Memory(n("a"), form, "shared", BM, BK, self.operand, self.at), Memory(n("b"), self.b_form, "shared", *shape, self.operand, self.at)

    def lines(self):
        x, y, w, n, BM, BN, BK = self.x, self.y, self.w, self.name, self.BM, self.BN, self.BK
        a, b = self.operands()
        sums = "int32" if self.operand == "int8" else "float32"
        h = {"rows": BM, "columns": BN, "depth": BK}.get(self.pieces, 0) // 2
        # Of each piece: its rows, columns and terms.
        whole = [(0, BM), (0, BN), (0, BK)]
        at = ("rows", "columns", "depth").index(self.pieces) if h else 0
        pieces = [[*whole[:at], half, *whole[at + 1:]] for half in ((0, h), (h, h))] if h else [whole]
        sums_of = [n("c")] * len(pieces) if self.pieces in ("one", "depth") else [n("c"), n("d")]
        first = pieces[0]
        head = [*w.first_lines(), f"with T.Kernel({ceildiv(self.columns, BN)}, {ceildiv(x.extents[0], BM)}, threads={self.threads}) as (bx, by):"]
        body = [*a.lines, *b.lines]
        for c in dict.fromkeys(sums_of):
            body += [f'{c} = T.alloc_fragment(({first[0][1]}, {first[1][1]}), "{sums}")', f"T.clear({c})"]
        of = lambda start, more, count: f"{start} + {more}:{start} + {more + count}"  # noqa: E731
        each, policy = [], f", policy=T.GemmWarpPolicy.{self.units}" if self.units else ""
        halves = [(0, BK // 2), (BK // 2, BK // 2)] if self.loads == "halves" else [(0, BK)]
        for start, count in halves:
            each.append(f"T.copy({x.name}[{of(f'by * {BM}', 0, BM)}, {of(f'k * {BK}', start, count)}], {a.part(0, BM, start, count)})")
            place = [of(f"bx * {BN}", 0, BN), of(f"k * {BK}", start, count)]
            target = b.part(0, BN, start, count) if self.tb else b.part(start, count, 0, BN)
            each.append(f"T.copy({w.region(*(place if self.tb else place[::-1]))}, {target})")
        for (rows, columns, terms), c in zip(pieces, sums_of):
            right = b.part(*columns, *terms) if self.tb else b.part(*terms, *columns)
            each.append(f"T.gemm({a.part(*rows, *terms)}, {right}, {c}{', transpose_B=True' * self.tb}{policy})")
        count = ceildiv(x.extents[1], BK)
        body += [f"for k in T.Pipelined({count}, num_stages={self.stages}):" if self.stages else f"for k in T.serial({count}):", *indented(each)]
        for (rows, columns, _), c in {c: (piece, c) for piece, c in zip(reversed(pieces), reversed(sums_of))}.values():
            body += [f"for i, j in T.Parallel({rows[1]}, {columns[1]}):", f"    {c}[i, j] = T.cast({small_text(f'{c}[i, j]', y.dtype)}, '{sums}')",
                     f"T.copy({c}, {y.name}[{of(f'by * {BM}', *rows)}, {of(f'bx * {BN}', *columns)}])"]
        return head + indented(body)

    def run(self, env):
        w = self.w.matrix(env[f"W{self.number}"])
        env[self.y.name] = small_value(env[self.x.name] @ (w.T if self.tb else w), self.y.dtype)


class ViewsKernel(FunctionKernel):
    """Three of four kernels access parts of memory."""
    makers = (ViewsLaunch, RegionsLaunch) * (3 * len(MAKERS) // 2) + MAKERS
