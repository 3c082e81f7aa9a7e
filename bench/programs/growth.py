# SPDX-License-Identifier: Apache-2.0
"""Compile time of kernels that differ in one size: growth.py REPEATS [KIND SIZE]... Prints
{"KIND SIZE": {stage: least ms of CPU}}.

Stages: `ast` (CPython's parser and the syntax tree), `elaborate`, `print`, `read` (the printed text, read and verified),
`passes` (all of them, verified), each pass by its name (wall clock), `around` (what `passes` takes beside them: checks and
verification), `C`. `all` is what a user waits for: `ast`,
`elaborate`, `passes` and `C`.
"""

import ast
import json
import linecache
import sys
import time

import tilelab.language as T
from tilelab import _core
from tilelab._compiler import source

HEAD = """
def kernel(A: T.Tensor((4096, 4096), "float32"), B: T.Tensor((4096, 4096), "float32"), n: T.int32):
    with T.Kernel(32, threads=128) as bx:
"""


def body(lines, head=""):
    return head + HEAD + "".join(f"        {line}\n" for line in lines)


def nested(heads, last):
    return body(["    " * i + head for i, head in enumerate(heads)] + ["    " * len(heads) + last])


def stores(n):
    return body(f"A[bx, {i % 4096}] = B[bx, {i * 7 % 4096}] + {i}.0" for i in range(n))


def lets(n):
    return body(["x = B[bx, 0]", *(f"x{i} = {'x' if not i else f'x{i - 1}'} * 2.0 + B[bx, {i % 4096}]" for i in range(n)),
                 f"A[bx, 0] = x{n - 1}"])


def assignments(n):
    return body(["x = T.alloc_var(T.float32)", "x = 0.0", *(f"x = x * 2.0 + B[bx, {i % 4096}]" for i in range(n)),
                 "A[bx, 0] = x"])


def tile_ops(n):
    return body(["s = T.alloc_shared((128,), 'float32')", "f = T.alloc_fragment((128,), 'float32')",
                 *(line for i in range(n // 2) for line in (f"T.copy(B[{i % 4096}, bx * 128], s)", "T.copy(s, f)")),
                 "T.copy(f, A[bx, 0])"])


def parallels(n):
    return body(["f = T.alloc_fragment((256,), 'float32')", "T.clear(f)",
                 *(f"for i in T.Parallel(256): f[i] = f[i] * 2.0 + B[{i % 4096}, i]" for i in range(n)), "T.copy(f, A[bx, 0])"])


def rotated(n):
    """Indices that wrap around."""
    return body(f"for i in T.Parallel(1024): A[bx, (i + {k + 1}) % 1024] = B[bx, i]" for k in range(n))


def in_parallel(n):
    return body(["for i in T.Parallel(256):", *(f"    A[bx, {256 * (j % 16)} + i] = B[{j % 4096}, i] + {j}.0" for j in range(n))])


def fragments(n):
    """Each is a value of the next: one connected problem of layouts."""
    names = [f"f{i}" for i in range(n)]
    return body([*(f"{f} = T.alloc_fragment((256,), 'float32')" for f in names), "T.clear(f0)",
                 *(f"for i in T.Parallel(256): {g}[i] = {f}[i] + 1.0" for f, g in zip(names, names[1:])),
                 f"T.copy({names[-1]}, A[bx, 0])"])


def shared(n):
    """Two live at a time: the arena gives their places again."""
    names = [f"s{i}" for i in range(n)]
    return body([*(f"{s} = T.alloc_shared((256,), 'float32')" for s in names), "T.copy(B[bx, 0], s0)",
                 *(f"for i in T.Parallel(256): {b}[i] = {a}[255 - i] + 1.0" for a, b in zip(names, names[1:])),
                 f"T.copy({names[-1]}, A[bx, 0])"])


def locals_(n):
    names = [f"l{i}" for i in range(n)]
    return body([*(f"{s} = T.alloc_local((4,), 'float32')" for s in names), *(f"{s}[0] = B[bx, {i}]" for i, s in enumerate(names)),
                 *(f"A[bx, {i}] = {s}[0]" for i, s in enumerate(names))])


def grid(n, extent):
    """Loops in each other; Python nests twenty, T.grid as many as one writes."""
    return f"for {', '.join(f'i{k}' for k in range(n))} in T.grid({', '.join([extent] * n)}):"


def nesting(n):
    return nested([grid(n, "2")], f"A[bx, i0 + i{n - 1}] = B[bx, i{n // 2}]")


def run_time_nesting(n):
    return nested([grid(n, "n")], f"A[bx, i0 + i{n - 1}] = B[bx, i{n // 2}]")


def if_nesting(n):
    return nested([f"if B[bx, {k}] > {k}.0:" for k in range(n)], "A[bx, 0] = 1.0")


def tile_nesting(n):
    """Loops around tile operations."""
    return body(["s = T.alloc_shared((256,), 'float32')", grid(n, "2"), "    T.copy(B[bx, 0], s)",
                 "    for i in T.Parallel(256): A[bx, i] = s[255 - i]"])


def loops(n):
    return body(f"for i in T.serial({k % 7 + 2}): A[bx, i] = B[bx, i + {k}]" for k in range(n))


def pipelined(n):
    return body(["s = T.alloc_shared((256,), 'float32')", "f = T.alloc_fragment((256,), 'float32')", "T.clear(f)",
                 *(line for k in range(n) for line in ("for k in T.Pipelined(16, num_stages=2):",
                                                       "    T.copy(B[k, bx * 128], s)",
                                                       "    for i in T.Parallel(256): f[i] = f[i] + s[i]")),
                 "T.copy(f, A[bx, 0])"])


def branches(n):
    return body(f"if n > {k}: A[bx, {k % 4096}] = {k}.0" for k in range(n))


def elifs(n):
    return body(line for k in range(n) for line in (f"{'el' if k else ''}if n == {k}:", f"    A[bx, {k % 4096}] = {k}.0"))


def macros(n):
    return body((f"put(A, bx, {k % 4096})" for k in range(n)),
                "@T.macro\ndef put(A, x, y):\n    v = A[x, y] + 1.0\n    A[x, y] = v\n")


def expression(n):
    """Balanced: its depth is the logarithm of its size."""
    def of(lo, hi):
        middle = (lo + hi) // 2
        return f"B[bx, {lo}]" if hi - lo == 1 else f"({of(lo, middle)} + {of(middle, hi)})"
    return body([f"A[bx, 0] = {of(0, n)}"])


def chain(n):
    return body(["A[bx, 0] = " + " + ".join(f"B[bx, {k}]" for k in range(n))])


def index_chain(n):
    return body(["A[bx, (" + " + ".join(f"n % {k + 2}" for k in range(n)) + ") % 4096] = 1.0"])


def selects(n):
    text = "0.0"
    for k in range(n):
        text = f"T.if_then_else(n > {k}, {k}.0, {text})"
    return body([f"A[bx, 0] = {text}"])


KINDS = {made.__name__.rstrip("_"): made for made in (
    stores, lets, assignments, tile_ops, parallels, rotated, in_parallel, fragments, shared, locals_, nesting, run_time_nesting,
    if_nesting, tile_nesting, loops, pipelined, branches, elifs, macros, expression, chain, index_chain, selects)}


class Clock:
    """CPU time of the process between its calls, by stage."""

    def __init__(self):
        self.spent, self.last = {}, time.process_time()

    def __call__(self, stage):
        now = time.process_time()
        self.spent[stage] = (now - self.last) * 1e3
        self.last = now


def function_of(text, name):
    """As a cell has it: its name belongs to no other text."""
    names = {"T": T}
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), names)
    return names["kernel"]


def measure(kind, size, name, target="mp_31"):
    text = KINDS[kind](size)
    function = function_of(text, name)
    clock = Clock()
    tree = source.capture(function)
    clock("ast")
    made = _core.elaborate(*tree, name="kernel", target=target)
    clock("elaborate")
    refuse(made["diagnostics"])
    func = made["func"]
    clock.last = time.process_time()
    printed = func.text()
    clock("print")
    again, said = _core.read_ir("growth", printed)
    clock("read")
    refuse(said)
    clock.last = time.process_time()
    result = func.passes()
    clock("passes")
    refuse(result["diagnostics"])
    clock.spent |= {snapshot["pass"]: snapshot["milliseconds"] for snapshot in result["snapshots"][1:]}
    clock.spent["around"] = clock.spent["passes"] - sum(s["milliseconds"] for s in result["snapshots"][1:])
    clock.last = time.process_time()
    _, said = _core.render(result["snapshots"][-1]["func"], target, True)
    clock("C")
    refuse(said)
    clock.spent["all"] = sum(clock.spent[stage] for stage in ("ast", "elaborate", "passes", "C"))
    return clock.spent


def refuse(diagnostics):
    errors = [d["text"] for d in diagnostics if d["error"]]
    if errors:
        raise RuntimeError(errors[0])


def main():
    out = {}
    for repetition in range(int(sys.argv[1])):  # interleave sizes: other load affects all of them
        for kind, size in zip(sys.argv[2::2], sys.argv[3::2]):
            found = measure(kind, int(size), f"growth {kind} {size} {repetition}")
            least = out.setdefault(f"{kind} {size}", found)
            least |= {stage: min(ms, least[stage]) for stage, ms in found.items()}
    print(json.dumps(out))


if __name__ == "__main__":
    main()
