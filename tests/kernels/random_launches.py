# SPDX-License-Identifier: Apache-2.0
"""The kinds of whole kernels that random functions launch: the table of their makers, and those without products."""
import numpy as np

from random_attention import AttentionLaunch, ChunksLaunch
from random_launch import Launch, Tensor, ceildiv, indented, small_text, small_value
from random_products import ProductLaunch


class RowsLaunch(Launch):
    """Rows against what the whole row is, in two loops over its columns, as softmax and norms do."""
    CHOICES = {"BM": (32, 16, 64, 1), "BN": (32, 64, 16), "threads": (128, 32, 64, 256), "stages": (0, 1, 2, 3),
               "scope": ("fragment", "shared"), "loop": ("serial", "T.Pipelined"), "op": ("max", "sum", "min", "absmax"),
               "keeps": (False, True), "order": (0, 1)}

    def shape_of_y(self):
        return self.x.shape, self.x.extents

    def over_columns(self, body):
        stages = f", num_stages={self.stages}" if self.loop == "T.Pipelined" else ""
        word = "T.serial" if self.loop == "serial" else self.loop
        return [f"for k in {word}({ceildiv(self.x.extents[1], self.BN)}{stages}):", *indented(body)]

    def lines(self):
        x, y, n = self.x, self.y, self.name
        grid = ceildiv(x.extents[0], self.BM)
        whole = f"{self.BM}, {self.BN}"
        start = {"max": "-9", "min": "9", "sum": "0", "absmax": "0"}[self.op]
        body = [f'{n("t")} = T.alloc_{self.scope}(({whole}), "{x.dtype}")', f'{n("w")} = T.alloc_fragment(({whole}), "int32")',
                f'{n("r")} = T.alloc_fragment(({self.BM},), "int32")', f'{n("o")} = T.alloc_fragment(({whole}), "{y.dtype}")']
        load = f"T.copy({x.name}[b * {self.BM}, k * {self.BN}], {n('t')})"
        first = [load, f"for i, j in T.Parallel({whole}):", f"    {n('w')}[i, j] = T.cast({n('t')}[i, j], 'int32')",
                 f"T.reduce_{self.op}({n('w')}, {n('r')}, dim=1, clear=False)"]
        made = small_text(f"T.cast({n('t')}[i, j], 'int32') * 3 + {n('r')}[i]", y.dtype)
        second = [load, f"for i, j in T.Parallel({whole}):", f"    {n('o')}[i, j] = {made}",
                  f"T.copy({n('o')}, {y.name}[b * {self.BM}, k * {self.BN}])"]
        body += [f"T.fill({n('r')}, {start})"] + self.over_columns(first) + self.over_columns(second)
        return [f"with T.Kernel({grid}, threads={self.threads}) as b:", *indented(body)]

    def run(self, env):
        x = env[self.x.name]
        padded = np.pad(x, [(0, 0), (0, -x.shape[1] % self.BN)])
        functions = {"max": np.max, "min": np.min, "sum": np.sum, "absmax": lambda v, axis: np.abs(v).max(axis)}
        row = functions[self.op](padded, axis=1)
        env[self.y.name] = small_value(x * 3 + row[:, None], self.y.dtype)


class ScanLaunch(Launch):
    """Running sums along rows; each block carries the end of one tile into the next."""
    CHOICES = {"BM": (16, 32, 1), "BN": (32, 64, 16), "threads": (128, 64, 256), "stages": (0, 1, 2, 3),
               "scope": ("shared", "fragment"), "loop": ("T.serial", "T.Pipelined"), "reverse": (False, True)}

    def shape_of_y(self):
        return self.x.shape, self.x.extents

    def lines(self):
        x, y, n = self.x, self.y, self.name
        whole, (rows, columns) = f"{self.BM}, {self.BN}", x.extents
        stages = f", num_stages={self.stages}" if self.loop == "T.Pipelined" else ""
        at = f"k * {self.BN}" if not self.reverse else f"({ceildiv(columns, self.BN)} - 1 - k) * {self.BN}"
        body = [f'{n("t")} = T.alloc_shared(({whole}), "{x.dtype}")', f'{n("s")} = T.alloc_{self.scope}(({whole}), "int32")',
                f'{n("c")} = T.alloc_fragment(({self.BM},), "int32")', f'{n("p")} = T.alloc_fragment(({self.BM},), "int32")',
                f"T.clear({n('c')})", f"for k in {self.loop}({ceildiv(columns, self.BN)}{stages}):"]
        iteration = [f"T.copy({x.name}[b * {self.BM}, {at}], {n('t')})", f"for i, j in T.Parallel({whole}):",
                     f"    {n('s')}[i, j] = T.cast({n('t')}[i, j], 'int32')", f"T.reduce_sum({n('s')}, {n('p')}, dim=1)",
                     f"T.cumsum({n('s')}, dim=1, reverse={self.reverse})",
                     f"for i, j in T.Parallel({whole}):", f"    {n('s')}[i, j] = {n('s')}[i, j] + {n('c')}[i]",
                     f"for i in T.Parallel({self.BM}):", f"    {n('c')}[i] = ({n('c')}[i] + {n('p')}[i]) % 1000",
                     f"for i, j in T.Parallel({whole}):", f"    if b * {self.BM} + i < {rows} and {at} + j < {columns}:",
                     f"        {y.name}[b * {self.BM} + i, {at} + j] = {small_text(n('s') + '[i, j]', y.dtype)}"]
        return [f"with T.Kernel({ceildiv(rows, self.BM)}, threads={self.threads}) as b:", *indented(body + indented(iteration))]

    def run(self, env):
        x = env[self.x.name]
        made = np.cumsum(x[:, ::-1] if self.reverse else x, axis=1)  # 1000 is a multiple of 5
        env[self.y.name] = small_value(made[:, ::-1] if self.reverse else made, self.y.dtype)


class TransposeLaunch(Launch):
    """Rows become columns, through shared memory."""
    CHOICES = {"BM": (32, 16, 64), "BN": (32, 64, 16), "threads": (128, 32, 256), "way": ("parallel", "T.transpose", "reads"),
               "persistent": (0, 2, 3), "layout": (None, "make_swizzled_layout", "padded")}

    def shape_of_y(self):
        return self.x.shape[::-1], self.x.extents[::-1]

    def lines(self):
        x, y, n = self.x, self.y, self.name
        grid = [ceildiv(x.extents[0], self.BM), ceildiv(x.extents[1], self.BN)]
        s, d = n("s"), n("d")
        made = small_text(f"T.cast({s}[{{}}], 'int32') + 7", y.dtype)
        allocs = [f'{s} = T.alloc_shared(({self.BM}, {self.BN}), "{x.dtype}")', f'{d} = T.alloc_shared(({self.BN}, {self.BM}), "{y.dtype}")']
        layout = {"make_swizzled_layout": f"T.make_swizzled_layout({s})",
                  "padded": f"T.Layout(({self.BM}, {self.BN}), lambda i, j: i * {self.BN + 8} + j)"}.get(self.layout)
        allocs += [f"T.annotate_layout({{{s}: {layout}}})"] if layout else []
        tile = [f"T.copy({x.name}[p * {self.BM}, q * {self.BN}], {s})"]
        if self.way == "parallel":
            tile += [f"for i, j in T.Parallel({self.BM}, {self.BN}):", f"    {d}[j, i] = {made.format('i, j')}"]
        elif self.way == "reads":
            tile += [f"for j, i in T.Parallel({self.BN}, {self.BM}):", f"    {d}[j, i] = {made.format('i, j')}"]
        else:
            tile += [f'{n("u")} = T.alloc_shared(({self.BN}, {self.BM}), "{x.dtype}")', f"T.transpose({s}, {n('u')})",
                     f"for j, i in T.Parallel({self.BN}, {self.BM}):",
                     f"    {d}[j, i] = {made.format('j, i').replace(s + '[', n('u') + '[')}"]
        tile += [f"T.copy({d}, {y.name}[q * {self.BN}, p * {self.BM}])"]
        if self.persistent:
            return [f"with T.Kernel({self.persistent}, threads={self.threads}) as b:", *indented(
                allocs + [f"for p, q in T.Persistent([{grid[0]}, {grid[1]}], {self.persistent}, b):", *indented(tile)])]
        return [f"with T.Kernel({grid[0]}, {grid[1]}, threads={self.threads}) as (p, q):", *indented(allocs + tile)]

    def run(self, env):
        env[self.y.name] = small_value(env[self.x.name].T + 7, self.y.dtype)


class CountsLaunch(Launch):
    """A histogram by atomics on an output that another kernel clears; then each element's share."""
    CHOICES = {"BM": (32, 16), "BN": (32, 64), "threads": (128, 64, 256), "tile": (False, True)}

    def drawn(self, rng):
        self.h = Tensor(f"H{self.number}", (5,), (5,), "int32")

    def shape_of_y(self):
        return self.x.shape, self.x.extents

    def outputs(self):
        return [self.h, self.y]

    def lines(self):
        x, y, n, h = self.x, self.y, self.name, self.h.name
        (rows, columns), whole = x.extents, f"{self.BM}, {self.BN}"
        grid = f"{ceildiv(rows, self.BM)}, {ceildiv(columns, self.BN)}"
        inside = f"p * {self.BM} + i < {rows} and q * {self.BN} + j < {columns}"
        digit = f"(T.cast({n('t')}[i, j], 'int32') + 10) % 5"
        where = n("l") if self.tile else h
        count = [f'{n("t")} = T.alloc_fragment(({whole}), "{x.dtype}")', f"T.copy({x.name}[p * {self.BM}, q * {self.BN}], {n('t')})"]
        count += [f'{n("l")} = T.alloc_shared((5,), "int32")', f"T.clear({n('l')})"] if self.tile else []
        count += [f"for i, j in T.Parallel({whole}):", f"    if {inside}:", f"        T.atomic_add({where}[{digit}], 1)"]
        count += [f"T.atomic_add({h}, {n('l')})"] if self.tile else []
        made = small_text(f"{h}[{digit}] + T.cast({n('t')}[i, j], 'int32')", y.dtype)
        share = [count[0], count[1], f'{n("o")} = T.alloc_fragment(({whole}), "{y.dtype}")', f"for i, j in T.Parallel({whole}):",
                 f"    {n('o')}[i, j] = {made}", f"T.copy({n('o')}, {y.name}[p * {self.BM}, q * {self.BN}])"]
        head = f"with T.Kernel({grid}, threads={self.threads}) as (p, q):"
        return ["with T.Kernel(1, threads=32):", f"    T.clear({h})", head, *indented(count), head, *indented(share)]

    def run(self, env):
        x = env[self.x.name]
        env[self.h.name] = np.bincount((x % 5).ravel(), minlength=5)
        env[self.y.name] = small_value(env[self.h.name][x % 5] + x, self.y.dtype)


class GatherLaunch(Launch):
    """Rows in another order, by a tensor of their numbers; through shared memory or not."""
    CHOICES = {"BM": (32, 16), "BN": (32, 64), "threads": (128, 64, 256), "scope": ("shared", "fragment"), "rows": ("parallel", "copies")}

    def drawn(self, rng):
        count = self.x.shape[0]
        self.index = Tensor(f"I{self.number}", (count,), (self.x.extents[0],), "int32", lambda r, s: r.permutation(s[0]))

    def shape_of_y(self):
        return self.x.shape, self.x.extents

    def own_inputs(self):
        return [self.index]

    def lines(self):
        x, y, n = self.x, self.y, self.name
        (rows, columns), whole = x.extents, f"{self.BM}, {self.BN}"
        body = [f'{n("t")} = T.alloc_{self.scope if self.rows == "parallel" else "shared"}(({whole}), "{x.dtype}")',
                f'{n("o")} = T.alloc_shared(({whole}), "{y.dtype}")']
        if self.rows == "parallel":
            body += [f"for i, j in T.Parallel({whole}):", f"    {n('t')}[i, j] = {x.name}[{self.index.name}[p * {self.BM} + i], q * {self.BN} + j]"]
        else:
            body += [f"for i in T.serial({self.BM}):", f"    if p * {self.BM} + i < {rows}:",
                     f"        T.copy({x.name}[{self.index.name}[p * {self.BM} + i], q * {self.BN}:q * {self.BN} + {self.BN}], {n('t')}[i, :])"]
        body += [f"for i, j in T.Parallel({whole}):", f"    if p * {self.BM} + i < {rows}:",
                 f"        {n('o')}[i, j] = {small_text(n('t') + '[i, j]', y.dtype)}",
                 f"T.copy({n('o')}, {y.name}[p * {self.BM}, q * {self.BN}])"]
        body.insert(2, f"T.clear({n('o')})")
        return [f"with T.Kernel({ceildiv(rows, self.BM)}, {ceildiv(columns, self.BN)}, threads={self.threads}) as (p, q):", *indented(body)]

    def run(self, env):
        env[self.y.name] = small_value(env[self.x.name][env[self.index.name]], self.y.dtype)


class KeptLaunch(Launch):
    """Memory of a block across T.sync_grid, beside tensors that all blocks write."""
    CHOICES = {"BM": (32, 16, 1), "BN": (32, 64), "threads": (128, 32, 64), "scope": ("shared", "fragment"),
               "value": ("none", "loaded", "variable"), "barriers": (1, 2), "changes": (False, True)}

    def shape_of_y(self):
        return self.x.shape, self.x.extents

    def lines(self):
        x, y, n = self.x, self.y, self.name
        (rows, columns), whole, at = x.extents, f"{self.BM}, {self.BN}", f"p * {self.BM}, q * {self.BN}"
        loop = f"for i, j in T.Parallel({whole}):"
        kept = f"T.cast({n('t')}[i, j], 'int32')"
        body = [f'{n("t")} = T.alloc_{self.scope}(({whole}), "{x.dtype}")', f'{n("o")} = T.alloc_fragment(({whole}), "{y.dtype}")',
                f"T.copy({x.name}[{at}], {n('t')})"]
        made = f"T.cast({n('o')}[i, j], 'int32')"
        value = {"none": "0", "loaded": n("v"), "variable": n("v")}[self.value]
        first = f"T.cast({x.name}[p * {self.BM}, q * {self.BN}], 'int32')"
        if self.value == "loaded":
            body.append(f"{n('v')} = {first}")
        if self.value == "variable":
            body += [f'{n("v")} = T.alloc_var("int32", init=1)', f"{n('v')} = {n('v')} + {first}"]
        for number in range(self.barriers):
            body += [loop, f"    {n('o')}[i, j] = {small_text(kept + ' * 3 + ' + value, y.dtype)}", f"T.copy({n('o')}, {y.name}[{at}])", "T.sync_grid()"]
            if self.changes:
                body += [loop, f"    {n('t')}[i, j] = {small_text(kept + ' + 1', x.dtype)}"]
        body += [f"T.copy({y.name}[{at}], {n('o')})", loop,
                 f"    {n('o')}[i, j] = {small_text(kept + ' + ' + made + ' + ' + value, y.dtype)}",
                 f"T.copy({n('o')}, {y.name}[{at}])"]
        return [f"with T.Kernel({ceildiv(rows, self.BM)}, {ceildiv(columns, self.BN)}, threads={self.threads}) as (p, q):", *indented(body)]

    def run(self, env):
        x = env[self.x.name]
        value = np.repeat(np.repeat(x[::self.BM, ::self.BN], self.BM, 0), self.BN, 1)[:x.shape[0], :x.shape[1]]
        value = {"none": 0, "loaded": value, "variable": value + 1}[self.value]
        kept = x
        for number in range(self.barriers):
            y = small_value(kept * 3 + value, self.y.dtype)
            if self.changes:
                kept = small_value(kept + 1, self.x.dtype)
        env[self.y.name] = small_value(kept + y + value, self.y.dtype)


class VectorLaunch(Launch):
    """A view of a tile as vectors; their elements change places or not."""
    CHOICES = {"BM": (32, 16, 1), "BN": (32, 64), "threads": (128, 32, 64), "lanes": (2, 4, 8), "scope": ("shared", "fragment"),
               "form": ("whole", "named", "lanes")}

    def shape_of_y(self):
        return self.x.shape, self.x.extents

    def lines(self):
        x, y, n, lanes = self.x, self.y, self.name, self.lanes
        (rows, columns), whole, at = x.extents, f"{self.BM}, {self.BN}", f"p * {self.BM}, q * {self.BN}"
        of = f"{self.BM}, {self.BN // lanes}"
        made = lambda v: f"T.cast(T.cast({v}, 'int32x{lanes}') * 3 % 5{'' if y.dtype[0] == 'u' else ' - 2'}, '{y.dtype}x{lanes}')"
        element = f"{n('v')}[i, j]"
        loop = {"whole": [f"    {n('o')}[i, j] = {made(element)}"], "named": [f"    {n('e')} = {element}", f"    {n('o')}[i, j] = {made(n('e'))}"],
                "lanes": [f"    {n('e')} = {made(element)}", f"    {n('o')}[i, j] = T.{y.dtype}x{lanes}("
                          + ", ".join(f"T.extract_lane({n('e')}, {k})" for k in range(lanes)) + ")"]}[self.form]
        body = [f'{n("t")} = T.alloc_shared(({whole}), "{x.dtype}")', f'{n("v")} = T.view({n("t")}, ({of}), "{x.dtype}x{lanes}")',
                f'{n("o")} = T.alloc_{self.scope}(({of}), "{y.dtype}x{lanes}")', f'{n("s")} = T.alloc_shared(({of}), "{y.dtype}x{lanes}")',
                f"T.copy({x.name}[{at}], {n('t')})", f"for i, j in T.Parallel({of}):", *loop, f"T.copy({n('o')}, {n('s')})",
                f'T.copy(T.view({n("s")}, ({whole}), "{y.dtype}"), {y.name}[{at}])']
        return [f"with T.Kernel({ceildiv(rows, self.BM)}, {ceildiv(columns, self.BN)}, threads={self.threads}) as (p, q):", *indented(body)]

    def run(self, env):
        env[self.y.name] = small_value(env[self.x.name] * 3, self.y.dtype)


MAKERS = (ProductLaunch, ProductLaunch, ProductLaunch, AttentionLaunch, ChunksLaunch, RowsLaunch, ScanLaunch, TransposeLaunch,
          CountsLaunch, GatherLaunch, KeptLaunch, VectorLaunch)
