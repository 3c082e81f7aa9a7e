# SPDX-License-Identifier: Apache-2.0
"""The first kernel of the README with a slip of the hand in each of its lines: what the shell says leads back."""

import os
import re

from terminal import Terminal

README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "README.md")

# (what is written, what is typed in its place, what the last lines say)
TYPOS = [
    ("import tilelang,", "import tilelag,", r"No module named 'tilelag'. Did you mean: 'tilelang'\?"),
    ("import tilelang,", "imprt tilelang,", r"invalid syntax. Did you mean: 'import'\?"),
    ("numpy as", "nunpy as", r"Did you mean: 'numpy'\?"),
    ("numpy as", "a_package_of_nobody as", r"No module named 'a_package_of_nobody'. %pip installs into the running Python"),
    ("tilelang.language", "tilelang.langauge", r"Did you mean: 'tilelang.language'\?"),
    ("as T,", "as t,", r"name 'T' is not defined. Did you mean: 't'\?"),
    ("@tilelang.jit(", "tilelang.jit(", r"write @tilelang.jit above the function that makes it"),
    ("@tilelang.jit(", "@tilelang.jitt(", r"has no attribute 'jitt'. Did you mean: 'jit'\?"),
    ("out_idx=", "out_id=", r"keyword argument 'out_id'. Did you mean: 'out_idx'\?"),
    ("[-1])", "['C'])", r"use a number in out_idx; 'C' is -1"),
    ("(out_idx=[-1])", "", r"out_idx=\[-1\] of tilelang.jit or compile makes the last"),
    ("def add(N)", "dfe add(N)", r"Did you mean: 'def'\?"),
    ("def add(N)", "def ad(N)", r"name 'add' is not defined. Did you mean: 'ad'\?"),
    ("T.prim_func", "T.primfunc", r"did you mean @T.prim_func, for @T.primfunc\?"),
    ("C: T.Tensor(", "C: T.Tensr(", r"T has no Tensr; did you mean `T.Tensor`\?"),
    ('C: T.Tensor((N,), "float32")', "C: T.Tensor((N,), float32)", r"Did you mean: 'T.float32'\?"),
    ("C: T.Tensor(", "B: T.Tensor(", r"def main\(A: .* \^+ SyntaxError: duplicate argument 'B'"),
    ("with T.Kernel", "T.Kernel", r"Perhaps you forgot 'with'\?"),
    ("with T.Kernel", "wiht T.Kernel", r"Did you mean: 'with'\?"),
    ("T.Kernel(", "T.Kernal(", r"did you mean `T.Kernel`\?"),
    (" as bx", "", r"name the block index after `as`: `with T.Kernel\(...\) as bx:`"),
    ("as bx:", "as bx, by:", r"put several names in parentheses: `as \(bx, by\)`"),
    ("for i in", "fro i in", r"Did you mean: 'for'\?"),
    ("for i in", "for i", r"Perhaps you forgot 'in'\?"),
    ("for i in", "for j in", r"names bound here: A, B, C, bx, j;"),
    ("C[bx", "c[bx", r"did you mean `C`\?"),
    ("C[bx", "D[bx", r"names bound here: A, B, C, bx, i;"),
    ("] = A", "] A", r"Perhaps you forgot '='\?"),
    ("return main", "retrun main", r"Did you mean: 'return'\?"),
    ("return main", "return mian", r"Did you mean: 'main'\?"),
    ("return main", "return main()", r"the kernel that add makes is called here; return it without"),
    ("    return main", "", r"add returned nothing .* it ends without returning the kernel"),
    ("k = add(1000)", "k = add()", r"^error\[argument-count\]: .* help: call it as add\(N\)"),
    ("k = add(1000)", "k = add(M=1000)", r"^error\[argument-keyword\]: kernel add does not take a keyword argument M "),
    ("k = add(1000)", "k = add('1000')", r"argument N: '1000' is a number of .* help: pass an integer: N=1000$"),
    ("k = add(1000)", "k = add(-1000)", r"-1000 is a number of elements.* help: pass an integer: N=1000$"),
    ("k(np", "K(np", r"name 'K' is not defined. Did you mean: 'k'\?"),
    ("np.float32", "np.flaot32", r"Did you mean: 'float32'\?"),
    ("%passes k", "passes k", r"Commands start with %: %passes k"),
    ("%passes k", "%pases k", r"did you mean %passes\?"),
    ("--after", "--atfer", r"did you mean --after\?"),
    ("infer_layouts", "infer_layout", r"did you mean infer_layouts\?"),
]


def cells():
    """The cells of the README's first session that can fail, as they are typed."""
    with open(README) as file:
        text = re.search(r"^    tl\[1\]> .*?(?=^    tl\[7\]>)", file.read(), re.M | re.S)[0]
    out = []
    for line in text.splitlines():
        prompt, typed = line[4:11], line[11:]
        if prompt.startswith("tl["):
            out.append(typed)
        else:
            out[-1] += "\n" + typed
    return out


def said_of(terminal, cell):
    """The shell's output after a pasted cell, or None if that is not an error."""
    terminal.paste(cell)
    terminal.type("\r")
    shown = terminal.prompt().replace("\r", "")
    shown = shown.partition(cell.splitlines()[-1] + "\n")[2]
    return shown if re.search(r"rror|[Dd]id you mean", shown) else None


def first_error(terminal, right, wrong):
    """The error of the first failing cell, with `wrong` in place of `right`."""
    written = cells()
    assert any(right in cell for cell in written), f"{right} does not occur in the README's session"
    for cell in written:
        said = said_of(terminal, cell.replace(right, wrong, 1).rstrip())
        if said is not None:
            return said
    return "no error"


def test_a_typo_in_every_line(program):
    terminal = Terminal(program, "-q", columns=200)
    terminal.prompt()
    missed = []
    for right, wrong, expected in TYPOS:
        said = first_error(terminal, right, wrong)
        if not re.search(expected, " ".join(said.split())):
            missed.append(f"{wrong}: {expected}\n{said}")
        terminal.run("%reset -f")
    assert not missed, "\n\n".join(missed)
    terminal.type("\x04")
    assert terminal.wait() == 0


# Input of CUDA users, and the hints that it gets.
FROM_CUDA = [
    ("import cupy", r"No module named 'cupy'\. %pip installs"),
    ("__global__ void add(float* x) { x[threadIdx.x] += 1; }", r"This is CUDA C; a kernel here is a Python function"),
    ("#include <cuda.h>\n__device__ int f(int a) {\n  return a;\n}", r"This is CUDA C"),
    ("add<<<1, 32>>>(3)", r"Call a kernel like a function; T\.Kernel\(\.\.\.\) sets its grid"),
    ("git status", r"Run a system program with !: !git status"),
    ("no_program_of_anybody x.cu", r"SyntaxError: invalid syntax$"),
]


def test_what_people_of_cuda_type(program):
    folder = os.path.abspath("programs")
    os.mkdir(folder)
    with open(f"{folder}/git", "w", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
        file.write("#!/bin/sh\n")
    terminal = Terminal(program, "-q", columns=200, environment={"PATH": f"{folder}:{os.environ['PATH']}"})
    terminal.prompt()
    for typed, expected in FROM_CUDA:
        said = said_of(terminal, typed)
        assert said and re.search(expected, " ".join(said.split())), (typed, said)


def test_older_versions_and_what_a_jit_function_has_not(program):
    terminal = Terminal(program, "-q", columns=200)
    terminal.prompt()
    terminal.run("import tilelang, tilelang.language as T")
    for number in (1, 2):
        terminal.paste("@tilelang.jit\ndef add(x):\n    x: T.Tensor((32,), 'int32')\n    with T.Kernel(1, threads=32):\n"
                       f"        for i in T.Parallel(32):\n            x[i] += {number}")
        terminal.type("\r")
        terminal.prompt()
        terminal.run("k = add.compile()")
    assert "no kernel add~1; there are add, add#1\n" in terminal.run("%diff add~1 add")
    assert "a jit function has no layout; use it on a kernel: add.compile(...).layout\n" in terminal.run("add.layout('x')")
    assert "AttributeError: a jit function has no other\n" in terminal.run("add.other")


def test_messages_are_broken_between_words_with_and_without_colour(program):
    for color in ("never", "always"):
        terminal = Terminal(program, "-q", f"--color={color}", columns=60)
        terminal.prompt()
        terminal.run("import tilelang, tilelang.language as T, numpy as np")
        terminal.paste(cells()[1].replace("T.ceildiv(N, 256)", "N // 256"))
        terminal.type("\r")
        terminal.prompt()
        terminal.run("k = add(1000)")
        terminal.paste("k(np.ones(1000, 'float32'), np.ones(1000, 'float32'));")
        terminal.type("\r")
        shown = terminal.prompt()
        assert re.search(r"\n    \S.* `tilelab check\s+FILE`, finds\s+the\s+cause\n", shown), shown
        terminal.paste("k(np.ones(1000, 'float32'))")
        terminal.type("\r")
        shown += terminal.prompt()
        assert "expected 2 inputs" in " ".join(shown.split()), shown
        said = re.findall(r"^(?:(?:warning|error|note|help).*|    \S.*)$", shown, re.M)
        assert len(said) > 5 and all(len(line) <= 60 for line in said), said
        terminal.type("\x04")
        assert terminal.wait() == 0
