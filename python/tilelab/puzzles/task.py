# SPDX-License-Identifier: Apache-2.0
"""A puzzle: its text, NumPy specification, cell, sizes and budget."""

import ast
import dataclasses
import functools
import importlib
import inspect
import os
import pkgutil
import textwrap
from typing import Callable


@dataclasses.dataclass
class Part:
    """One kernel of a puzzle, a jit function named `kernel`."""

    spec: Callable     # the NumPy specification: (*inputs) -> the output
    make: Callable     # (rng, **sizes) -> the inputs
    cases: list        # sizes, the smallest first; some have tails
    full: dict         # the sizes for the budget
    moved: dict        # tensor -> allowed full reads or writes, a formula of the sizes
    operations: str    # allowed floating-point operations, a formula of the sizes
    slack: Callable = None  # (*inputs) -> the tolerance of sums, besides two roundings of the result
    demands: Callable = None  # (kernel) -> a missing requirement, or ""
    dtype: str = ""    # of the output, as the puzzle's cell declares it

    @property
    def kernel(self):
        return self.spec.__name__

    def number(self, formula, sizes):
        return eval(formula, {"__builtins__": {}, "ceildiv": lambda a, b: -(-a // b)}, sizes)


@dataclasses.dataclass
class Task:
    title: str
    text: str          # three lines
    flow: list         # columns of the drawing: (caption, [label, ...])
    hints: tuple       # three steps
    parts: list
    cell: str = ""     # the code to complete: by default that of the solution without its kernels
    to_write: dict = dataclasses.field(default_factory=dict)  # kernel -> the comment in its place, if not "with T.Kernel(...) as ..."
    number: int = 0

    def complete(self, number):
        """Adds what follows from the number: the cell, and from it the dtypes of the outputs."""
        self.number = number
        self.cell = self.cell or _unsolved(solution_cell(number), self.to_write)
        for node in ast.walk(ast.parse(self.body)):
            for part in self.parts:
                if isinstance(node, ast.FunctionDef) and node.name == part.kernel:
                    part.dtype = _output_dtype(node)

    @property
    def name(self):
        """The name of its notebook: 05-row-sums."""
        return f"{self.number:02}-" + "-".join(self.title.lower().replace(",", "").split())

    @property
    def body(self):
        """The cell without the command in its first line."""
        return textwrap.dedent(self.cell).strip("\n") + "\n"

    @property
    def whole_cell(self):
        return f"%%puzzle {self.number}\n{self.body}"

    def spec_text(self):
        return "\n".join(inspect.getsource(part.spec).rstrip("\n") + "\n" for part in self.parts)


def _output_dtype(function):
    """The dtype of the T.empty(shape, dtype) in a kernel."""
    return next(node.args[1].value for node in ast.walk(function)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "empty")


def _unsolved(solution, to_write):
    """The code of a solution with a comment in place of each T.Kernel."""
    out, name, inside = [], "", False
    for line in solution.split("\n"):
        name = line[4:line.index("(")] if line.startswith("def ") else name
        if line.startswith("    with T.Kernel("):
            names = line.rpartition(" as ")[2]
            out.append(f"    # your kernel: {to_write.get(name, f'with T.Kernel(...) as {names} ...')}")
            inside = True
        elif not (inside and line.startswith("     ")):
            out.append(line)
            inside = False
    return "\n".join(out)


@functools.lru_cache(maxsize=None)
def _modules():
    from . import tasks

    return {int(m.name[1:3]): m.name for m in pkgutil.iter_modules(tasks.__path__) if m.name[1:3].isdigit()}


def numbers():
    return sorted(_modules())


def solution_cell(number):
    """The code that solves the puzzle within its budget, without the imports of its file."""
    path = os.path.join(os.path.dirname(__file__), "solutions", f"{_modules()[number]}.py")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return text.split("\n\n\n", 1)[1]


@functools.lru_cache(maxsize=None)
def task(number):
    """The puzzle with that number; KeyError if there is none."""
    found = importlib.import_module(f"{__package__}.tasks.{_modules()[number]}").TASK
    found.complete(number)
    return found
