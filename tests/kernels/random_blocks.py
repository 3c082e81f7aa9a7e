# SPDX-License-Identifier: Apache-2.0
"""Random kernels whose blocks wait for each other: chains, rotations, locks, tickets, and a last block that checks what
all have left. Each block has a row of numbers, which goes from phase to phase; what a phase leaves to other blocks has
a separate tensor, so that no watcher may report anything.

Waits are for blocks with smaller numbers alone: a kernel whose blocks run one after the other ends, too.
"""
import dataclasses

import numpy as np

from random_expressions import pick

LIMIT = 251  # values are in [0, LIMIT): every dtype of FORMATS holds them
FORMATS = ("int32", "int32", "int64", "int16", "float32", "float16")
RELEASES, ACQUIRES, BOTH = ("release", "seq_cst"), ("acquire", "seq_cst"), ("acq_rel", "seq_cst")


@dataclasses.dataclass
class Phase:
    """Lines of all blocks, and (rows, arrays) -> new rows, which also fills the arrays of its tensors."""
    lines: list
    run: object
    tensors: dict  # name -> (shape in text, shape, dtype)
    bodies: tuple = ()
    value: list = None  # of the shrinker of expressions: none


class BlocksKernel:
    terms, magnitude = 0, 1.0  # of case.Case: no tolerance

    def __init__(self, seed):
        self.rng = np.random.default_rng([seed, 97])
        self.threads = int(pick(self.rng, (32, 64, 96, 128)))
        self.blocks = int(pick(self.rng, (1, 2, 3, 5, 7)))
        self.width = int(pick(self.rng, (1, 7, 32, 50, 64, 130)))
        self.kept = pick(self.rng, ("fragment", "shared"))
        self.steps = [self.phase(number) for number in range(int(self.rng.integers(2, 6)))]
        self.steps.append(self.last())

    # -- pieces -----------------------------------------------------------------------------------
    def format(self):
        return str(pick(self.rng, FORMATS))

    @staticmethod
    def read(text, dtype):
        return text if dtype == "int32" else f"T.cast({text}, 'int32')"

    @staticmethod
    def kept_as(text, dtype):
        return text if dtype == "int32" else f"T.cast({text}, '{dtype}')"

    def each(self, line):
        """A line for every element i of the row: by the compiler's threads, or by the program's."""
        if self.kept == "fragment" or self.rng.random() < 0.6:
            return [f"for i in T.Parallel({self.width}):", f"    {line}"]
        iterations = -(-self.width // self.threads)
        if self.width < self.threads:
            return [f"if tx < {self.width}:", "    i = tx", f"    {line}"]
        return [f"for iteration in T.serial({iterations}):", f"    if iteration * {self.threads} + tx < {self.width}:",
                f"        i = iteration * {self.threads} + tx", f"        {line}"]

    def barrier(self):
        """The compiler knows where barriers are needed; a program may have explicit ones, too."""
        return ["T.sync_threads()"] if self.rng.random() < 0.4 else []

    def one(self, *lines):
        return [f"if tx == {int(self.rng.integers(0, self.threads))}:", *("    " + line for line in lines)]

    def wait(self, test):
        """By one thread or by all; `test` holds while it continues."""
        order = pick(self.rng, ACQUIRES)
        lines = [f"while {test.format(order=order)}:", "    pass"]
        return (self.one(*lines) if self.rng.random() < 0.6 else lines) + self.barrier()

    # -- phases -----------------------------------------------------------------------------------
    def phase(self, number):
        makers = (self.own, self.chain, self.in_order, self.lock, self.tickets, self.last_adds)
        return pick(self.rng, makers)(number)

    def own(self, number):
        k, c = int(self.rng.integers(1, 9)), int(self.rng.integers(0, LIMIT))
        return Phase(self.each(f"row[i] = (row[i] * {k} + i + {c}) % {LIMIT}"),
                     lambda rows, arrays: (rows * k + np.arange(self.width) + c) % LIMIT, {})

    def chain(self, number):
        """Block b takes in what block b - 1 has made."""
        data, flag, dtype = f"X{number}", f"F{number}", self.format()
        shift, back = int(self.rng.integers(0, self.width)), int(pick(self.rng, (1, 1, 2)))
        taken = self.read(f"{data}[bx - {back}, (i + {shift}) % {self.width}]", dtype)
        lines = [f"if bx >= {back}:"]
        lines += ["    " + line for line in self.wait(f"T.atomic_load({flag}[bx - {back}], memory_order='{{order}}') == 0")]
        lines += ["    " + line for line in self.each(f"row[i] = (row[i] + {taken}) % {LIMIT}")]
        lines += self.each(f"{data}[bx, i] = {self.kept_as('row[i]', dtype)}") + self.barrier()
        lines += self.one(f"T.atomic_store({flag}[bx], 1, memory_order='{pick(self.rng, RELEASES)}')")

        def run(rows, arrays):
            new = rows.copy()
            for b in range(back, self.blocks):
                new[b] = (rows[b] + np.roll(new[b - back], -shift)) % LIMIT
            arrays[data][:], arrays[flag][:] = new, 1
            return new
        return Phase(lines, run, {data: ((self.blocks, self.width), dtype), flag: ((self.blocks,), "int32")})

    def in_order(self, number):
        """One after the other, in the blocks' order, which the values show."""
        data, next_block, dtype, k = f"X{number}", f"F{number}", self.format(), int(self.rng.integers(2, 9))
        old = self.read(f"{data}[i]", dtype)
        lines = self.wait(f"T.atomic_load({next_block}[0], memory_order='{{order}}') != bx")
        lines += self.each(f"{data}[i] = {self.kept_as(f'({old} * {k} + row[i]) % {LIMIT}', dtype)}") + self.barrier()
        lines += self.one(f"T.atomic_store({next_block}[0], bx + 1, memory_order='{pick(self.rng, RELEASES)}')")

        def run(rows, arrays):
            total = np.zeros(self.width, np.int64)
            for row in rows:
                total = (total * k + row) % LIMIT
            arrays[data][:], arrays[next_block][:] = total, self.blocks
            return rows
        return Phase(lines, run, {data: ((self.width,), dtype), next_block: ((1,), "int32")})

    def lock(self, number):
        """In any order: sums, which do not show it."""
        data, lock, dtype = f"X{number}", f"F{number}", self.format()
        old = self.read(f"{data}[i]", dtype)
        lines = self.one(f"while T.atomic_max({lock}[0], 1, memory_order='{pick(self.rng, (*ACQUIRES, *BOTH))}', return_prev=True) == 1:",
                         "    pass") + self.barrier()
        lines += self.each(f"{data}[i] = {self.kept_as(f'({old} + row[i]) % {LIMIT}', dtype)}") + self.barrier()
        lines += self.one(f"T.atomic_store({lock}[0], 0, memory_order='{pick(self.rng, RELEASES)}')")

        def run(rows, arrays):
            arrays[data][:], arrays[lock][:] = rows.sum(0) % LIMIT, 0
            return rows
        return Phase(lines, run, {data: ((self.width,), dtype), lock: ((1,), "int32")})

    def tickets(self, number):
        """Each block takes the next free work item."""
        data, work, dtype, pieces = f"X{number}", f"F{number}", self.format(), int(self.rng.integers(1, 3 * self.blocks + 1))
        name, k = f"piece{number}", int(self.rng.integers(1, 9))
        made = f"(A[{name} % {self.blocks}, i] * {k} + {name}) % {LIMIT}"
        again = [*self.one(f"ticket[0] = T.atomic_add({work}[0], 1, return_prev=True)"), *self.barrier(), f"{name} = ticket[0]",
                 f"if {name} < {pieces}:", *("    " + line for line in self.each(f"{data}[{name}, i] = {self.kept_as(made, dtype)}"))]
        lines = [f"{name} = T.alloc_var('int32', 0)", f"while {name} < {pieces}:", *("    " + line for line in again)]

        def run(rows, arrays):
            for piece in range(pieces):
                arrays[data][piece] = (arrays["A"][piece % self.blocks].astype(np.int64) * k + piece) % LIMIT
            arrays[work][:] = pieces + self.blocks
            return rows
        return Phase(lines, run, {data: ((pieces, self.width), dtype), work: ((1,), "int32")})

    def last_adds(self, number):
        """The last block to arrive sees the values of all others."""
        data, count, total, dtype = f"X{number}", f"F{number}", f"S{number}", self.format()
        lines = self.each(f"{data}[bx, i] = {self.kept_as('row[i]', dtype)}") + self.barrier()
        lines += self.one(f"ticket[0] = T.atomic_add({count}[0], 1, memory_order='{pick(self.rng, BOTH)}', return_prev=True)")
        added = self.read(f"{data}[b, i]", dtype)
        adding = [f"for b in T.serial({self.blocks}):", *("    " + line for line in self.each(f"sums[i] = (sums[i] + {added}) % {LIMIT}"))]
        lines += self.barrier() + [f"if ticket[0] == {self.blocks - 1}:", "    T.clear(sums)", *("    " + line for line in adding),
                                   *("    " + line for line in self.each(f"{total}[i] = sums[i]"))]

        def run(rows, arrays):
            arrays[data][:], arrays[count][:], arrays[total][:] = rows, self.blocks, rows.sum(0) % LIMIT
            return rows
        return Phase(lines, run, {data: ((self.blocks, self.width), dtype), count: ((1,), "int32"), total: ((self.width,), "int32")})

    def last(self):
        def run(rows, arrays):
            arrays["Z"][:] = rows
            return rows
        return Phase(["T.copy(row, Z[bx, :])"], run, {"Z": ((self.blocks, self.width), "int32")})

    # -- what a kernel is for others ------------------------------------------------------------
    def tensors(self):
        return {name: of for phase in self.steps for name, of in phase.tensors.items()}

    def source(self):
        shapes = {name: f"T.Tensor({shape!r}, '{dtype}')" for name, (shape, dtype) in self.tensors().items()}
        cleared = [f"    T.clear({name})" for name in shapes if name != "Z"] or ["    pass"]
        memory = "T.alloc_fragment" if self.kept == "fragment" else "T.alloc_shared"
        lines = ["with T.Kernel(1, threads=64):", *cleared, f"with T.Kernel({self.blocks}, threads={self.threads}) as bx:"]
        body = ["tx = T.get_thread_binding()", f"row = {memory}(({self.width},), 'int32')", f"sums = {memory}(({self.width},), 'int32')",
                "ticket = T.alloc_shared((1,), 'int32')", "T.copy(A[bx, :], row)", *(line for phase in self.steps for line in phase.lines)]
        lines += ["    " + line for line in body]
        given = [f"A: T.Tensor({(self.blocks, self.width)!r}, 'int32')", *(f"{name}: {text}" for name, text in shapes.items())]
        return "\n".join(["@T.prim_func", f"def main({', '.join(given)}):"] + ["    " + line for line in lines]) + "\n"

    def inputs(self, rng):
        return [rng.integers(0, LIMIT, (self.blocks, self.width)).astype(np.int32)]

    def reference(self, inputs):
        arrays = {"A": inputs[0]} | {name: np.zeros(shape, np.int64) for name, (shape, _) in self.tensors().items()}
        rows = inputs[0].astype(np.int64)
        for phase in self.steps:
            rows = phase.run(rows, arrays)
        return [arrays[name].astype(dtype) for name, (_, dtype) in self.tensors().items()]

    def outputs(self):
        return list(range(1, 1 + len(self.tensors())))

    def simpler(self):
        return []
